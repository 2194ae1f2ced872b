// Memory by its address, and functions too.
namespace Features;

internal static class Pointers
{
    public static unsafe void Run()
    {
        int number = 5;
        int* pointer = &number;
        *pointer += 2;
        int* block = stackalloc int[2];
        block[1] = *pointer;
        *block = block[1] * 2;
        delegate*<int, int> negate = &Negate;
        int result = negate(block[0]);
        Console.WriteLine($"{number} {result}");
    }

    private static int Negate(int number)
    {
        return -number;
    }
}
