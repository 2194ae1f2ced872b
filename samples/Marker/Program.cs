// Counts its own calls where they outlive it: `Marker FILE THREADS TIMES` maps FILE and stores there, after each call of Step,
// how many have ended (thread t in word t + 1; word 0 is the process's id, once all threads run). TIMES 0: without end.
using System.IO.MemoryMappedFiles;
using System.Runtime.CompilerServices;

namespace Marker;

internal static unsafe class Program
{
    private static long* words;

    private static int Main(string[] args)
    {
        int count = int.Parse(args[1]);
        long times = long.Parse(args[2]);
        using var file = MemoryMappedFile.CreateFromFile(args[0], FileMode.Open, null, 0);
        using MemoryMappedViewAccessor view = file.CreateViewAccessor();
        byte* start = null;
        view.SafeMemoryMappedViewHandle.AcquirePointer(ref start);
        words = (long*)start;
        var threads = new Thread[count];
        for (int i = 0; i < count; i++)
        {
            int number = i;
            threads[i] = new Thread(() => Work(number, times == 0 ? long.MaxValue : times));
            threads[i].Start();
        }
        Volatile.Write(ref words[0], Environment.ProcessId);
        foreach (Thread thread in threads)
        {
            thread.Join();
        }
        Console.WriteLine("marker: success");
        return 5;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Work(int thread, long times)
    {
        for (long i = 0; i < times; i++)
        {
            Step(thread, i);
            Volatile.Write(ref words[thread + 1], i + 1);
            if ((i & 1023) == 0)
            {
                Thread.Sleep(0);
            }
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long Step(int thread, long n)
    {
        return Leaf(thread) + n;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long Leaf(int n)
    {
        return n + 1;
    }
}
