// 100,000 activations deep, on a thread with a stack for it; there and back, and left by an exception from the bottom.
namespace Exact;

internal static class Deep
{
    private const int Depth = 100_000;

    public static void Run()
    {
        Count.Hit("Exact.Deep.Run()");
        var thread = new Thread(Dive, 1 << 30);
        thread.Start();
        thread.Join();
    }

    private static void Dive()
    {
        Count.Hit("Exact.Deep.Dive()");
        Console.WriteLine($"depth {Down(Depth)} {Ping(Depth)}");
        try
        {
            Count.Thrown("Exact.Deep.Sink(int)", 10_001);
            Sink(10_000);
        }
        catch (InvalidOperationException problem)
        {
            Console.WriteLine(problem.Message);
        }
        Console.WriteLine($"again {Down(1_000)}");
    }

    private static int Down(int n)
    {
        Count.Hit("Exact.Deep.Down(int)");
        return n == 0 ? 0 : 1 + Down(n - 1);
    }

    private static int Ping(int n)
    {
        Count.Hit("Exact.Deep.Ping(int)");
        return n == 0 ? 0 : 1 + Pong(n - 1);
    }

    private static int Pong(int n)
    {
        Count.Hit("Exact.Deep.Pong(int)");
        return n == 0 ? 0 : 1 + Ping(n - 1);
    }

    private static int Sink(int n)
    {
        Count.Hit("Exact.Deep.Sink(int)");
        if (n == 0)
        {
            throw new InvalidOperationException("bottom");
        }
        return 1 + Sink(n - 1);
    }
}
