// One method, several types.
namespace Features;

internal static class GenericMethods
{
    public static void Run()
    {
        int number = Last(1, 2);
        string text = Last("a", "b");
        (int, int) pair = Last((1, 2), (3, 4));
        Console.WriteLine($"{number} {text} {pair}");
    }

    private static T Last<T>(T first, T second)
    {
        T kept = first;
        kept = second;
        return kept;
    }
}
