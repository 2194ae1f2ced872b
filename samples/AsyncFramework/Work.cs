// Channels, loops in parallel, cancellation.
using System.Threading.Channels;

namespace AsyncFramework;

internal static class Work
{
    public static async Task<string> Channels()
    {
        Channel<int> bounded = Channel.CreateBounded<int>(16);
        Channel<int> results = Channel.CreateUnbounded<int>();
        Task[] producers = Enumerable.Range(0, 4).Select(number => Produce(bounded.Writer, number)).ToArray();
        Task[] consumers = Enumerable.Range(0, 3).Select(_ => Consume(bounded.Reader, results.Writer)).ToArray();
        await Task.WhenAll(producers);
        bounded.Writer.Complete();
        await Task.WhenAll(consumers);
        results.Writer.Complete();
        long sum = 0, count = 0;
        while (await results.Reader.WaitToReadAsync())
        {
            while (results.Reader.TryRead(out int value))
            {
                sum += value;
                count++;
            }
        }
        return $"{count} values, sum {sum}";
    }

    private static async Task Produce(ChannelWriter<int> writer, int number)
    {
        for (int i = 0; i < 1000; i++)
        {
            await writer.WriteAsync(number * 1000 + i);
        }
    }

    private static async Task Consume(ChannelReader<int> reader, ChannelWriter<int> results)
    {
        await foreach (int value in reader.ReadAllAsync())
        {
            await results.WriteAsync(value * 2);
        }
    }

    public static async Task<string> InParallel()
    {
        long sum = 0, failures = 0;
        var options = new ParallelOptions { MaxDegreeOfParallelism = 4 };
        await Parallel.ForEachAsync(Enumerable.Range(1, 2000), options, async (n, token) =>
        {
            await Task.Yield();
            Interlocked.Add(ref sum, await Square(n, token));
        });
        await Parallel.ForAsync(0, 500, options, async (n, token) => Interlocked.Add(ref sum, await Square(n, token)));
        await Parallel.ForEachAsync(Numbers(), options, async (n, token) => Interlocked.Add(ref sum, await Square(n, token)));
        try
        {
            await Parallel.ForEachAsync(Enumerable.Range(0, 100), options, async (n, token) =>
            {
                await Task.Yield();
                throw new InvalidOperationException("in parallel");
            });
        }
        catch (InvalidOperationException)
        {
            failures++;
        }
        return $"sum {sum}, {failures} failures";
    }

    private static async ValueTask<long> Square(int n, CancellationToken token)
    {
        if (n % 3 == 0)
        {
            await Task.Delay(0, token);
            await Task.Yield();
        }
        return (long)n * n;
    }

    private static async IAsyncEnumerable<int> Numbers()
    {
        for (int i = 0; i < 200; i++)
        {
            await Task.Yield();
            yield return i;
        }
    }

    public static async Task<string> Cancelled()
    {
        int cancelled = 0, timedOut = 0, done = 0;
        using var gate = new SemaphoreSlim(0);
        for (int i = 0; i < 50; i++)
        {
            using var source = new CancellationTokenSource();
            using var linked = CancellationTokenSource.CreateLinkedTokenSource(source.Token);
            Task[] waiting = [gate.WaitAsync(linked.Token), Endless(linked.Token), Sleeping(source.Token), Ticking(linked.Token)];
            source.Cancel();
            foreach (Task one in waiting)
            {
                cancelled += await Ends<OperationCanceledException>(one);
            }
            timedOut += await Ends<TimeoutException>(new TaskCompletionSource().Task.WaitAsync(TimeSpan.FromMilliseconds(1)));
            Task<bool> entered = gate.WaitAsync(60_000);
            gate.Release();
            done += await entered ? 1 : 0;
        }
        return $"{cancelled} cancelled, {timedOut} timed out, {done} done";
    }

    private static async Task<int> Ends<T>(Task task) where T : Exception
    {
        try
        {
            await task;
            return 0;
        }
        catch (T)
        {
            return 1;
        }
    }

    private static async Task Endless(CancellationToken token) => await new TaskCompletionSource().Task.WaitAsync(token);

    private static async Task Sleeping(CancellationToken token)
    {
        await Task.Yield();
        await Task.Delay(Timeout.Infinite, token);
    }

    private static async Task Ticking(CancellationToken token)
    {
        using var timer = new PeriodicTimer(TimeSpan.FromHours(1));
        await timer.WaitForNextTickAsync(token);
    }
}
