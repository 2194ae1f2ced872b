// An iterator's body runs in pieces, each time a little further.
namespace Features;

internal static class Iterators
{
    public static void Run()
    {
        int sum = 0;
        foreach (int number in Count(2))
        {
            sum += number;
        }
        Console.WriteLine(sum);
    }

    private static IEnumerable<int> Count(int last)
    {
        try
        {
            for (int i = 1; i <= last; i++)
            {
                yield return i * i;
            }
        }
        finally
        {
            last = 0;
        }
    }
}
