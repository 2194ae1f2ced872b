// Children side by side, started elsewhere, awaited later, never, or twice; deep recursion; continuations that run inside
// another method; thousands that wait at once.
using System.Diagnostics;
using Outside;

namespace Logical;

internal static class Children
{
    private static async Task<int> Work(int turns)
    {
        Frame frame = Oracle.EnterAsync();
        for (int i = 0; i < turns; i++)
        {
            await Pump.Turn(); frame.Ran();
        }
        frame.End();
        return turns;
    }

    private static async Task<int> Outer(int turns)
    {
        Frame frame = Oracle.EnterAsync();
        int done = await Work(turns); frame.Ran();
        done += await Work(1); frame.Ran();
        frame.End();
        return done;
    }

    public static async Task Together()
    {
        Frame frame = Oracle.EnterAsync();
        for (int i = 0; i < 30; i++)
        {
            await Task.WhenAll(Work(1), Outer(3), Work(5), Outer(1)); frame.Ran();
            Task<int> fast = Work(1), slow = Outer(4);
            await Task.WhenAny(fast, slow); frame.Ran();
            await new Surely(Task.WhenAll(fast, slow)); frame.Ran();
        }
        frame.End();
    }

    public static async Task Started()
    {
        Frame frame = Oracle.EnterAsync();
        for (int i = 0; i < 30; i++)
        {
            int line = Oracle.Here(); await new Surely(Task.Run(() =>
            {
                Frame own = Oracle.EnterRoot("Started.lambda#1");
                Task<int> work = Work(1);
                own.End();
                return work;
            })); frame.Ran(line);
            line = Oracle.Here(); await new Surely(Task.Run(async () =>
            {
                Frame own = Oracle.EnterAsyncRoot("Started.lambda#2");
                await Pump.Turn(); own.Ran();
                await Outer(2); own.Ran();
                own.End();
            })); frame.Ran(line);
        }
        frame.End();
    }

    private static async Task Never(Gate gate)
    {
        Frame frame = Oracle.EnterAsync();
        await Forever(gate);
        frame.Ran();
    }

    private static async Task Forever(Gate gate)
    {
        Frame frame = Oracle.EnterAsync();
        await Pump.Turn(); frame.Ran();
        await gate;
        frame.Ran();
    }

    private static readonly Gate closed = new();

    public static async Task Later()
    {
        Frame frame = Oracle.EnterAsync();
        for (int i = 0; i < 30; i++)
        {
            Task<int> later = Work(2);
            await Outer(3); frame.Ran();
            await new Surely(later); frame.Ran();
            await later;
            Task<int> twice = Work(1);
            await twice; frame.Ran();
            await twice;
            _ = Never(i % 2 == 0 ? closed : new Gate()); // those of the others are garbage
            _ = Work(0);
        }
        for (int i = 0; i < 10; i++)
        {
            await Pump.Turn(); frame.Ran();
        }
        GC.Collect();
        frame.End();
    }

    private static async Task<int> Down(int n)
    {
        Frame frame = Oracle.EnterAsync();
        if (n == 0)
        {
            await Pump.Turn(); frame.Ran();
            frame.End();
            return 0;
        }
        int below = await Down(n - 1); frame.Ran();
        frame.End();
        return below + 1;
    }

    public static async Task Deep()
    {
        Frame frame = Oracle.EnterAsync();
        for (int i = 0; i < 20; i++)
        {
            await Down(490); frame.Ran();
        }
        frame.End();
    }

    // One inside the other, ten thousand of them, two of three of one method. Nothing else is counted here.
    private static async Task<int> Nested(int n)
    {
        if (n == 0)
        {
            await Pump.Turn();
            return 0;
        }
        return n % 3 == 0 ? await Between(n - 1) : await Nested(n - 1);
    }

    private static async Task<int> Between(int n) => await Nested(n);

    public static async Task Abyss() => await Nested(9_999);

    // If several await the same task, only the last one goes on inside SetResult; the others go on on the thread pool.
    private static async Task<int> Waiter(Task<int> wanted)
    {
        Frame frame = Oracle.EnterAsync();
        int result = await wanted; frame.Ran();
        Use(result);
        await AtOnce();
        await new Surely(Work(1)); frame.Ran();
        Use(result);
        frame.End();
        return result;
    }

    private static async Task AtOnce()
    {
        Frame frame = Oracle.EnterAsync();
        await Task.CompletedTask;
        Use(0);
        frame.End();
    }

    private static int Use(int n)
    {
        Frame frame = Oracle.Enter();
        frame.End();
        return n;
    }

    // The waiter goes on inside SetResult.
    private static void Complete(TaskCompletionSource<int> source)
    {
        Frame frame = Oracle.Enter();
        Use(1);
        source.SetResult(1);
        Use(2);
        frame.End();
    }

    private static async Task CompleteLater(TaskCompletionSource<int> source)
    {
        Frame frame = Oracle.EnterAsync();
        await Pump.Turn(); frame.Ran();
        Complete(source);
        Use(3);
        await Pump.Turn(); frame.Ran();
        Use(4);
        frame.End();
    }

    public static async Task Inline()
    {
        Frame frame = Oracle.EnterAsync();
        for (int i = 0; i < 50; i++)
        {
            var source = new TaskCompletionSource<int>();
            Task<int> first = Waiter(source.Task), second = Waiter(source.Task);
            Complete(source);
            await new Surely(Task.WhenAll(first, second)); frame.Ran();
            source = new TaskCompletionSource<int>();
            first = Waiter(source.Task);
            await CompleteLater(source); frame.Ran();
            await new Surely(first); frame.Ran();
        }
        frame.End();
    }

    private static async Task One(Gate gate)
    {
        Frame frame = Oracle.EnterAsync();
        await gate; frame.Ran();
        frame.End();
    }

    private static async Task Two(Gate gate)
    {
        Frame frame = Oracle.EnterAsync();
        await One(gate); frame.Ran();
        frame.End();
    }

    public static async Task Crowd()
    {
        Frame frame = Oracle.EnterAsync();
        for (int round = 0; round < 2; round++)
        {
            var gate = new Gate();
            var all = new Task[5000];
            for (int i = 0; i < all.Length; i++)
            {
                all[i] = Two(gate);
            }
            gate.Open();
            await Task.WhenAll(all); frame.Ran();
        }
        frame.End();
    }

    // Ends the process, as `kill -9` does, while ten thousand wait.
    public static async Task Killed()
    {
        var gate = new Gate();
        var all = new Task[5000];
        for (int i = 0; i < all.Length; i++)
        {
            all[i] = Two(gate);
        }
        using (Process own = Process.GetCurrentProcess())
        {
            own.Kill();
        }
        await Task.WhenAll(all);
    }

    // Two hundred with callees of their own wait at once.
    public static async Task Many()
    {
        Frame frame = Oracle.EnterAsync();
        for (int round = 0; round < 5; round++)
        {
            var all = new Task<int>[200];
            for (int i = 0; i < all.Length; i++)
            {
                all[i] = Outer(1 + i % 7);
            }
            await new Surely(Task.WhenAll(all)); frame.Ran();
        }
        frame.End();
    }
}
