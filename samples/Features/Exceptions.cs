// Thrown deep, caught above; the frames between are left.
namespace Features;

internal static class Exceptions
{
    public static void Run()
    {
        int result = 0;
        try
        {
            result = Outer(1);
        }
        catch (ArgumentException problem)
        {
            result = problem.Message.Length;
        }
        Console.WriteLine(result);
    }

    private static int Outer(int number)
    {
        int inner = Inner(number + 1);
        return inner + 1;
    }

    private static int Inner(int number)
    {
        if (number > 1)
        {
            throw new ArgumentException("too large");
        }
        return number;
    }
}
