// Async iterators: awaited to the end, broken off, enumerated twice; await using.
using System.Runtime.CompilerServices;
using Outside;

namespace Logical;

internal static class Streams
{
    private sealed class Resource : IAsyncDisposable
    {
        public async ValueTask DisposeAsync()
        {
            Frame frame = Oracle.EnterAsync();
            await Pump.Turn(); frame.Ran();
            frame.End();
        }
    }

    private static async IAsyncEnumerable<int> Counted(int count)
    {
        Frame frame = Oracle.EnterIterator();
        for (int i = 0; i < count; i++)
        {
            await Item(i); frame.Ran();
            yield return i;
            frame.Asked();
        }
        frame.End();
    }

    private static async IAsyncEnumerable<int> Ready(int count)
    {
        Frame frame = Oracle.EnterIterator();
        for (int i = 0; i < count; i++)
        {
            await Task.CompletedTask;
            yield return i;
            frame.Asked();
        }
        frame.End();
    }

    // If it is broken off, its finally runs because the caller disposes of it.
    private static async IAsyncEnumerable<int> Guarded(int count, [EnumeratorCancellation] CancellationToken token = default)
    {
        Frame frame = Oracle.EnterIterator();
        bool all = false;
        try
        {
            for (int i = 0; i < count; i++)
            {
                await Pump.Turn(); frame.Ran();
                yield return i;
                frame.Asked();
            }
            all = true;
        }
        finally
        {
            if (!all)
            {
                frame.Asked();
            }
            await Pump.Turn(); frame.Ran();
            frame.End();
        }
    }

    private static async Task Item(int n)
    {
        Frame frame = Oracle.EnterAsync();
        await Pump.Turn(); frame.Ran();
        frame.End();
    }

    private static async Task Whole()
    {
        Frame frame = Oracle.EnterAsync();
        Oracle.Calls(nameof(Counted));
        int line = Oracle.Here(); await foreach (int n in Counted(5))
        {
            frame.Ran(line);
        }
        Oracle.Calls(nameof(Ready));
        await foreach (int n in Ready(5))
        {
        }
        frame.End();
    }

    private static async Task Broken()
    {
        Frame frame = Oracle.EnterAsync();
        Oracle.Calls(nameof(Guarded));
        int line = Oracle.Here(); await foreach (int n in Guarded(5))
        {
            frame.Ran(line);
            if (n == 2)
            {
                break;
            }
        }
        frame.Ran(line); // of the dispose
        frame.End();
    }

    private static async Task Twice()
    {
        Frame frame = Oracle.EnterAsync();
        Oracle.Calls(nameof(Counted));
        IAsyncEnumerable<int> counted = Counted(3);
        for (int i = 0; i < 2; i++)
        {
            int line = Oracle.Here(); await foreach (int n in counted)
            {
                frame.Ran(line);
            }
        }
        frame.End();
    }

    private static async Task Using()
    {
        Frame frame = Oracle.EnterAsync();
        await using (new Resource()) { await Item(1); frame.Ran(); } frame.Ran();
        frame.End();
    }

    public static async Task All()
    {
        Frame frame = Oracle.EnterAsync();
        for (int i = 0; i < 20; i++)
        {
            await Whole(); frame.Ran();
            await Broken(); frame.Ran();
            await Twice(); frame.Ran();
            await Using(); frame.Ran();
        }
        frame.End();
    }
}
