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
    }
}
