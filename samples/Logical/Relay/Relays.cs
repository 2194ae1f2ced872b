// Async methods of another assembly, which may be compiled in another way, that call the program's, which call them.
using Outside;

namespace Relay;

public interface IStep
{
    Task Step(int n);

    ValueTask<int> StepValue(int n);
}

public interface IHop
{
    Task Hop(int n);

    ValueTask<int> HopValue(int n);
}

public abstract class Steps : IStep
{
    public virtual async Task Step(int n)
    {
        Frame frame = Oracle.EnterAsync();
        await Pump.Turn(); frame.Ran();
        await StepValue(n - 1); frame.Ran();
        Relays.Use();
        frame.End();
    }

    public abstract ValueTask<int> StepValue(int n);
}

public static class Relays
{
    internal static void Use()
    {
        Frame frame = Oracle.Enter();
        frame.End();
    }

    public static async Task Pass(int n, Func<int, Task> next)
    {
        Frame frame = Oracle.EnterAsync();
        await next(n - 1); frame.Ran();
        Use();
        frame.End();
    }

    public static async ValueTask<int> PassValue(int n, Func<int, Task> next)
    {
        Frame frame = Oracle.EnterAsync();
        Use();
        await Pump.Turn(); frame.Ran();
        Use();
        await next(n - 1).ConfigureAwait(false); frame.Ran();
        frame.End();
        return n;
    }

    // Returns the task of another method.
    public static Task Forward(int n, Func<int, Task> next)
    {
        Frame frame = Oracle.Enter();
        Task task = Pass(n, next);
        frame.End();
        return task;
    }

    public static async Task<T> Through<T>(T step, int n) where T : IStep
    {
        Frame frame = Oracle.EnterAsync();
        await step.Step(n); frame.Ran();
        await step.StepValue(n - 1); frame.Ran();
        frame.End();
        return step;
    }

    public static async ValueTask<T> Over<T>(T hop, int n) where T : IHop
    {
        Frame frame = Oracle.EnterAsync();
        await hop.Hop(n); frame.Ran();
        await hop.HopValue(n - 1); frame.Ran();
        frame.End();
        return hop;
    }

    // Starts several, and awaits them later.
    public static async Task Several(int n, Func<int, Task> next)
    {
        Frame frame = Oracle.EnterAsync();
        Task first = next(n - 1), second = next(n - 1);
        await Pump.Turn(); frame.Ran();
        await new Surely(Task.WhenAll(first, second)); frame.Ran();
        Use();
        frame.End();
    }

    public static async Task Fail(int n, Func<int, Task> next)
    {
        Frame frame = Oracle.EnterAsync();
        frame.Dies(Ending.Callee); await next(n - 1);
    }

    public static async Task FailCaught(int n, Func<int, Task> next)
    {
        Frame frame = Oracle.EnterAsync();
        int line = Oracle.Here() + 3;
        try
        {
            await next(n - 1);
        }
        catch (InvalidOperationException)
        {
            Use();
            frame.FaultsAfter(line, Ending.CalleeCatch);
            throw;
        }
    }
}
