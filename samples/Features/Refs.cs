// References: to locals, fields and items, returned and reassigned.
namespace Features;

internal static class Refs
{
    private static readonly int[] numbers = { 1, 5, 3 };
    private static int field;

    public static void Run()
    {
        ref int largest = ref Largest(numbers);
        largest = 0;
        largest = ref field;
        largest += 7;
        foreach (ref int number in numbers.AsSpan())
        {
            number *= 2;
        }
        Console.WriteLine($"{field} {numbers[1]} {numbers[2]}");
    }

    private static ref int Largest(int[] all)
    {
        int best = 0;
        for (int i = 1; i < all.Length; i++)
        {
            if (all[i] > all[best])
            {
                best = i;
            }
        }
        return ref all[best];
    }
}
