// Code that several threads make the JIT compile at once: generic code of type arguments that share none, methods that it optimises
// later, and dynamic methods.
using System.Reflection.Emit;
using System.Runtime.CompilerServices;

namespace Compiled;

internal struct Weighted<T>(T item)
{
    public T Item = item;
}

internal static class Work<T>
    where T : struct
{
    private static readonly Dictionary<T, int> Seen = [];

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool Equal(T left, T right) => EqualityComparer<T>.Default.Equals(left, right);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Count(T[] items)
    {
        int count = 0;
        for (int i = 0; i < items.Length; i++)
        {
            count += Equal(items[i], items[0]) ? 1 : 0;
        }
        lock (Seen)
        {
            Seen[items[0]] = count;
        }
        return count;
    }

    public static int Run(T one, T other)
    {
        int sum = 0;
        for (int i = 0; i < 2_000; i++)
        {
            sum += Count([one, other, one]);
        }
        return sum;
    }
}

internal static class Work
{
    private static int RunDynamic(int number)
    {
        var method = new DynamicMethod("Add" + number, typeof(int), [typeof(int)]);
        ILGenerator body = method.GetILGenerator();
        body.Emit(OpCodes.Ldarg_0);
        body.Emit(OpCodes.Ldc_I4, number);
        body.Emit(OpCodes.Add);
        body.Emit(OpCodes.Ret);
        return method.CreateDelegate<Func<int, int>>()(1);
    }

    private static int RunThread(int number)
    {
        int sum = number switch
        {
            0 => Work<byte>.Run(1, 2) + Work<Weighted<byte>>.Run(new(1), new(2)),
            1 => Work<short>.Run(1, 2) + Work<Weighted<short>>.Run(new(1), new(2)),
            2 => Work<long>.Run(1, 2) + Work<Weighted<long>>.Run(new(1), new(2)),
            _ => Work<double>.Run(1, 2) + Work<Weighted<double>>.Run(new(1), new(2)),
        };
        return sum + Work<int>.Run(1, 2) + RunDynamic(number); // the same code on all threads
    }

    public static int RunThreads()
    {
        int[] sums = new int[4];
        var threads = new Thread[sums.Length];
        for (int i = 0; i < threads.Length; i++)
        {
            int number = i;
            threads[i] = new Thread(() => sums[number] = RunThread(number));
            threads[i].Start();
        }
        foreach (Thread thread in threads)
        {
            thread.Join();
        }
        Thread.Sleep(500); // until what is hot has been optimised
        return sums.Sum();
    }
}
