// Finally runs on every way out.
namespace Features;

internal static class Finally
{
    private static int left;

    public static void Run()
    {
        int early = Leave(true);
        int late = Leave(false);
        Console.WriteLine($"{early} {late} {left}");
    }

    private static int Leave(bool early)
    {
        try
        {
            if (early)
            {
                return 1;
            }
            left += 10;
        }
        finally
        {
            left++;
        }
        return 2;
    }
}
