// Types, properties, positions, relations.
namespace Features;

internal static class Patterns
{
    private sealed record Point(int X, int Y);

    public static void Run()
    {
        string text = Describe(5) + Describe("word") + Describe(new Point(0, 3)) + Describe(null);
        Console.WriteLine(text);
    }

    private static string Describe(object thing)
    {
        if (thing is int and > 3 and var number)
        {
            return $"number {number};";
        }
        if (thing is string { Length: var length } word)
        {
            return $"{word} of {length};";
        }
        return thing is Point(0, var y) ? $"on the axis at {y};" : "nothing;";
    }
}
