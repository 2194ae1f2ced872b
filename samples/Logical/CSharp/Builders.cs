// Methods of task-like types with other builders, and async void.
using Outside;

namespace Logical;

internal static class Builders
{
    public static async Task All()
    {
        Frame frame = Oracle.EnterAsync();
        for (int i = 0; i < 50; i++)
        {
            await Started(i); frame.Ran();
            await Owned(i); frame.Ran();
            await Nested(); frame.Ran();
            await Awaited(); frame.Ran();
        }
        frame.End();
    }

    private static async Eager<int> Started(int n)
    {
        Frame frame = Oracle.EnterAsync();
        await Pump.Turn(); frame.Ran();
        frame.End();
        return n;
    }

    private static async Own<int> Owned(int n)
    {
        Frame frame = Oracle.EnterAsync();
        await Started(n); frame.Ran();
        frame.End();
        return n;
    }

    private static async Task Nested()
    {
        Frame frame = Oracle.EnterAsync();
        await Owned(1); frame.Ran();
        frame.End();
    }

    private static async Lazy Awaited()
    {
        Frame frame = Oracle.EnterAsync();
        await Pump.Turn(); frame.Ran();
        await Nested(); frame.Ran();
        frame.End();
    }

    private static async void Fire(TaskCompletionSource done)
    {
        Frame frame = Oracle.EnterAsync();
        await Started(1); frame.Ran();
        done.SetResult();
        frame.End();
    }

    public static async Task Voids()
    {
        Frame frame = Oracle.EnterAsync();
        for (int i = 0; i < 50; i++)
        {
            var done = new TaskCompletionSource();
            Fire(done);
            await done.Task; frame.Ran();
        }
        frame.End();
    }
}
