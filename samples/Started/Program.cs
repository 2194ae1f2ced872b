// Work that is handed over to be run elsewhere. Each method By* hands a delegate to one of the runtime's own members that do so,
// and nothing else calls what it is of; each Not* does something of which a reader of the code cannot be as sure. At the end it
// prints how often what By* handed over was called on threads of the pool other than the one that handed it over.
using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

internal static class Program
{
    private static int s_started;

    private static async Task Main()
    {
        using var ended = new CountdownEvent(1);
        await ByTaskRun(1);
        await ByAsync();
        await ByGroup();
        await ByLocal();
        await ByFactory();
        await ByTask();
        await ByContinuation();
        await BySecond();
        await ByThird();
        ByPool(ended);
        ByUnsafePool(ended);
        ByThread();
        ByTimer(ended);
        BySystemTimer(ended);
        ByRegistration(ended);
        ByParallel();
        await NotVariable();
        await NotBoth();
        await NotGeneric(1);
        await NotPublic();
        await NotChosen(s_started > 0);
        NotVirtual(ended, new Derived());
        ended.Signal();
        ended.Wait();
        Console.WriteLine($"started: {s_started}");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Started() => Interlocked.Increment(ref s_started);

    private static Task ByTaskRun(int more)
    {
        return Task.WhenAll(Task.Run(() => Started()), Task.Run(() => { Started(); return more; }));
    }

    private static Task ByAsync()
    {
        return Task.Run(async () => { Started(); await Task.Yield(); return 1; });
    }

    private static Task ByGroup() => Task.Run(GroupOfByGroup);

    private static void GroupOfByGroup() => Started();

    private static Task ByLocal()
    {
        int calls = 0;
        return Task.Run(Local);

        async Task Local()
        {
            calls++;
            Started();
            await Task.Delay(1);
        }
    }

    private static Task ByFactory() => Task.Factory.StartNew(state => Started(), 1, CancellationToken.None, TaskCreationOptions.None, TaskScheduler.Default);

    private static Task ByTask()
    {
        var task = new Task(() => Started());
        task.Start(TaskScheduler.Default);
        return task;
    }

    private static Task ByContinuation() => Task.Delay(1).ContinueWith(_ => Started(), TaskScheduler.Default);

    private static Task BySecond() => Task.Run(SharedBySeveral);

    private static Task ByThird() => Task.Run(SharedBySeveral);

    private static void SharedBySeveral() => Started();

    private static void ByPool(CountdownEvent ended)
    {
        ended.AddCount();
        ThreadPool.QueueUserWorkItem(_ => { Started(); ended.Signal(); });
    }

    private static void ByUnsafePool(CountdownEvent ended)
    {
        ended.AddCount();
        ThreadPool.UnsafeQueueUserWorkItem(static left => { Started(); left.Signal(); }, ended, false);
    }

    private static void ByThread()
    {
        var thread = new Thread(() => Console.Out.Flush());
        thread.Start();
        thread.Join();
    }

    private static void ByTimer(CountdownEvent ended)
    {
        Timer timer = null;
        ended.AddCount();
        timer = new Timer(_ => { Started(); timer.Dispose(); ended.Signal(); }, null, 50, Timeout.Infinite);
    }

    private static void BySystemTimer(CountdownEvent ended)
    {
        var timer = new System.Timers.Timer(20) { AutoReset = false };
        ended.AddCount();
        timer.Elapsed += (_, _) => { Started(); ended.Signal(); };
        timer.Start();
    }

    private static void ByRegistration(CountdownEvent ended)
    {
        var source = new CancellationTokenSource();
        ended.AddCount();
        source.Token.Register(() => { Started(); ended.Signal(); });
        source.CancelAfter(10);
    }

    private static void ByParallel()
    {
        int here = Environment.CurrentManagedThreadId; // it calls some itself
        Parallel.For(0, 100, i =>
        {
            if (Environment.CurrentManagedThreadId != here)
            {
                Started();
            }
            Thread.Sleep(i % 2);
        });
    }

    private static async Task NotVariable()
    {
        Func<Task> work = async () => await Task.Yield();
        await Task.Run(work);
    }

    private static async Task NotBoth()
    {
        Action kept = BothOfNot;
        await Task.Run(BothOfNot);
        await Task.Run(kept);
    }

    private static void BothOfNot() => Console.Out.Flush();

    private static Task NotGeneric<T>(T value) => Task.Run(() => value.ToString());

    private static Task NotPublic() => Task.Run(Open.WorkOfNot);

    private static Task NotChosen(bool first)
    {
        Action work = first ? () => Console.Out.Flush() : () => Console.Error.Flush();
        return Task.Run(work);
    }

    private static void NotVirtual(CountdownEvent ended, Derived derived)
    {
        ended.AddCount();
        ThreadPool.QueueUserWorkItem(derived.WorkOfNot, ended, false);
    }
}

public static class Open
{
    public static void WorkOfNot() => Console.Out.Flush();
}

internal class Base
{
    public virtual void WorkOfNot(CountdownEvent ended) => ended.Signal();
}

internal sealed class Derived : Base
{
    public override void WorkOfNot(CountdownEvent ended) => base.WorkOfNot(ended);
}
