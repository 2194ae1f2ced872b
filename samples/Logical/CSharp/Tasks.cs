// Task, Task<T>, ValueTask, ValueTask<T>, pooled ones, and those that complete at once.
using System.Runtime.CompilerServices;
using Outside;

namespace Logical;

internal static class Tasks
{
    private const int Times = 200;

    public static async Task All()
    {
        Frame frame = Oracle.EnterAsync();
        int sum = 0;
        for (int i = 0; i < Times; i++)
        {
            await Plain(i % 3); frame.Ran();
            sum += await Number(i); frame.Ran();
            await Value(); frame.Ran();
            sum += await NumberValue(i); frame.Ran();
            sum += await AtOnce(i);
            await AtOnceValue();
            await Configured(i).ConfigureAwait(false); frame.Ran();
        }
        await Pool(); frame.Ran();
        frame.End();
    }

    private static async Task Plain(int turns)
    {
        Frame frame = Oracle.EnterAsync();
        await Pump.Turn(); frame.Ran();
        for (int i = 0; i < turns; i++)
        {
            await Pump.Turn(); frame.Ran();
        }
        frame.End();
    }

    private static async Task<int> Number(int n)
    {
        Frame frame = Oracle.EnterAsync();
        await Plain(0); frame.Ran();
        await Plain(1); frame.Ran();
        frame.End();
        return n;
    }

    private static async ValueTask Value()
    {
        Frame frame = Oracle.EnterAsync();
        await Pump.Turn(); frame.Ran();
        frame.End();
    }

    private static async ValueTask<int> NumberValue(int n)
    {
        Frame frame = Oracle.EnterAsync();
        await Value(); frame.Ran();
        frame.End();
        return n;
    }

    private static async Task<int> AtOnce(int n)
    {
        Frame frame = Oracle.EnterAsync();
        await Task.CompletedTask;
        await AtOnceValue();
        frame.End();
        return n;
    }

    private static async ValueTask AtOnceValue()
    {
        Frame frame = Oracle.EnterAsync();
        await default(ValueTask);
        frame.End();
    }

    private static async Task<int> Configured(int n)
    {
        Frame frame = Oracle.EnterAsync();
        await Plain(0).ConfigureAwait(false); frame.Ran();
        await AtOnce(n).ConfigureAwait(false);
        frame.End();
        return n;
    }

    // Task.Yield and timers of the thread pool. The last wait returns to the pump.
    private static async Task Pool()
    {
        Frame frame = Oracle.EnterAsync();
        await Pump.Turn(); frame.Ran();
        for (int i = 0; i < 100; i++)
        {
            await Task.Yield(); frame.Ran();
        }
        await Task.Delay(20); frame.Ran();
        await Pump.Turn(); frame.Ran();
        frame.End();
    }

    public static async Task AllPooled()
    {
        Frame frame = Oracle.EnterAsync();
        int sum = 0;
        for (int i = 0; i < Times; i++)
        {
            await Pooled(); frame.Ran();
            sum += await PooledNumber(i); frame.Ran();
            await PooledAtOnce();
        }
        var several = new ValueTask<int>[20];
        for (int i = 0; i < several.Length; i++)
        {
            several[i] = PooledNumber(i);
        }
        sum += await several[0]; frame.Ran();
        for (int i = 1; i < several.Length; i++)
        {
            await new Surely(several[i].AsTask()); frame.Ran();
        }
        frame.End();
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private static async ValueTask Pooled()
    {
        Frame frame = Oracle.EnterAsync();
        await Pump.Turn(); frame.Ran();
        await Pump.Turn(); frame.Ran();
        frame.End();
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private static async ValueTask<int> PooledNumber(int n)
    {
        Frame frame = Oracle.EnterAsync();
        await Pooled(); frame.Ran();
        frame.End();
        return n;
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private static async ValueTask PooledAtOnce()
    {
        Frame frame = Oracle.EnterAsync();
        await Task.CompletedTask;
        frame.End();
    }
}
