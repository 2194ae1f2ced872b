// One object per line, and the bytes that the heap gave it.
using System.Runtime.CompilerServices;

internal static class Sizes
{
    private sealed class Empty;

    private sealed class Small
    {
        public byte B;
    }

    private sealed class Mixed
    {
        public byte B;
        public object O;
        public long L;
        public short S;
    }

    private struct Wide
    {
        public long A, B, C;
    }

    private static object kept;

    private static void Say(long before, string shape, [CallerLineNumber] int line = 0)
    {
        Console.WriteLine($"{line} {GC.GetAllocatedBytesForCurrentThread() - before} {shape}");
    }

    public static void Run()
    {
        int seven = 7;
        for (int round = 0; round < 2; round++) // the first round makes everything that is made once
        {
            long before;
            before = GC.GetAllocatedBytesForCurrentThread(); kept = new Empty(); Say(before, "empty");
            before = GC.GetAllocatedBytesForCurrentThread(); kept = new Small { B = 1 }; Say(before, "small");
            before = GC.GetAllocatedBytesForCurrentThread(); kept = new Mixed { B = 1, O = kept, L = 3, S = 2 }; Say(before, "mixed");
            before = GC.GetAllocatedBytesForCurrentThread(); kept = seven; Say(before, "boxed int");
            before = GC.GetAllocatedBytesForCurrentThread(); kept = new Wide { A = 1, B = 2, C = seven }; Say(before, "boxed struct");
            before = GC.GetAllocatedBytesForCurrentThread(); kept = new byte[0]; Say(before, "no bytes");
            before = GC.GetAllocatedBytesForCurrentThread(); kept = new byte[seven]; Say(before, "bytes");
            before = GC.GetAllocatedBytesForCurrentThread(); kept = new Wide[seven]; Say(before, "structs");
            before = GC.GetAllocatedBytesForCurrentThread(); kept = new object[seven]; Say(before, "references");
            before = GC.GetAllocatedBytesForCurrentThread(); kept = new string('x', seven); Say(before, "text");
            before = GC.GetAllocatedBytesForCurrentThread(); kept = new int[seven, 2]; Say(before, "grid");
            before = GC.GetAllocatedBytesForCurrentThread(); kept = new long[2, 3, seven]; Say(before, "cube");
        }
    }
}
