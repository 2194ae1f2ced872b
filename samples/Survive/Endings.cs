// Ends of the process that no handler can observe.
using System.Runtime.CompilerServices;

namespace Survive;

internal static class Endings
{
    // Exits before Main, after SURVIVE_EXIT microseconds; 0: at once.
    [ModuleInitializer]
    internal static void ExitEarly()
    {
        if (Environment.GetEnvironmentVariable("SURVIVE_EXIT") is not { } text)
        {
            return;
        }
        int microseconds = int.Parse(text);
        if (microseconds == 0)
        {
            Environment.Exit(23);
        }
        new Thread(() =>
        {
            var clock = System.Diagnostics.Stopwatch.StartNew();
            while (clock.Elapsed.TotalMicroseconds < microseconds)
            {
                Program.Quiet(1);
            }
            Environment.Exit(24);
        }).Start();
    }

    // For who waits until ExitEarly is through with it.
    public static void Wait() => Thread.Sleep(Timeout.Infinite);

    public static void Crash(string how)
    {
        if (how == "null")
        {
            Native.Crash();
        }
        Native.CrashBy(int.Parse(how));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Overflow(int n) => n == -1 ? 0 : 1 + Overflow(n + 1);

    private sealed class Fatal
    {
        ~Fatal() => Environment.FailFast("a finalizer gives up");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Drop() => GC.KeepAlive(new Fatal());

    public static void FailFastInFinalizer()
    {
        Drop();
        GC.Collect();
        GC.WaitForPendingFinalizers();
        Thread.Sleep(Timeout.Infinite);
    }

    private static class Static
    {
        public static readonly int Value = Leave();

        private static int Leave()
        {
            Program.Quiet(100);
            Environment.Exit(21);
            return 1;
        }
    }

    public static void ExitInStaticConstructor() => Console.WriteLine($"never: {Static.Value}");

    // The first thread decides; all pass the same status.
    public static void ExitEverywhere()
    {
        using var together = new Barrier(8);
        for (int i = 0; i < 8; i++)
        {
            new Thread(() =>
            {
                Program.Quiet(1000);
                together.SignalAndWait();
                Environment.Exit(22);
            }).Start();
        }
        Thread.Sleep(Timeout.Infinite);
    }
}
