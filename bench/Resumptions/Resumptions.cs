// Async activations that wait once and are resumed by the thread pool, at most so many a second: a worker for each processor does
// the same amount of work before each wait. What a tool costs shows as fewer resumptions. Usage: Resumptions PER_SECOND SECONDS
using System.Diagnostics;
using System.Runtime.CompilerServices;

static class Resumptions
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Work(long ticks)
    {
        long end = Stopwatch.GetTimestamp() + ticks;
        while (Stopwatch.GetTimestamp() < end)
        {
        }
    }

    static async Task<int> Step(long ticks)
    {
        Work(ticks);
        await Task.Yield();
        return 1;
    }

    // Returns the number of its resumptions.
    static async Task<long> Run(long ticks, Stopwatch watch, double seconds)
    {
        long count = 0;
        while (watch.Elapsed.TotalSeconds < seconds)
        {
            count += await Step(ticks);
        }
        return count;
    }

    static async Task Main(string[] arguments)
    {
        int perSecond = int.Parse(arguments[0]), workers = Environment.ProcessorCount;
        double seconds = double.Parse(arguments[1]);
        long ticks = Stopwatch.Frequency * workers / perSecond;
        foreach (double time in new[] { 0.5, seconds }) // the first one compiles
        {
            var watch = Stopwatch.StartNew();
            long[] counts = await Task.WhenAll(Enumerable.Range(0, workers).Select(_ => Task.Run(() => Run(ticks, watch, time))));
            Console.WriteLine(FormattableString.Invariant($"resumptions {counts.Sum()}"));
            Console.WriteLine(FormattableString.Invariant($"per_second {counts.Sum() / watch.Elapsed.TotalSeconds:F0}"));
        }
    }
}
