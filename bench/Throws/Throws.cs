// What a throw costs, caught in its caller, through ten levels, and from code that is not recorded. Prints the shortest time of
// all rounds in ns.
using System.Diagnostics;
using System.Runtime.CompilerServices;

int throws = int.Parse(args[0]), rounds = int.Parse(args[1]);
foreach (var (name, part) in new (string, Action)[] { ("near", Cases.Near), ("far", Cases.Far), ("library", Cases.Library) })
{
    double best = double.MaxValue;
    for (int round = 0; round < rounds; round++)
    {
        long from = Stopwatch.GetTimestamp();
        for (int i = 0; i < throws; i++)
        {
            part();
        }
        best = Math.Min(best, Stopwatch.GetElapsedTime(from).TotalNanoseconds / throws);
    }
    Console.WriteLine($"{name}_ns {best:F1}");
}

internal static class Cases
{
    private static readonly Exception Thrown = new InvalidOperationException("always the same");

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Throw(int level)
    {
        if (level == 0)
        {
            throw Thrown;
        }
        Throw(level - 1);
        GC.KeepAlive(Thrown); // so that the call is not the last one
    }

    private static void Catch(int level)
    {
        try
        {
            Throw(level);
        }
        catch (InvalidOperationException)
        {
        }
    }

    public static void Near() => Catch(0);

    public static void Far() => Catch(10);

    public static void Library()
    {
        try
        {
            _ = int.Parse("x");
        }
        catch (FormatException)
        {
        }
    }
}
