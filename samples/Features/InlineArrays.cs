// A struct that is an array, and a buffer of fixed size.
using System.Runtime.CompilerServices;

namespace Features;

internal static class InlineArrays
{
    [InlineArray(3)]
    private struct Three
    {
        private int first;
    }

    private unsafe struct Fixed
    {
        public fixed byte Bytes[2];
    }

    public static unsafe void Run()
    {
        Three three = default;
        three[0] = 1;
        three[2] = three[0] + 4;
        Fixed bytes = default;
        bytes.Bytes[1] = 9;
        Console.WriteLine($"{three[2]} {bytes.Bytes[1]}");
    }
}
