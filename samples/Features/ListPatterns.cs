// Patterns over lists and their parts.
namespace Features;

internal static class ListPatterns
{
    public static void Run()
    {
        string text = Describe([]) + Describe([7]) + Describe([1, 2, 3, 9]);
        Console.WriteLine(text);
    }

    private static string Describe(int[] numbers)
    {
        if (numbers is [var first, .. { Length: > 0 } middle, var last])
        {
            return $"{first}-{middle.Length}-{last};";
        }
        return numbers is [var only] ? $"{only};" : "none;";
    }
}
