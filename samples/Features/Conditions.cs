// Branches, and operators that stop halfway.
namespace Features;

internal static class Conditions
{
    public static void Run()
    {
        int number = 7;
        bool odd = number % 2 == 1;
        if (odd && Above(number, 10))
        {
            number = 0;
        }
        else if (!odd || Above(number, 5))
        {
            number++;
        }
        string size = number > 5 ? "large" : "small";
        Console.WriteLine($"{number} {size}");
    }

    private static bool Above(int number, int limit)
    {
        return number > limit;
    }
}
