// Arguments that come back: out, ref, in.
namespace Features;

internal static class Outs
{
    public static void Run()
    {
        Split(17, out int tens, out int ones);
        Swap(ref tens, ref ones);
        int sum = Sum(in tens, ones);
        bool parsed = int.TryParse("no", out int number);
        Console.WriteLine($"{tens} {ones} {sum} {parsed} {number}");
    }

    private static void Split(int number, out int tens, out int ones)
    {
        tens = number / 10;
        ones = number % 10;
    }

    private static void Swap(ref int left, ref int right)
    {
        (left, right) = (right, left);
    }

    private static int Sum(in int left, in int right)
    {
        return left + right;
    }
}
