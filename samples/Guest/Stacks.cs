// Small stacks, stack guards, and a stack overflow.
using System.Linq.Expressions;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Guest;

internal static class Stacks
{
    private static int Work(int n)
    {
        string text = $"{n} of";
        object boxed = n;
        int[] items = [n, n + 1, n + 2];
        int sum = 0;
        foreach (int item in items)
        {
            sum += item - (int)boxed;
        }
        try
        {
            return n == 0 ? throw new InvalidOperationException(text) : sum - 3 + Work(n - 1);
        }
        catch (InvalidOperationException problem) when (n == 5)
        {
            return problem.Message.Length;
        }
    }

    private static unsafe int Block(int n)
    {
        byte* bytes = stackalloc byte[100];
        Span<int> numbers = stackalloc int[10];
        bytes[n] = (byte)n;
        numbers[n % 10] = n;
        int below = n == 0 ? 0 : Block(n - 1);
        return below + bytes[n] + numbers[n % 10];
    }

    [SkipLocalsInit]
    private static unsafe int Raw(int n)
    {
        int* numbers = stackalloc int[64];
        Unsafe.SkipInit(out Guid guid);
        for (int i = 0; i < 64; i++)
        {
            numbers[i] = i + n;
        }
        guid = n == 0 ? Guid.Empty : guid;
        return n == 0 ? numbers[63] : numbers[0] + Raw(n - 1);
    }

    private static string On(int size, Func<int> work)
    {
        string told = "";
        Thread thread = new(() => told = $"{work()}", size);
        thread.Start();
        thread.Join();
        return told;
    }

    /// Threads with as little stack as is to be had.
    public static string Small()
    {
        List<string> told = [];
        foreach (int size in new[] { 128, 160, 256, 512 })
        {
            for (int i = 0; i < 3; i++)
            {
                told.Add($"{size}: {On(size << 10, () => Work(20))} {On(size << 10, () => Block(30))} {On(size << 10, () => Raw(20))}");
            }
        }
        return string.Join('\n', told);
    }

    private static int Guarded(int n)
    {
        int x = n;
        RuntimeHelpers.EnsureSufficientExecutionStack();
        int y = Guarded(n + 1);
        return x + y;
    }

    private static int Asking(int n)
    {
        int x = n;
        int y = RuntimeHelpers.TryEnsureSufficientExecutionStack() ? Asking(n + 1) : 0;
        return y == 0 ? 1 : x - n + y;
    }

    private static string Guard()
    {
        try
        {
            return $"{Guarded(0)}";
        }
        catch (InsufficientExecutionStackException)
        {
            return $"enough, {Asking(0)}";
        }
    }

    /// Programs that ask how much is left end where it is little, and no sooner.
    public static string Ensure()
    {
        List<string> told = [Guard()];
        foreach (int size in new[] { 256, 1024 })
        {
            Thread thread = new(() => told.Add(Guard()), size << 10);
            thread.Start();
            thread.Join();
        }
        return string.Join('\n', told);
    }

    private static int Endless(int n)
    {
        int x = n;
        int y = Endless(n + 1);
        return x + y;
    }

    public static string Overflow(int size) => On(size << 10, () => Endless(0));

    // Ways in from elsewhere.

    private static class Failing
    {
        public static int Number = int.Parse("none");
    }

    private static string Fail()
    {
        try
        {
            return $"{Failing.Number}";
        }
        catch (TypeInitializationException problem)
        {
            return $"{problem.Message} {problem.InnerException!.Message}";
        }
    }

    [UnmanagedCallersOnly]
    private static unsafe int Compare(int* a, int* b)
    {
        int left = *a, right = *b;
        return left < right ? -1 : left > right ? 1 : 0;
    }

    [DllImport("libc", EntryPoint = "qsort")]
    private static extern unsafe void Sort(int* items, nint count, nint size, delegate* unmanaged<int*, int*, int> compare);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private unsafe delegate int Comparison(int* a, int* b);

    [DllImport("libc", EntryPoint = "qsort")]
    private static extern void SortBy(int[] items, nint count, nint size, Comparison compare);

    private static unsafe string Sorted()
    {
        int[] items = Enumerable.Range(0, 50).Select(i => i * 37 % 50).ToArray();
        fixed (int* first = items)
        {
            Sort(first, items.Length, sizeof(int), &Compare);
        }
        string told = string.Join(' ', items[..5]);
        SortBy(items, items.Length, sizeof(int), (a, b) => *b - *a);
        return $"{told} {string.Join(' ', items[..5])}";
    }

    private static T Echo<T>(T value) => value;

    private static unsafe string Called()
    {
        delegate*<int, int> pointer = &Echo<int>;
        MethodInfo echo = typeof(Stacks).GetMethod(nameof(Echo), BindingFlags.Static | BindingFlags.NonPublic)!;
        ParameterExpression n = Expression.Parameter(typeof(int));
        Func<int, int> compiled = Expression.Lambda<Func<int, int>>(
            Expression.TryCatch(Expression.Divide(Expression.Constant(10), n), Expression.Catch(typeof(DivideByZeroException), Expression.Constant(-1))), n)
            .Compile();
        string failed;
        try
        {
            failed = $"{echo.MakeGenericMethod(typeof(int)).Invoke(null, ["text"])}";
        }
        catch (ArgumentException)
        {
            failed = "refused";
        }
        return $"{pointer(3)} {echo.MakeGenericMethod(typeof(string)).Invoke(null, ["four"])} {failed} {compiled(5)} {compiled(0)}";
    }

    /// Twice: some fail differently the second time.
    public static string Ways() => string.Join('\n', Fail(), Fail(), Sorted(), Sorted(), Called(), Called());
}
