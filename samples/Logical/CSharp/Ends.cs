// Exceptions through several levels, cancellation, and awaits in try, catch and finally.
using Outside;

namespace Logical;

internal static class Ends
{
    private const int Times = 30;

    private static async Task Bottom(bool late)
    {
        Frame frame = Oracle.EnterAsync();
        if (late)
        {
            await Pump.Turn(); frame.Ran();
        }
        frame.Faults();
        throw new InvalidOperationException("bottom");
    }

    private static async Task<int> Middle(bool late)
    {
        Frame frame = Oracle.EnterAsync();
        int line = 0;
        try
        {
            line = Oracle.Here(); await Bottom(late);
        }
        catch (InvalidOperationException) when (late)
        {
            frame.Ran(line);
            frame.Faults(Ending.CalleeCatch);
            throw;
        }
        catch (InvalidOperationException)
        {
            frame.Faults(Ending.AtOnce);
            throw;
        }
        return 1;
    }

    private static async ValueTask Top(bool late)
    {
        Frame frame = Oracle.EnterAsync();
        if (late)
        {
            int line = 0;
            try
            {
                line = Oracle.Here(); await Middle(late);
            }
            finally
            {
                frame.Ran(line);
                frame.Faults(Ending.CalleeFinally);
            }
        }
        frame.Faults(Ending.AtOnce);
        await Middle(late);
    }

    private static void Throw()
    {
        Frame frame = Oracle.Enter();
        frame.Faults();
        throw new FormatException();
    }

    private static async Task Early()
    {
        Frame frame = Oracle.EnterAsync();
        await Task.CompletedTask;
        frame.Faults();
        Throw();
    }

    public static async Task Failures()
    {
        Frame frame = Oracle.EnterAsync();
        for (int i = 0; i < Times; i++)
        {
            bool caught = false;
            int line = 0;
            try
            {
                line = Oracle.Here(); await Top(i % 2 == 0);
            }
            catch (InvalidOperationException)
            {
                caught = true;
            }
            if (i % 2 == 0)
            {
                frame.Ran(line);
            }
            Task early = Early();
            await new Surely(early); frame.Ran();
            if (!caught || !early.IsFaulted)
            {
                throw new InvalidOperationException("not caught");
            }
        }
        frame.End();
    }

    private static async Task Ask(CancellationToken token)
    {
        Frame frame = Oracle.EnterAsync();
        await Pump.Turn(); frame.Ran();
        if (token.IsCancellationRequested)
        {
            frame.Cancels();
            token.ThrowIfCancellationRequested();
        }
        frame.End();
    }

    private static async Task<int> Pass(CancellationToken token)
    {
        Frame frame = Oracle.EnterAsync();
        await new Surely(Ask(token)); frame.Ran();
        if (token.IsCancellationRequested)
        {
            frame.Cancels();
            throw new TaskCanceledException();
        }
        frame.End();
        return 1;
    }

    private static async Task Endless(CancellationToken token)
    {
        Frame frame = Oracle.EnterAsync();
        await new Surely(Task.Delay(-1, token)); frame.Ran();
        frame.Cancels();
        token.ThrowIfCancellationRequested();
    }

    public static async Task Cancelled()
    {
        Frame frame = Oracle.EnterAsync();
        for (int i = 0; i < Times; i++)
        {
            using var source = new CancellationTokenSource();
            Task asked = Ask(source.Token), passed = Pass(source.Token), endless = Endless(source.Token);
            if (i % 3 > 0)
            {
                source.Cancel();
            }
            await new Surely(Task.WhenAll(asked, passed)); frame.Ran();
            source.Cancel();
            await new Surely(endless); frame.Ran();
            if (!endless.IsCanceled || asked.IsCanceled != i % 3 > 0)
            {
                throw new InvalidOperationException("not cancelled");
            }
        }
        frame.End();
    }

    private static async Task Turned()
    {
        Frame frame = Oracle.EnterAsync();
        await Pump.Turn(); frame.Ran();
        frame.End();
    }

    private static async Task Block(bool fails)
    {
        Frame frame = Oracle.EnterAsync();
        try
        {
            await Turned(); frame.Ran();
            if (fails)
            {
                throw new FormatException();
            }
            await Turned(); frame.Ran();
        }
        catch (FormatException)
        {
            await Turned(); frame.Ran();
        }
        finally
        {
            await Turned(); frame.Ran();
            await Task.CompletedTask;
        }
        lock (typeof(Ends))
        {
            Sum(1);
        }
        await Turned(); frame.Ran();
        frame.End();
    }

    private static int Sum(int n)
    {
        Frame frame = Oracle.Enter();
        frame.End();
        return n;
    }

    public static async Task Blocks()
    {
        Frame frame = Oracle.EnterAsync();
        for (int i = 0; i < Times; i++)
        {
            await Block(i % 2 == 0); frame.Ran();
        }
        frame.End();
    }
}
