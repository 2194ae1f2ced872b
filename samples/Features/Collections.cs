// Collection expressions, spreads, params of all kinds.
namespace Features;

internal static class Collections
{
    public static void Run()
    {
        int[] some = [1, 2];
        List<int> more = [0, .. some, 3];
        int total = Sum(more[3], 4) + Sum();
        Console.WriteLine($"{more.Count} {total}");
    }

    private static int Sum(params IEnumerable<int> numbers)
    {
        int sum = 0;
        foreach (int number in numbers)
        {
            sum += number;
        }
        return sum;
    }
}
