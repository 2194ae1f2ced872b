// Over the border and back: UnmanagedCallersOnly through function pointers and from libc's qsort, delegates as callbacks,
// P/Invoke, managed function pointers.
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Exact;

internal static unsafe class Native
{
    [DllImport("libc", EntryPoint = "qsort")]
    private static extern void Sort(int* items, nint count, nint size, delegate* unmanaged[Cdecl]<int*, int*, int> compare);

    [DllImport("libc", EntryPoint = "qsort")]
    private static extern void SortBy(int* items, nint count, nint size, nint compare);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate int Compare(int* a, int* b);

    private static int compared;

    public static void Run()
    {
        Count.Hit("Exact.Native.Run()");
        delegate* unmanaged[Cdecl]<int*, int*, int> ascending = &Ascending;
        int* items = stackalloc int[5] { 5, 3, 4, 1, 2 };
        Sort(items, 5, sizeof(int), ascending);
        Console.WriteLine($"{items[0]}{items[1]}{items[2]}{items[3]}{items[4]}");
        int one = 1;
        int two = 2;
        int sign = 0;
        for (int i = 0; i < 100; i++)
        {
            sign += ascending(&one, &two);
        }
        Compare descending = Descending;
        SortBy(items, 5, sizeof(int), Marshal.GetFunctionPointerForDelegate(descending));
        GC.KeepAlive(descending);
        Console.WriteLine($"{items[0]}{items[1]}{items[2]}{items[3]}{items[4]} {sign} {compared > 8}");
        delegate*<int, int, long> managed = &Multiply;
        delegate* unmanaged<Pair, Pair> turned = &Turn;
        Pair pair = turned(new Pair { A = 1.5, B = 7 });
        Console.WriteLine(FormattableString.Invariant($"{managed(6, 7)} {pair.A} {pair.B}"));
        OnNativeThread();
    }

    private struct Pair
    {
        public double A;
        public long B;
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int Ascending(int* a, int* b)
    {
        Count.Hit("Exact.Native.Ascending(int*, int*)");
        compared++;
        return Sign(*a - *b);
    }

    private static int Descending(int* a, int* b)
    {
        Count.Hit("Exact.Native.Descending(int*, int*)");
        compared++;
        return Sign(*b - *a);
    }

    private static int Sign(int n)
    {
        Count.Hit("Exact.Native.Sign(int)");
        return n < 0 ? -1 : n > 0 ? 1 : 0;
    }

    private static long Multiply(int a, int b)
    {
        Count.Hit("Exact.Native.Multiply(int, int)");
        return (long)a * b;
    }

    [UnmanagedCallersOnly]
    private static Pair Turn(Pair pair)
    {
        Count.Hit("Exact.Native.Turn(Native.Pair)");
        return new Pair { A = -pair.A, B = -pair.B };
    }

    [DllImport("libc", EntryPoint = "pthread_create")]
    private static extern int CreateThread(nint* thread, nint attributes, delegate* unmanaged<nint, nint> start, nint argument);

    [DllImport("libc", EntryPoint = "pthread_join")]
    private static extern int JoinThread(nint thread, nint* result);

    // A thread that the runtime did not start: its first managed method is entered from native code.
    private static void OnNativeThread()
    {
        Count.Hit("Exact.Native.OnNativeThread()");
        nint sum = 0;
        for (int i = 0; i < 3; i++)
        {
            nint thread;
            nint result;
            CreateThread(&thread, 0, &Foreign, i);
            JoinThread(thread, &result);
            sum += result;
        }
        Console.WriteLine($"foreign {sum}");
    }

    [UnmanagedCallersOnly]
    private static nint Foreign(nint n)
    {
        Count.Hit("Exact.Native.Foreign(nint)");
        return 10 + Sign((int)n);
    }
}
