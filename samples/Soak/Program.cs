// Works for a long time and keeps no memory: `Soak SECONDS [rest|leak|children|contexts]`. In each round threads come and go, objects
// live and die, exceptions are thrown and caught, collectible types come and go, variables get values of every kind.
//   leak      keeps 128 KiB per round, which a test must notice
//   children  starts a Soak of its own in each round, which does one round
//   contexts  loads this assembly again in every tenth round, into a context that is unloaded afterwards, and works there
using System.Diagnostics;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;

namespace Soak;

internal static class Program
{
    private static readonly List<byte[]> Kept = [];
    private static readonly byte[] Image = File.ReadAllBytes(typeof(Program).Assembly.Location);

    private static int Main(string[] args)
    {
        double seconds = double.Parse(args[0]);
        string how = args.Length > 1 ? args[1] : "rest";
        var clock = Stopwatch.StartNew();
        int rounds = 0;
        do
        {
            Round(rounds++);
            if (how == "contexts" && rounds % 10 == 0)
            {
                InContext(rounds / 10);
            }
            if (how == "leak")
            {
                Kept.Add(new byte[128 << 10]);
                Array.Fill(Kept[^1], (byte)rounds);
            }
            if (how == "children")
            {
                StartAnother();
            }
            if (seconds > 0)
            {
                Thread.Sleep(50);
            }
        }
        while (clock.Elapsed.TotalSeconds < seconds);
        Console.WriteLine("soak: success");
        return 0;
    }

    private static void Round(int round)
    {
        var threads = new Thread[3];
        var sums = new long[threads.Length];
        for (int i = 0; i < threads.Length; i++)
        {
            int number = i;
            threads[i] = new Thread(() => sums[number] = Work(round % 7, number));
            threads[i].Start();
        }
        foreach (Thread thread in threads)
        {
            thread.Join();
        }
        if (round % 10 == 0)
        {
            sums[0] += Made(round);
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
        if (sums[0] < 0)
        {
            throw new InvalidOperationException($"{sums[0]}");
        }
    }

    private sealed record Item(int Number, string Name, (int X, double Y) Point)
    {
        public Item? Next { get; set; }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long Work(int turn, int thread)
    {
        Item? items = null;
        object? box = null;
        long sum = 0;
        for (int i = 0; i < 100; i++)
        {
            items = new Item(i + turn, $"item {i % 5}", (i, thread / 2.0)) { Next = i % 10 == 0 ? null : items };
            box = items.Point;
            sum += items.Name.Length + Depth(items) + Tried(i);
        }
        return sum + (box is (int x, double _) ? x : 0);
    }

    private static int Depth(Item? item) => item == null ? 0 : 1 + Depth(item.Next);

    private static int Tried(int i)
    {
        try
        {
            return i % 20 == 0 ? throw new ArgumentException($"at {i % 3}") : i;
        }
        catch (ArgumentException thrown) when (thrown.Message.Length > 3)
        {
            return 1;
        }
        finally
        {
            Depth(null);
        }
    }

    // A collectible assembly with a type and a method; nothing holds it afterwards.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long Made(int round)
    {
        var assembly = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName($"Made{round % 3}"), AssemblyBuilderAccess.RunAndCollect);
        TypeBuilder type = assembly.DefineDynamicModule("Made").DefineType("Made", TypeAttributes.Public);
        ILGenerator code = type.DefineMethod("Get", MethodAttributes.Public | MethodAttributes.Static, typeof(long), []).GetILGenerator();
        code.Emit(OpCodes.Ldc_I8, (long)round);
        code.Emit(OpCodes.Ret);
        object made = type.CreateType().GetMethod("Get")!.Invoke(null, null)!;
        return (long)made;
    }

    // The loaded assembly works here as this one does; nothing holds it afterwards.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void InContext(int round)
    {
        var context = new AssemblyLoadContext($"context {round % 3}", isCollectible: true);
        Type program = context.LoadFromStream(new MemoryStream(Image)).GetType("Soak.Program")!;
        var work = program.GetMethod(nameof(Work), BindingFlags.NonPublic | BindingFlags.Static)!.CreateDelegate<Func<int, int, long>>();
        if (work(round % 7, 1) <= 0)
        {
            throw new InvalidOperationException("no work was done");
        }
        context.Unload();
    }

    private static void StartAnother()
    {
        var start = new ProcessStartInfo(Environment.ProcessPath!, [typeof(Program).Assembly.Location, "0"]) { RedirectStandardOutput = true };
        using Process child = Process.Start(start)!;
        child.StandardOutput.ReadToEnd();
        child.WaitForExit();
    }
}
