// Types that only the compiler names.
namespace Features;

internal static class Anonymous
{
    public static void Run()
    {
        var point = new { X = 1, Y = 2 };
        var moved = point with { Y = 5 };
        bool equal = point.Equals(moved);
        Console.WriteLine($"{moved.X} {moved.Y} {equal}");
    }
}
