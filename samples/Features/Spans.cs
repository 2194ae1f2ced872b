// Views of memory, and writes through them.
namespace Features;

internal static class Spans
{
    public static void Run()
    {
        int[] numbers = { 1, 2, 3, 4 };
        Span<int> middle = numbers.AsSpan(1, 2);
        middle[0] = 20;
        middle[^1]++;
        ReadOnlySpan<char> word = "a word".AsSpan()[2..];
        Span<byte> bytes = stackalloc byte[2];
        bytes[1] = (byte)word.Length;
        Console.WriteLine($"{numbers[1]} {numbers[2]} {word.ToString()} {bytes[1]}");
    }
}
