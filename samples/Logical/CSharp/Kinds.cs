// Every kind of end by an exception: thrown by the method itself, by a callee before or after a suspension, by what is no method of the
// program; with and without a try around the await.
using Outside;

namespace Logical;

internal static class Kinds
{
    private const int Times = 20;
    private static readonly bool never = Times < 0;

    private static async Task<int> AtOnce()
    {
        Frame frame = Oracle.EnterAsync();
        await Task.CompletedTask;
        frame.Faults();
        throw new InvalidOperationException("at once");
    }

    private static async Task<int> PassAtOnce()
    {
        Frame frame = Oracle.EnterAsync();
        frame.Faults(Ending.AtOnce);
        return await AtOnce();
    }

    private static async Task<int> Late()
    {
        Frame frame = Oracle.EnterAsync();
        await Pump.Turn(); frame.Ran();
        frame.Faults();
        throw new InvalidOperationException("late");
    }

    private static async Task<int> NoTry()
    {
        Frame frame = Oracle.EnterAsync();
        frame.Dies(Ending.Callee); return await Late();
    }

    private static async ValueTask<int> NoTryAbove()
    {
        Frame frame = Oracle.EnterAsync();
        await Pump.Turn(); frame.Ran();
        frame.Dies(Ending.Callee); return await NoTry().ConfigureAwait(false);
    }

    private static async Task NoTryAtTop()
    {
        Frame frame = Oracle.EnterAsync();
        frame.Dies(Ending.Callee); await NoTryAbove();
    }

    // One of its awaits lies in a try, the one that fails does not.
    private static async Task BesideTry()
    {
        Frame frame = Oracle.EnterAsync();
        try
        {
            await Pump.Turn(); frame.Ran();
        }
        finally
        {
            Use();
        }
        frame.Dies(Ending.Callee); await Late();
    }

    private static async Task Catches()
    {
        Frame frame = Oracle.EnterAsync();
        int line = Oracle.Here() + 3;
        try
        {
            await NoTryAtTop();
        }
        catch (InvalidOperationException)
        {
            frame.FaultsAfter(line, Ending.CalleeCatch);
            throw;
        }
    }

    private static async Task Cleans()
    {
        Frame frame = Oracle.EnterAsync();
        int line = Oracle.Here() + 3;
        try
        {
            await BesideTry();
        }
        finally
        {
            frame.FaultsAfter(line, Ending.CalleeFinally);
        }
    }

    private static async Task Filters()
    {
        Frame frame = Oracle.EnterAsync();
        int line = Oracle.Here() + 3;
        try
        {
            await Late();
        }
        catch (InvalidOperationException) when (frame.FaultsAfter(line, Ending.CalleeFilter))
        {
        }
    }

    private static async Task Mismatched()
    {
        Frame frame = Oracle.EnterAsync();
        try
        {
            frame.Dies(Ending.CalleeOther); await Late();
        }
        catch (FormatException)
        {
            Use();
        }
    }

    private static async Task Empty()
    {
        Frame frame = Oracle.EnterAsync();
        try
        {
            frame.Dies(Ending.CalleeEmpty); await Late();
        }
        finally
        {
        }
    }

    // The JIT removes the finally block once it knows the constant.
    private static async Task Removable()
    {
        Frame frame = Oracle.EnterAsync();
        try
        {
            frame.Dies(Ending.CalleeEmpty); await Late();
        }
        finally
        {
            if (never)
            {
                Use();
            }
        }
    }

    private static void Use()
    {
        Frame frame = Oracle.Enter();
        frame.End();
    }

    private static async Task Delayed(CancellationToken token)
    {
        Frame frame = Oracle.EnterAsync();
        frame.Dies(Ending.TaskCancelled, cancelled: true); await Task.Delay(-1, token);
    }

    private static async Task AboveDelayed(CancellationToken token)
    {
        Frame frame = Oracle.EnterAsync();
        frame.Dies(Ending.Callee, cancelled: true); await Delayed(token);
    }

    private static async Task TimedOut(ManualTime time)
    {
        Frame frame = Oracle.EnterAsync();
        var never = new TaskCompletionSource();
        frame.Dies(Ending.TaskTimedOut); await never.Task.WaitAsync(TimeSpan.FromHours(1), time);
    }

    private static async Task Failed(Task<int> task)
    {
        Frame frame = Oracle.EnterAsync();
        frame.Dies(Ending.TaskFailed); await task;
    }

    private static async Task FailedConfigured(Task<int> task)
    {
        Frame frame = Oracle.EnterAsync();
        frame.Dies(Ending.TaskFailed); await task.ConfigureAwait(false);
    }

    private static async Task FailedCaught(Task<int> task)
    {
        Frame frame = Oracle.EnterAsync();
        int line = Oracle.Here() + 3;
        try
        {
            await task;
        }
        catch (InvalidOperationException)
        {
            frame.FaultsAfter(line, Ending.TaskCatch);
            throw;
        }
    }

    private static async Task Value(Task<int> task)
    {
        Frame frame = Oracle.EnterAsync();
        var value = new ValueTask<int>(task);
        frame.Dies(Ending.ValueFailed); await value;
    }

    private static async Task Sourced(FailingSource source)
    {
        Frame frame = Oracle.EnterAsync();
        frame.Dies(Ending.SourceFailed); await source.Task;
    }

    private static async Task SourcedCaught(FailingSource source)
    {
        Frame frame = Oracle.EnterAsync();
        int line = Oracle.Here() + 3;
        try
        {
            await source.Task;
        }
        catch (InvalidOperationException)
        {
            frame.FaultsAfter(line, Ending.SourceCatch);
            throw;
        }
    }

    private static async Task Silent(Silence silence)
    {
        Frame frame = Oracle.EnterAsync();
        frame.Dies(Ending.IoFailed); await silence.Read();
    }

    private static async Task SilentCaught(Silence silence)
    {
        Frame frame = Oracle.EnterAsync();
        int line = Oracle.Here() + 3;
        try
        {
            await silence.Read();
        }
        catch (Exception)
        {
            frame.FaultsAfter(line, Ending.IoCatch);
            throw;
        }
    }

    private static async Task Awaiter()
    {
        Frame frame = Oracle.EnterAsync();
        frame.Dies(Ending.AwaiterFailed); await new FailingTurn();
    }

    // An activation fails within the call by which another one of the same method fails its task.
    private static async Task FailsItself(Task<int>? task, TaskCompletionSource<int>? other)
    {
        Frame frame = Oracle.EnterAsync();
        if (task != null)
        {
            frame.Dies(Ending.TaskFailed); await task;
        }
        await Pump.Turn(); frame.Ran();
        other!.SetException(new InvalidOperationException("other"));
        await Pump.Turn(); frame.Ran();
        frame.End();
    }

    private static async Task CleansItself(Task<int>? task, TaskCompletionSource<int>? other)
    {
        Frame frame = Oracle.EnterAsync();
        int line = Oracle.Here() + 5;
        if (task != null)
        {
            try
            {
                await task;
            }
            finally
            {
                Use();
                frame.FaultsAfter(line, Ending.TaskFinally);
            }
        }
        await Pump.Turn(); frame.Ran();
        other!.SetException(new InvalidOperationException("other"));
        await Pump.Turn(); frame.Ran();
        frame.End();
    }

    private static void Keep(List<Task> tasks, Task task)
    {
        Frame frame = Oracle.Enter();
        tasks.Add(task);
        frame.End();
    }

    private static async Task Callees(List<Task> tasks)
    {
        Frame frame = Oracle.EnterAsync();
        Keep(tasks, AtOnce());
        Keep(tasks, PassAtOnce());
        Keep(tasks, NoTry());
        Keep(tasks, NoTryAtTop());
        Keep(tasks, BesideTry());
        Keep(tasks, Catches());
        Keep(tasks, Cleans());
        Keep(tasks, Filters());
        Keep(tasks, Mismatched());
        Keep(tasks, Empty());
        Keep(tasks, Removable());
        Keep(tasks, Awaiter());
        await Pump.Turn(); frame.Ran();
        frame.End();
    }

    private static async Task Leaves(List<Task> tasks)
    {
        Frame frame = Oracle.EnterAsync();
        using var cancel = new CancellationTokenSource();
        using Silence silence = new(), silent = new();
        var time = new ManualTime();
        var task = new TaskCompletionSource<int>();
        FailingSource source = new(), second = new();
        Keep(tasks, Delayed(cancel.Token));
        Keep(tasks, AboveDelayed(cancel.Token));
        Keep(tasks, TimedOut(time));
        Keep(tasks, Failed(task.Task));
        Keep(tasks, FailedConfigured(task.Task));
        Keep(tasks, FailedCaught(task.Task));
        Keep(tasks, Value(task.Task));
        Keep(tasks, Sourced(source));
        Keep(tasks, SourcedCaught(second));
        var other = new TaskCompletionSource<int>();
        var another = new TaskCompletionSource<int>();
        Keep(tasks, FailsItself(other.Task, null));
        Keep(tasks, CleansItself(another.Task, null));
        Keep(tasks, Silent(silence));
        Keep(tasks, SilentCaught(silent));
        await Pump.Turn(); frame.Ran();
        cancel.Cancel();
        time.Fire();
        task.SetException(new InvalidOperationException("task"));
        source.Fail();
        second.Fail();
        silence.Close();
        silent.Close();
        await FailsItself(null, other); frame.Ran();
        await CleansItself(null, another); frame.Ran();
        await new Surely(Task.WhenAll(tasks)); frame.Ran();
        frame.End();
    }

    public static async Task All()
    {
        Frame frame = Oracle.EnterAsync();
        for (int i = 0; i < Times; i++)
        {
            var tasks = new List<Task>();
            await Callees(tasks); frame.Ran();
            await Leaves(tasks); frame.Ran();
            foreach (Task task in tasks)
            {
                if (task.IsCompletedSuccessfully)
                {
                    throw new InvalidOperationException("not failed");
                }
            }
        }
        frame.End();
    }
}
