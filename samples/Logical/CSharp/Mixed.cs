// Chains through methods of another assembly (Relay), which may be compiled in another way than the program.
using Outside;
using Relay;

namespace Logical;

internal static class Mixed
{
    private const int Times = 20;

    private sealed class Own : Steps
    {
        public override async ValueTask<int> StepValue(int n)
        {
            Frame frame = Oracle.EnterAsync();
            await Down(n); frame.Ran();
            frame.End();
            return n;
        }
    }

    private struct Hops : IHop
    {
        public async Task Hop(int n)
        {
            Frame frame = Oracle.EnterAsync();
            await Relays.Pass(n, Down); frame.Ran();
            frame.End();
        }

        public async ValueTask<int> HopValue(int n)
        {
            Frame frame = Oracle.EnterAsync();
            await Pump.Turn(); frame.Ran();
            frame.End();
            return n;
        }
    }

    private static void Use()
    {
        Frame frame = Oracle.Enter();
        frame.End();
    }

    private static async Task Down(int n)
    {
        Frame frame = Oracle.EnterAsync();
        if (n <= 0)
        {
            await Pump.Turn(); frame.Ran();
        }
        else if (n % 3 == 0)
        {
            await Relays.Pass(n, Down); frame.Ran();
            await Relays.Several(n, Down); frame.Ran();
        }
        else if (n % 3 == 1)
        {
            await Relays.PassValue(n, Down); frame.Ran();
        }
        else
        {
            await Relays.Forward(n, Down); frame.Ran();
            Use();
            Func<int, Task> next = async left =>
            {
                Frame own = Oracle.EnterAsync("Down.lambda#1");
                await Down(left - 1); own.Ran();
                own.End();
            };
            await Relays.PassValue(n, next); frame.Ran();
        }
        Use();
        frame.End();
    }

    private static async Task FailDown(int n)
    {
        Frame frame = Oracle.EnterAsync();
        if (n <= 0)
        {
            await Pump.Turn(); frame.Ran();
            frame.Faults();
            throw new InvalidOperationException("bottom");
        }
        if (n % 4 == 0)
        {
            frame.Dies(Ending.Callee); await Relays.Fail(n, FailDown);
        }
        await Relays.Pass(n, Down); frame.Ran();
        frame.Dies(Ending.Callee); await Relays.FailCaught(n, FailDown);
    }

    public static async Task All()
    {
        Frame frame = Oracle.EnterAsync();
        for (int i = 0; i < Times; i++)
        {
            await Down(6); frame.Ran();
            await Relays.Through<Steps>(new Own(), 5); frame.Ran();
            await Relays.Over(new Hops(), 4); frame.Ran();
            await new Surely(FailDown(5)); frame.Ran();
            await new Surely(FailDown(4)); frame.Ran();
        }
        frame.End();
    }
}
