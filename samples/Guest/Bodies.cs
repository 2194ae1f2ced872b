// Programs read their own IL by reflection: for the field behind a getter, the calls of a lambda, the locals of a test. They must
// see what the compiler wrote, before a method's first call and after it.
using System.Linq.Expressions;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;

namespace Guest;

internal interface IMeasured
{
    int Size { get; }
    int Twice() => 2 * Size;
}

internal struct Pair<T> : IMeasured
{
    public T First, Second;

    public Pair(T first, T second) => (First, Second) = (first, second);

    public readonly int Size => $"{First}{Second}".Length;

    public readonly TResult Apply<TResult>(Func<T, T, TResult> function)
    {
        TResult result = function(First, Second);
        return result;
    }
}

internal class Order
{
    private static readonly string[] Names;
    private int quantity = 3;

    static Order() => Names = ["none", "one", "many"];

    public Order()
    {
    }

    public Order(int quantity)
    {
        try
        {
            this.quantity = checked(quantity * 2);
        }
        catch (OverflowException)
        {
            this.quantity = -1;
        }
    }

    public int Quantity
    {
        get => quantity;
        set => quantity = value;
    }

    public event Action? Changed;

    public string Name => Names[Math.Clamp(quantity, 0, 2)];

    public void Raise() => Changed?.Invoke();

    ~Order() => quantity = 0;
}

internal static class Subjects
{
    public static int Nothing() => 0;

    public static void Empty()
    {
    }

    public static int Loop(int count)
    {
        int sum = 0;
        for (int i = 0; i < count; i++)
        {
            sum += i % 2 == 0 ? i : -i;
        }
        return sum;
    }

    public static string Handlers(string text)
    {
        string told = "";
        try
        {
            try
            {
                told += int.Parse(text);
            }
            catch (FormatException e) when (e.Message.Length > 1000 || text.Length == 1)
            {
                told += "filtered";
            }
            catch (OverflowException)
            {
                told += "large";
            }
            finally
            {
                told += "; ";
            }
        }
        catch (Exception e)
        {
            told += e.GetType().Name;
        }
        lock (told)
        {
            foreach (char c in new List<char>(told))
            {
                if (c == '!')
                {
                    return "!";
                }
            }
        }
        return told;
    }

    public static T Largest<T>(IEnumerable<T> items) where T : IComparable<T>
    {
        T? largest = default;
        bool first = true;
        foreach (T item in items)
        {
            if (first || item.CompareTo(largest) > 0)
            {
                (largest, first) = (item, false);
            }
        }
        return largest!;
    }

    public static unsafe long Pinned(byte[] bytes)
    {
        long sum = 0;
        byte* copy = stackalloc byte[16];
        fixed (byte* at = bytes)
        {
            for (int i = 0; i < bytes.Length && i < 16; i++)
            {
                copy[i] = at[i];
                sum += copy[i];
            }
        }
        return sum;
    }

    public static IEnumerable<int> Items(int count)
    {
        for (int i = 0; i < count; i++)
        {
            yield return i;
        }
    }

    public static async Task<int> Later(int value)
    {
        try
        {
            await Task.Yield();
            return value + 1;
        }
        finally
        {
            await Task.CompletedTask;
        }
    }

    public static int Switch(object value) => value switch
    {
        int n when n > 3 => n,
        string { Length: 2 } text => text[1],
        (int a, int b) => a + b,
        _ => -1,
    };
}

internal static class Bodies
{
    private const BindingFlags Declared =
        BindingFlags.Static | BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    private static readonly string[] Types = ["Guest.IMeasured", "Guest.Pair`1", "Guest.Order", "Guest.Subjects"];

    private static IEnumerable<Type> With(Type type) => type.GetNestedTypes(Declared).SelectMany(With).Prepend(type);

    private static List<MethodBase> Methods(Assembly assembly)
    {
        List<MethodBase> methods = [];
        foreach (Type type in Types.Select(name => assembly.GetType(name, true)!).SelectMany(With))
        {
            methods.AddRange(type.GetMembers(Declared).OfType<MethodBase>());
        }
        Type pair = assembly.GetType("Guest.Pair`1", true)!;
        MethodInfo largest = assembly.GetType("Guest.Subjects", true)!.GetMethod("Largest")!;
        foreach (Type argument in new[] { typeof(int), typeof(string) })
        {
            methods.AddRange(pair.MakeGenericType(argument).GetMembers(Declared).OfType<MethodBase>());
            methods.Add(pair.MakeGenericType(argument).GetMethod("Apply")!.MakeGenericMethod(argument));
            methods.Add(largest.MakeGenericMethod(argument));
        }
        return methods;
    }

    private static uint Sum(byte[] bytes) => bytes.Aggregate(2166136261, (sum, one) => (sum ^ one) * 16777619);

    private static string Clause(ExceptionHandlingClause clause)
    {
        string kind = clause.Flags switch
        {
            ExceptionHandlingClauseOptions.Filter => $"filter {clause.FilterOffset}",
            ExceptionHandlingClauseOptions.Clause => $"catch {clause.CatchType?.Name}",
            _ => $"{clause.Flags}",
        };
        return $"{clause.TryOffset}+{clause.TryLength} {clause.HandlerOffset}+{clause.HandlerLength} {kind}";
    }

    private static string Describe(MethodBase method)
    {
        string name = $"{method.DeclaringType}.{method}";
        if (method.GetMethodBody() is not MethodBody body)
        {
            return $"{name}: no body";
        }
        byte[] il = body.GetILAsByteArray()!;
        string locals = string.Join(", ", body.LocalVariables.Select(local => $"{local.LocalIndex} {local.LocalType}{(local.IsPinned ? " pinned" : "")}"));
        string clauses = string.Join("; ", body.ExceptionHandlingClauses.Select(Clause));
        int token = body.LocalSignatureMetadataToken;
        uint signature = token == 0 ? 0 : Sum(method.Module.ResolveSignature(token));
        return $"{name}: {il.Length} {Sum(il):x}, stack {body.MaxStackSize}, init {body.InitLocals}, {token:x} {signature:x} ({locals}) [{clauses}]";
    }

    private static string Describe(Assembly assembly) => string.Join('\n', Methods(assembly).Select(Describe));

    private static async Task<string> Call()
    {
        Order order = new(int.MaxValue), other = new() { Quantity = 2 };
        order.Changed += Subjects.Empty;
        order.Raise();
        IMeasured pair = new Pair<int>(3, 4), texts = new Pair<string>("a", "b");
        object[] told =
        [
            order.Name, other.Name, order.Quantity, pair.Size, texts.Twice(), new Pair<int>(1, 2).Apply((a, b) => a + b),
            new Pair<string>("a", "b").Apply((a, b) => a + b), Subjects.Nothing(), Subjects.Loop(9), Subjects.Handlers("1"),
            Subjects.Handlers("x"), Subjects.Handlers("xy"), Subjects.Handlers("99999999999"), Subjects.Largest([1, 3, 2]),
            Subjects.Largest(["b", "a"]), Subjects.Pinned([1, 2, 3]), Subjects.Items(4).Sum(), await Subjects.Later(1),
            Subjects.Switch(5), Subjects.Switch("ab"), Subjects.Switch((1, 2)), Subjects.Switch(1.0),
        ];
        return string.Join(' ', told);
    }

    /// Other threads read bodies while methods are compiled, compiled again with optimisation, and collections move objects.
    private static string ReadBeside(Assembly assembly)
    {
        string expected = Describe(assembly);
        int different = 0;
        bool done = false;
        Thread[] readers = [.. Enumerable.Range(0, 2).Select(_ => new Thread(() =>
        {
            while (!Volatile.Read(ref done))
            {
                Interlocked.Add(ref different, Describe(assembly) == expected ? 0 : 1);
            }
        }))];
        Array.ForEach(readers, reader => reader.Start());
        string called = "";
        for (int i = 0; i < 60; i++)
        {
            called = Call().Result;
            GC.Collect(i % 2);
        }
        Volatile.Write(ref done, true);
        Array.ForEach(readers, reader => reader.Join());
        return $"{called}\nread beside: {different} different";
    }

    /// The field that a getter returns, as mappers look for it.
    private static string FieldOf(string property)
    {
        MethodInfo getter = typeof(Order).GetProperty(property)!.GetMethod!;
        byte[] il = getter.GetMethodBody()!.GetILAsByteArray()!;
        int at = Array.IndexOf(il, (byte)OpCodes.Ldfld.Value);
        return at < 0 ? "none" : getter.Module.ResolveField(BitConverter.ToInt32(il, at + 1))!.Name;
    }

    private static string Unusual()
    {
        DynamicMethod made = new("made", typeof(int), [typeof(int)]);
        made.GetILGenerator().Emit(OpCodes.Ldarg_0);
        made.GetILGenerator().Emit(OpCodes.Ret);
        Func<int, int> compiled = Expression.Lambda<Func<int, int>>(Expression.Constant(3), Expression.Parameter(typeof(int))).Compile();
        List<string> told = [];
        foreach (MethodBase method in new MethodBase[] { made, compiled.Method, typeof(object).GetMethod("ToString")!, typeof(Math).GetMethod("Sqrt")!,
            typeof(Stream).GetMethod("Flush")!, typeof(Action).GetMethod("Invoke")! })
        {
            try
            {
                told.Add(method.GetMethodBody() is MethodBody body ? $"{body.GetILAsByteArray()!.Length}" : "none");
            }
            catch (InvalidOperationException e)
            {
                told.Add(e.GetType().Name);
            }
        }
        return string.Join(' ', told);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static string Collectible()
    {
        AssemblyLoadContext context = new("own", isCollectible: true);
        Assembly again = context.LoadFromAssemblyPath(typeof(Bodies).Assembly.Location);
        string before = Describe(again);
        again.GetType("Guest.Subjects", true)!.GetMethod("Handlers")!.Invoke(null, ["x"]);
        Activator.CreateInstance(again.GetType("Guest.Order", true)!, [4]);
        bool same = Describe(again) == before;
        context.Unload();
        return $"collectible: {(same ? "same" : "different")}";
    }

    public static string Run()
    {
        Assembly assembly = typeof(Bodies).Assembly;
        string before = Describe(assembly);
        string beside = ReadBeside(assembly);
        string collectible = Collectible();
        GC.Collect();
        GC.WaitForPendingFinalizers();
        return string.Join('\n', before, beside, Describe(assembly), FieldOf("Quantity"), Unusual(), collectible);
    }
}
