// Measures the cost of a call, in a loop over a tiny method and in recursion. bench/run compares the times with and without
// clew. Usage: Calls CALLS REPETITIONS; with 0 calls the program only starts and ends.
using System.Diagnostics;
using System.Runtime.CompilerServices;

static class Calls
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Add(int a, int b) => a + b;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Fib(int n) => n < 2 ? n : Fib(n - 1) + Fib(n - 2);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Loop(long calls)
    {
        int sum = 0;
        for (long i = 0; i < calls; i++)
        {
            sum = Add(sum, (int)i);
        }
        return sum;
    }

    // Calls that Fib(n) makes, itself included: 2 F(n + 1) - 1.
    static long FibCalls(int n)
    {
        long a = 0, b = 1;
        for (int i = 0; i < n; i++)
        {
            (a, b) = (b, a + b);
        }
        return 2 * b - 1;
    }

    static double BestNs(int repetitions, long calls, Action work)
    {
        double best = double.MaxValue;
        for (int i = 0; i < repetitions; i++)
        {
            var watch = Stopwatch.StartNew();
            work();
            best = Math.Min(best, watch.Elapsed.TotalNanoseconds / calls);
        }
        return best;
    }

    static void WarmUp()
    {
        for (int i = 0; i < 3; i++)
        {
            Loop(100_000);
            Fib(20);
            Thread.Sleep(200); // the tiers are compiled in the background
        }
    }

    static string PeakKib() =>
        File.ReadLines("/proc/self/status").First(line => line.StartsWith("VmHWM:")).Split(' ', StringSplitOptions.RemoveEmptyEntries)[1];

    static void Main(string[] arguments)
    {
        long calls = long.Parse(arguments[0]);
        int repetitions = int.Parse(arguments[1]);
        if (calls > 0)
        {
            int n = 1;
            while (FibCalls(n + 1) <= calls)
            {
                n++;
            }
            WarmUp();
            FormattableString loop = $"loop_ns {BestNs(repetitions, calls, () => Loop(calls)):F3}";
            FormattableString fib = $"fib_ns {BestNs(repetitions, FibCalls(n), () => Fib(n)):F3}";
            Console.WriteLine(FormattableString.Invariant(loop));
            Console.WriteLine(FormattableString.Invariant(fib));
        }
        Console.WriteLine($"peak_kib {PeakKib()}");
    }
}
