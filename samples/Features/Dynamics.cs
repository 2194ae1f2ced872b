// Calls that are bound while the program runs.
namespace Features;

internal static class Dynamics
{
    public static void Run()
    {
        dynamic thing = 5;
        int sum = thing + 2;
        thing = "text";
        int length = thing.Length;
        Console.WriteLine($"{sum} {length}");
    }
}
