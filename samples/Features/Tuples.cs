// Tuples: named, nested, compared, taken apart, swapped.
namespace Features;

internal static class Tuples
{
    public static void Run()
    {
        (int Count, string Name) pair = (1, "one");
        pair.Count++;
        (int number, string text) = pair;
        int other = 5;
        (number, other) = (other, number);
        bool equal = pair == (2, "one");
        (int, (string Inner, bool)) nested = (number, (text, equal));
        Console.WriteLine($"{nested.Item2.Inner} {number} {other} {equal}");
        (int a, int b, int c, int d, int e, int f, int g, int h, string Last) many = (1, 2, 3, 4, 5, 6, 7, 8, "nine");
        var ranges = new Dictionary<string, (int Low, int High)> { ["x"] = (many.a, many.h) };
        foreach (var range in ranges)
        {
            Console.WriteLine($"{range.Key} {Middle(range.Value)} {many.Last}");
        }
    }

    private static (int Half, int? Odd) Middle((int From, int To) range)
    {
        (int Half, int? Odd)[] found = { (range.From + range.To, null) };
        found[0].Odd = found[0].Half % 2;
        found[0].Half /= 2;
        return found[0];
    }
}
