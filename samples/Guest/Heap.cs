// The content of the heap and of the runtime's lists: collections by generation, unloading, handles, finalizers.
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Loader;

namespace Guest;

internal static class Heap
{
    private static string Counts() => $"{GC.CollectionCount(0)} {GC.CollectionCount(1)} {GC.CollectionCount(2)}";

    /// Collections of the youngest generation, before anything else: they must stay of that generation.
    public static string Collections()
    {
        object kept = new();
        List<string> told = [Counts()];
        for (int i = 0; i < 4; i++)
        {
            GC.Collect(0);
            told.Add($"{Counts()}, kept in {GC.GetGeneration(kept)}");
        }
        GC.Collect(1);
        told.Add(Counts());
        GC.Collect();
        told.Add($"{Counts()}, kept in {GC.GetGeneration(kept)}");
        return string.Join('\n', told);
    }

    private static void Collect()
    {
        for (int i = 0; i < 3; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
    }

    // Collectible code must be unloaded once it has no references.

    public static int Answer(int n)
    {
        int sum = 0;
        for (int i = 0; i < n; i++)
        {
            sum += i;
        }
        return sum;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (WeakReference Context, string Told) InContext()
    {
        AssemblyLoadContext context = new("unloaded", isCollectible: true);
        Assembly again = context.LoadFromAssemblyPath(typeof(Heap).Assembly.Location);
        object? answer = again.GetType("Guest.Heap")!.GetMethod(nameof(Answer))!.Invoke(null, [10]);
        context.Unload();
        return (new WeakReference(context), $"{answer}");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (WeakReference Method, string Told) InDynamic()
    {
        DynamicMethod method = new("Dynamic", typeof(int), [typeof(int)], typeof(Heap).Module);
        ILGenerator il = method.GetILGenerator();
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Call, typeof(Heap).GetMethod(nameof(Answer))!);
        il.Emit(OpCodes.Ret);
        Func<int, int> call = method.CreateDelegate<Func<int, int>>();
        return (new WeakReference(method), $"{call(11)}");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (WeakReference Assembly, string Told) InBuilt()
    {
        AssemblyBuilder assembly = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("Built"), AssemblyBuilderAccess.RunAndCollect);
        TypeBuilder type = assembly.DefineDynamicModule("Built").DefineType("Type", TypeAttributes.Public);
        ILGenerator il = type.DefineMethod("Run", MethodAttributes.Public | MethodAttributes.Static, typeof(int), []).GetILGenerator();
        il.Emit(OpCodes.Ldc_I4, 12);
        il.Emit(OpCodes.Ret);
        Type made = type.CreateType();
        return (new WeakReference(made), $"{made.GetMethod("Run")!.Invoke(null, null)}");
    }

    private static string Dies(string name, (WeakReference Reference, string Told) made)
    {
        int rounds = 0;
        while (made.Reference.IsAlive && rounds < 20)
        {
            Collect();
            rounds++;
        }
        return $"{name}: {made.Told}, {(made.Reference.IsAlive ? "alive" : "gone")}";
    }

    // Tables, handles, resurrection.

    private sealed class Named(string name)
    {
        public static readonly List<string> Finalized = [];
        public static Named? Saved;

        ~Named()
        {
            lock (Finalized)
            {
                Finalized.Add(name);
            }
            if (name == "saved" && Saved == null)
            {
                Saved = this;
                GC.ReRegisterForFinalize(this);
            }
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static object Attach(ConditionalWeakTable<object, Named> table, string name)
    {
        object key = new();
        table.Add(key, new Named(name));
        return key;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static GCHandle Handle(string name, GCHandleType type) => GCHandle.Alloc(new Named(name), type);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Drop() => _ = new Named("saved");

    private static string Dead()
    {
        Collect();
        lock (Named.Finalized)
        {
            Named.Finalized.Sort();
            return string.Join(' ', Named.Finalized);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static List<string> Handles()
    {
        ConditionalWeakTable<object, Named> table = [];
        object first = Attach(table, "first");
        Attach(table, "second");
        GCHandle strong = Handle("strong", GCHandleType.Normal);
        GCHandle weak = Handle("weak", GCHandleType.Weak);
        GCHandle tracking = Handle("tracking", GCHandleType.WeakTrackResurrection);
        Drop();
        List<string> told = [Dead()];
        told.Add($"{strong.Target != null} {weak.Target != null} {tracking.Target != null}");
        strong.Free();
        Named.Saved = null;
        told.Add(Dead());
        GC.KeepAlive(first);
        weak.Free();
        tracking.Free();
        return told;
    }

    public static string Lists()
    {
        List<string> told = [Dies("context", InContext()), Dies("method", InDynamic()), Dies("assembly", InBuilt())];
        told.AddRange(Handles());
        return string.Join('\n', told);
    }
}
