// Threads that run what is posted to them, and awaiters that surely suspend.
using System.Collections.Concurrent;
using System.Runtime.CompilerServices;

namespace Outside;

// A thread of the pump runs one piece of work after the other. What awaits Pump.Turn() in a piece goes on only after that piece
// has ended on its thread: by then, all callers on the stack have suspended in their awaits.
public static class Pump
{
    private static readonly BlockingCollection<Action> work = [];

    [ThreadStatic]
    private static List<Action>? turned; // null: not a thread of the pump

    public static Turning Turn() => default;

    public static void Post(Action piece) => work.Add(piece);

    public static void PostAfterPiece(Action piece)
    {
        if (turned == null)
        {
            Post(piece);
        }
        else
        {
            turned.Add(piece);
        }
    }

    private static void Work()
    {
        turned = [];
        foreach (Action piece in work.GetConsumingEnumerable())
        {
            piece();
            foreach (Action next in turned)
            {
                Post(next);
            }
            turned.Clear();
        }
    }

    // Runs a part on this many threads until its task is complete.
    public static void Run(int threads, Func<Task> part)
    {
        var workers = new Thread[threads];
        for (int i = 0; i < threads; i++)
        {
            workers[i] = new Thread(Work);
            workers[i].UnsafeStart();
        }
        Task? all = null;
        using var began = new ManualResetEventSlim();
        using (ExecutionContext.SuppressFlow())
        {
            Post(() =>
            {
                all = part();
                began.Set();
            });
        }
        began.Wait();
        all!.GetAwaiter().GetResult();
        work.CompleteAdding();
        foreach (Thread worker in workers)
        {
            worker.Join();
        }
    }
}

public readonly struct Turning : ICriticalNotifyCompletion
{
    public Turning GetAwaiter() => this;

    public bool IsCompleted => false;

    public void OnCompleted(Action goOn) => Pump.PostAfterPiece(goOn);

    public void UnsafeOnCompleted(Action goOn) => Pump.PostAfterPiece(goOn);

    public void GetResult()
    {
    }
}

// Suspends even if the task is complete, and goes on on the pump. Failures remain in the task.
public readonly struct Surely(Task task) : ICriticalNotifyCompletion
{
    private readonly Task task = task;

    public Surely GetAwaiter() => this;

    public bool IsCompleted => false;

    public void OnCompleted(Action goOn) => UnsafeOnCompleted(goOn);

    public void UnsafeOnCompleted(Action goOn) => task.ContinueWith(static (_, state) => Pump.PostAfterPiece((Action)state!), goOn,
        CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);

    public void GetResult()
    {
    }
}

// Keeps all that await it until it opens; then they go on on the pump.
public sealed class Gate : ICriticalNotifyCompletion
{
    private readonly ConcurrentQueue<Action> waiting = new();

    public int Waiting => waiting.Count;

    public Gate GetAwaiter() => this;

    public bool IsCompleted => false;

    public void OnCompleted(Action goOn) => waiting.Enqueue(goOn);

    public void UnsafeOnCompleted(Action goOn) => waiting.Enqueue(goOn);

    public void GetResult()
    {
    }

    public void Open()
    {
        while (waiting.TryDequeue(out Action? goOn))
        {
            Pump.PostAfterPiece(goOn);
        }
    }
}

// Collects garbage until the program ends.
public static class Storm
{
    public static volatile int Seen;

    public static void Begin() => new Thread(Blow) { IsBackground = true }.UnsafeStart();

    private static void Blow()
    {
        var kept = new Queue<object>();
        for (int i = 0; ; i++)
        {
            kept.Enqueue(new byte[100 + i % 1000]);
            if (kept.Count > 1000)
            {
                kept.Dequeue();
            }
            if (i % 100 == 0)
            {
                GC.Collect(i / 100 % 3, GCCollectionMode.Forced, blocking: i % 300 == 0, compacting: i % 600 == 0);
                Seen++;
                Thread.Yield();
            }
        }
    }
}
