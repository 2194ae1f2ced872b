// Runs asynchronous code on the calling thread only, so that the order of events is fixed.
using System.Collections.Concurrent;

namespace Features;

internal sealed class SingleThread : SynchronizationContext
{
    private readonly BlockingCollection<(SendOrPostCallback Call, object State)> calls = new();

    public override void Post(SendOrPostCallback call, object state)
    {
        calls.Add((call, state));
    }

    public static void Run(Func<Task> work)
    {
        var context = new SingleThread();
        SynchronizationContext before = Current;
        SetSynchronizationContext(context);
        try
        {
            Task task = work();
            Task ended = task.ContinueWith(_ => context.calls.CompleteAdding(), TaskScheduler.Default);
            foreach ((SendOrPostCallback call, object state) in context.calls.GetConsumingEnumerable())
            {
                call(state);
            }
            ended.Wait(); // so that a recording always has its end
            task.GetAwaiter().GetResult();
        }
        finally
        {
            SetSynchronizationContext(before);
        }
    }
}
