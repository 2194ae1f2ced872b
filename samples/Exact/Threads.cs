// Many threads at once: 2,000 alive together, the pool, Parallel, timers, thread statics.
namespace Exact;

internal static class Threads
{
    private const int Many = 2_000;
    private static int done;

    public static void Run()
    {
        Count.Hit("Exact.Threads.Run()");
        Crowd();
        Pool();
        InParallel();
        Pairs();
        Console.WriteLine($"done {done}");
    }

    private static void Crowd()
    {
        Count.Hit("Exact.Threads.Crowd()");
        using var all = new CountdownEvent(Many);
        using var go = new ManualResetEventSlim();
        var threads = new Thread[Many];
        for (int i = 0; i < Many; i++)
        {
            int id = i;
            threads[i] = new Thread(() =>
            {
                Count.Hit("Exact.Threads.Crowd.lambda#1()");
                all.Signal();
                go.Wait();
                Member(id);
            }, 128 * 1024);
            threads[i].Start();
        }
        all.Wait();
        go.Set();
        foreach (Thread thread in threads)
        {
            thread.Join();
        }
    }

    private static void Member(int id)
    {
        Count.Hit("Exact.Threads.Member(int)");
        for (int i = 0; i < id % 10; i++)
        {
            Increment();
        }
    }

    private static void Increment()
    {
        Count.Hit("Exact.Threads.Increment()");
        Interlocked.Increment(ref done);
    }

    private static void Pool()
    {
        Count.Hit("Exact.Threads.Pool()");
        using var all = new CountdownEvent(500);
        for (int i = 0; i < 500; i++)
        {
            ThreadPool.QueueUserWorkItem(state =>
            {
                Count.Hit("Exact.Threads.Pool.lambda#1(object)");
                Member((int)state);
                all.Signal();
            }, i);
        }
        all.Wait();
    }

    private static void InParallel()
    {
        Count.Hit("Exact.Threads.InParallel()");
        Parallel.For(0, 5_000, n =>
        {
            Count.Hit("Exact.Threads.InParallel.lambda#1(int)");
            Increment();
        });
    }

    [ThreadStatic] private static int own;

    // Two threads calling hard at the same time.
    private static void Pairs()
    {
        Count.Hit("Exact.Threads.Pairs()");
        var threads = new Thread[2];
        for (int i = 0; i < threads.Length; i++)
        {
            threads[i] = new Thread(Busy) { Name = "busy " + i };
            threads[i].Start();
        }
        foreach (Thread thread in threads)
        {
            thread.Join();
        }
    }

    private static void Busy()
    {
        Count.Hit("Exact.Threads.Busy()");
        for (int i = 0; i < 50_000; i++)
        {
            Tick();
        }
        Interlocked.Add(ref done, own);
    }

    private static void Tick()
    {
        Count.Hit("Exact.Threads.Tick()");
        own++;
    }
}
