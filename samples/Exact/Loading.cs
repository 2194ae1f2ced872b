// Code that comes and goes: a dynamic method calling into ours, a plug-in in collectible load contexts (from a file and from
// memory), and finalizers on their own thread.
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;

namespace Exact;

internal static class Loading
{
    public static void Run(string plugin)
    {
        Count.Hit("Exact.Loading.Run(string)");
        Dynamic();
        for (int i = 0; i < 3; i++)
        {
            WeakReference context = Load(plugin, i == 2);
            for (int wait = 0; context.IsAlive && wait < 100; wait++)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
            }
            Console.WriteLine($"unloaded {!context.IsAlive}");
        }
        Finalizers();
    }

    private static int Target(int n)
    {
        Count.Hit("Exact.Loading.Target(int)");
        if (n == 13)
        {
            Count.Thrown("Exact.Loading.Target(int)");
            throw new InvalidOperationException("thirteen");
        }
        return n * 2;
    }

    private static void Dynamic()
    {
        Count.Hit("Exact.Loading.Dynamic()");
        MethodInfo target = typeof(Loading).GetMethod(nameof(Target), BindingFlags.NonPublic | BindingFlags.Static);
        var method = new DynamicMethod("made", typeof(int), [typeof(int)], typeof(Loading).Module);
        ILGenerator il = method.GetILGenerator();
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Call, target);
        il.Emit(OpCodes.Ldc_I4_1);
        il.Emit(OpCodes.Add);
        il.Emit(OpCodes.Ret);
        var made = method.CreateDelegate<Func<int, int>>();
        int sum = 0;
        int failed = 0;
        for (int i = 0; i < 50; i++)
        {
            try
            {
                sum += made(i);
            }
            catch (InvalidOperationException)
            {
                failed++;
            }
        }
        Console.WriteLine($"dynamic {sum} failed {failed}");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference Load(string plugin, bool fromMemory)
    {
        Count.Hit("Exact.Loading.Load(string, bool)");
        var context = new AssemblyLoadContext("plugin", isCollectible: true);
        Assembly assembly;
        if (fromMemory)
        {
            using var stream = new MemoryStream(File.ReadAllBytes(plugin));
            assembly = context.LoadFromStream(stream);
        }
        else
        {
            assembly = context.LoadFromAssemblyPath(Path.GetFullPath(plugin));
        }
        // Known by construction: Work calls Step once for each number below its argument.
        Count.Add("Plugin.Worker.Work(int)", 1);
        Count.Add("Plugin.Worker.Step(int)", 20);
        object result = assembly.GetType("Plugin.Worker").GetMethod("Work").Invoke(null, [20]);
        Console.WriteLine($"plugin {result}");
        context.Unload();
        return new WeakReference(context);
    }

    private const int Dead = 300;
    private static int finalized;

    private sealed class Mortal
    {
        ~Mortal()
        {
            Count.Hit("Exact.Loading.Mortal.Finalize()");
            try
            {
                Fade(Interlocked.Increment(ref finalized));
            }
            catch (InvalidOperationException)
            {
                Interlocked.Increment(ref failed);
            }
        }

        private static int failed;

        private static void Fade(int n)
        {
            Count.Hit("Exact.Loading.Mortal.Fade(int)");
            if (n % 3 == 0)
            {
                Count.Thrown("Exact.Loading.Mortal.Fade(int)");
                throw new InvalidOperationException();
            }
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Make(int count)
    {
        Count.Hit("Exact.Loading.Make(int)");
        Count.Add("Exact.Loading.Mortal..ctor()", count);
        for (int i = 0; i < count; i++)
        {
            _ = new Mortal();
        }
    }

    private static void Finalizers()
    {
        Count.Hit("Exact.Loading.Finalizers()");
        // On a thread of its own, so that no old stack slot keeps an object alive.
        var thread = new Thread(() =>
        {
            Count.Hit("Exact.Loading.Finalizers.lambda#1()");
            Make(Dead);
        });
        thread.Start();
        thread.Join();
        for (int wait = 0; Volatile.Read(ref finalized) < Dead && wait < 100; wait++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
        Console.WriteLine($"finalized {finalized}");
    }
}
