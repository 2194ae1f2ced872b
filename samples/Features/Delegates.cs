// Calls through delegates: of static and instance methods, several in one.
namespace Features;

internal static class Delegates
{
    private sealed class Scale(int factor)
    {
        public int Times(int number)
        {
            return number * factor;
        }
    }

    public static void Run()
    {
        Func<int, int> twice = Double;
        int result = twice(4);
        twice += new Scale(5).Times;
        result += twice(4);
        twice -= Double;
        Console.WriteLine($"{result} {twice.GetInvocationList().Length}");
    }

    private static int Double(int number)
    {
        return number + number;
    }
}
