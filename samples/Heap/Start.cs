// Main calls this first, when only the runtime has allocated.
using System;

internal static class Start
{
    public static void Run()
    {
        long allocated = GC.GetTotalAllocatedBytes(true), memory = GC.GetTotalMemory(false);
        object thing = new();
        int young = GC.GetGeneration(thing);
        GC.Collect(0);
        int once = GC.GetGeneration(thing);
        GC.Collect(0);
        int twice = GC.GetGeneration(thing);
        Console.WriteLine($"generations {young} {once} {twice}");
        Console.WriteLine($"collections {GC.CollectionCount(0)} {GC.CollectionCount(1)} {GC.CollectionCount(2)}");
        Console.WriteLine($"allocated {allocated} memory {memory} kept {GC.GetTotalMemory(true)}");
        GC.KeepAlive(thing);
    }
}
