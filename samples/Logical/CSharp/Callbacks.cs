// Methods that the framework calls: its async methods, tasks that complete, tokens that are cancelled.
using Outside;

namespace Logical;

internal static class Callbacks
{
    // The framework's copy loop calls it, after the first time without the method that started the loop on the stack.
    private sealed class Sink : Pipe
    {
        public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken token = default)
        {
            Frame frame = Oracle.EnterAsync();
            await Turned(); frame.Ran();
            frame.End();
        }
    }

    private sealed class Source : Pipe
    {
        private int left = 5;

        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken token = default)
        {
            Frame frame = Oracle.EnterAsync();
            await Pump.Turn(); frame.Ran();
            frame.End();
            return left-- > 0 ? 10 : 0;
        }
    }

    private static async Task Turned()
    {
        Frame frame = Oracle.EnterAsync();
        await Pump.Turn(); frame.Ran();
        frame.End();
    }

    private static async Task Copy()
    {
        Frame frame = Oracle.EnterAsync();
        await new Source().CopyToAsync(new Sink()); frame.Ran();
        await new Blocks().CopyToAsync(new Sink()); frame.Ran();
        frame.End();
    }

    private static void Use()
    {
        Frame frame = Oracle.Enter();
        frame.End();
    }

    // What waits for the task runs when Turned ends, on its stack.
    private static async Task Continue()
    {
        Frame frame = Oracle.EnterAsync();
        Task next = Turned().ContinueWith(_ =>
        {
            Frame own = Oracle.Enter("Continue.lambda#1");
            Use();
            own.End();
        }, TaskContinuationOptions.ExecuteSynchronously);
        await next; frame.Ran();
        Use();
        frame.End();
    }

    // The method that cancels calls what was registered.
    private static async Task Cancel(CancellationTokenSource source)
    {
        Frame frame = Oracle.EnterAsync();
        await Pump.Turn(); frame.Ran();
        source.Cancel();
        Use();
        frame.End();
    }

    private static async Task Register()
    {
        Frame frame = Oracle.EnterAsync();
        using var source = new CancellationTokenSource();
        source.Token.UnsafeRegister(_ =>
        {
            Frame own = Oracle.Enter("Register.lambda#1");
            Use();
            own.End();
        }, null);
        await Cancel(source); frame.Ran();
        frame.End();
    }

    public static async Task All()
    {
        Frame frame = Oracle.EnterAsync();
        for (int i = 0; i < 20; i++)
        {
            await Copy(); frame.Ran();
            await Continue(); frame.Ran();
            await Register(); frame.Ran();
        }
        frame.End();
    }
}
