// Exceptions that leave recorded methods (namespace Unwound.Inside) for frames that are not recorded: native code, the
// framework, this file. After each part a recorded method runs on the same thread; it must not become a child of a method
// that has ended.
using System.Linq.Expressions;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Unwound.Inside;

namespace Unwound;

internal static unsafe class Program
{
    private const int Rounds = 5; // the runtime calls a method by native code at first, and by generated code later

    private static readonly Target target = new();

    private static void Part(string name, Action body)
    {
        for (int i = 0; i < Rounds; i++)
        {
            Paths.Begin();
            string outcome = "ended";
            try
            {
                body();
            }
            catch (Exception problem)
            {
                outcome = problem.GetType().Name;
                for (Exception inner = problem.InnerException; inner != null; inner = inner.InnerException)
                {
                    outcome += $" < {inner.GetType().Name}";
                }
            }
            Paths.End();
            Console.WriteLine($"{name}: {outcome} {target.Next(i)}");
        }
    }

    private static void Invoke(string method, params object[] arguments)
    {
        MethodInfo found = typeof(Target).GetMethod(method);
        Part($"Invoke {method}", () => found.Invoke(found.IsStatic ? null : target, arguments));
    }

    private static void Methods()
    {
        Invoke(nameof(Target.Fail), 1);
        Invoke(nameof(Target.Small), 4);
        Invoke(nameof(Target.Deep), 2);
        Invoke(nameof(Target.Finally), 2);
        Invoke(nameof(Target.FinallyThrows), 2);
        Invoke(nameof(Target.FinallyCatches), 2);
        Invoke(nameof(Target.FinallyReflects), target);
        Invoke(nameof(Target.CatchesThenFails), target);
        Invoke(nameof(Target.Filtered), 2);
        Invoke(nameof(Target.Rethrown), 2);
        Invoke(nameof(Target.CatchFails), target);
        Invoke(nameof(Target.Wrapped), target);
        Invoke(nameof(Target.Twice), target);
    }

    [Failing]
    private sealed class Marked
    {
    }

    [Failing(1, Number = 2)]
    private sealed class Numbered
    {
    }

    private static void Constructors()
    {
        ConstructorInfo constructor = typeof(Made).GetConstructor([typeof(int)]);
        Part("ConstructorInfo", () => constructor.Invoke([1]));
        Part("Activator", () => Activator.CreateInstance(typeof(Made)));
        Part("Activator with arguments", () => Activator.CreateInstance(typeof(Made), 1));
        Part("Activator<T>", () => Activator.CreateInstance<Made>());
        Part("attribute", () => typeof(Marked).GetCustomAttributes(false));
        Part("attribute's property", () => typeof(Numbered).GetCustomAttributes(false));
    }

    private static void StaticConstructors()
    {
        Part("static constructor in a recorded method", () => Target.Touch());
        Part("static constructor", () => Target.Done += Toxic<int>.Value);
        Part("RunClassConstructor", () => RuntimeHelpers.RunClassConstructor(typeof(Toxic<string>).TypeHandle));
    }

    private static void Delegates()
    {
        Func<int, int> fail = target.Fail, small = target.Small, deep = Target.Deep;
        Part("DynamicInvoke", () => fail.DynamicInvoke(1));
        Part("DynamicInvoke small", () => small.DynamicInvoke(4));
        Part("DynamicInvoke static", () => deep.DynamicInvoke(2));
        ParameterExpression n = Expression.Parameter(typeof(int));
        MethodInfo method = typeof(Target).GetMethod(nameof(Target.Small));
        Func<int, int> compiled = Expression.Lambda<Func<int, int>>(Expression.Call(Expression.Constant(target), method, n), n).Compile();
        Part("compiled expression", () => compiled(4));
        dynamic late = target;
        Part("dynamic", () => late.Fail(1));
        Part("iterator", () =>
        {
            Paths.Enter("Target.Numbers(int)");
            Paths.Leave();
            Target.Done += Target.Numbers(2).Sum();
        });
        Part("List.ForEach", () => new List<int> { 1, 2, 3, 4 }.ForEach(i => target.Small(i)));
        Part("Sort", () => new List<int> { 1, 4 }.Sort((a, b) => target.Small(a) - target.Small(b)));
    }

    private static void Events()
    {
        AppDomain.CurrentDomain.AssemblyResolve += Target.Resolve;
        Part("resolve", () => Assembly.Load("No.Such.Assembly"));
        AppDomain.CurrentDomain.AssemblyResolve -= Target.Resolve;
    }

    private sealed class Outside
    {
        ~Outside() => Caught(() => Target.Deep(2));
    }

    // Not recorded, and catches.
    private static void Caught(Action body)
    {
        Paths.Begin();
        try
        {
            body();
        }
        catch (Exception)
        {
            Target.Done++;
        }
        Paths.End();
        Target.Done += target.Next(0);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Drop(Func<object> make) => make();

    private static void Finalizers()
    {
        foreach (Func<object> make in new Func<object>[] { () => new Outside(), () => new Dying() })
        {
            Part("finalizer", () =>
            {
                Drop(make);
                GC.Collect();
                GC.WaitForPendingFinalizers();
            });
        }
    }

    [DllImport("libc", EntryPoint = "qsort")]
    private static extern void Sort(int* items, nint count, nint size, delegate* unmanaged<int*, int*, int> compare);

    [DllImport("libc", EntryPoint = "qsort")]
    private static extern void SortBy(int* items, nint count, nint size, Compare compare);

    private delegate int Compare(int* a, int* b);

    private static int CompareOutside(int* a, int* b)
    {
        Caught(() => target.Fail(1));
        return *a - *b;
    }

    private static void Callbacks()
    {
        int* items = stackalloc int[2] { 2, 1 };
        Part("function pointer", () => Sort(items, 2, sizeof(int), &Target.Compare));
        Part("delegate", () => SortBy(items, 2, sizeof(int), CompareOutside));
    }

    private static void OnThread(ThreadStart start)
    {
        var thread = new Thread(start);
        thread.Start();
        thread.Join();
    }

    private static void Threads()
    {
        MethodInfo fail = typeof(Target).GetMethod(nameof(Target.Fail));
        Part("thread, recorded", () => OnThread(Target.Start));
        Part("thread", () => OnThread(() => Caught(() => Target.Deep(2))));
        Part("thread, reflected", () => OnThread(() => Caught(() => fail.Invoke(target, [1]))));
        Part("task", () => Task.Run(() => Caught(() => Target.Deep(2))).Wait());
    }

    // Optimised at once, so that recorded methods that have run before are inlined.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static int Hot(Target target, int n)
    {
        try
        {
            return target.Small(n);
        }
        catch (FormatException)
        {
            return -1;
        }
    }

    private static void Inlined()
    {
        for (int i = 1; i < 20; i++)
        {
            Paths.Begin();
            Target.Done += Hot(target, i);
            Paths.End();
            Target.Done += target.Next(i);
        }
    }

    public static int Main()
    {
        Methods();
        Constructors();
        StaticConstructors();
        Delegates();
        Events();
        Finalizers();
        Callbacks();
        Threads();
        Inlined();
        Paths.Write();
        Console.WriteLine($"{Target.Done} unwound: success");
        return 0;
    }
}
