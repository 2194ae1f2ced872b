// lock and Monitor.
namespace Features;

internal static class Locks
{
    private static readonly object gate = new();
    private static int inside;

    public static void Run()
    {
        lock (gate)
        {
            inside++;
        }
        bool taken = Monitor.TryEnter(gate);
        try
        {
            inside += 10;
        }
        finally
        {
            Monitor.Exit(gate);
        }
        Console.WriteLine($"{inside} {taken}");
    }
}
