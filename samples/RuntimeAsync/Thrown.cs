// What a program sees of exceptions that pass suspended methods: how many first-chance exceptions there are, and the texts of stack
// traces, in which methods that are inlined would not appear. With RUNTIME_ASYNC_WARM each case first runs until its methods are in their last tier.
using System.Runtime.CompilerServices;

namespace RuntimeAsync;

internal static class Thrown
{
    private static readonly bool never = Environment.TickCount64 < 0;
    private static int firstChances, cleaned;

    private enum Bottom
    {
        AtOnce, Late, Leaf,
    }

    // Fails before a suspension, after one, or since the task fails. It is awaited by direct calls, so its callers are suspended with it.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<int> Fail(Bottom bottom, Task task)
    {
        if (bottom == Bottom.AtOnce)
        {
            await Task.CompletedTask;
            throw new InvalidOperationException("at once");
        }
        if (bottom == Bottom.Late)
        {
            await Task.Yield();
            throw new InvalidOperationException("late");
        }
        await task;
        return 1;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask<int> Deep(Bottom bottom, Task task) => await Plain(bottom, task) + 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<int> Deeper(Bottom bottom, Task task) => await Deep(bottom, task);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<int> Plain(Bottom bottom, Task task) => await Fail(bottom, task);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<int> Empty(Bottom bottom, Task task)
    {
        try
        {
            return await Fail(bottom, task);
        }
        finally
        {
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<int> Removable(Bottom bottom, Task task)
    {
        try
        {
            return await Fail(bottom, task);
        }
        finally
        {
            if (never)
            {
                Console.WriteLine("never");
            }
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<int> EmptyCall(Bottom bottom, Task task)
    {
        try
        {
            return await Fail(bottom, task);
        }
        finally
        {
            _ = Math.Max(1, 2);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<int> Inlined(Bottom bottom, Task task)
    {
        try
        {
            return await Fail(bottom, task);
        }
        finally
        {
            Clean();
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Clean() => cleaned++;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<int> Called(Bottom bottom, Task task)
    {
        try
        {
            return await Fail(bottom, task);
        }
        finally
        {
            CleanElsewhere();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CleanElsewhere() => cleaned++;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<int> Awaiting(Bottom bottom, Task task)
    {
        try
        {
            return await Fail(bottom, task);
        }
        finally
        {
            await Task.Yield();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<int> Nested(Bottom bottom, Task task)
    {
        try
        {
            try
            {
                return await Removable(bottom, task);
            }
            finally
            {
            }
        }
        finally
        {
            Clean();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<int> Mismatched(Bottom bottom, Task task)
    {
        try
        {
            return await Fail(bottom, task);
        }
        catch (FormatException)
        {
            return 0;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<int> Filtered(Bottom bottom, Task task)
    {
        try
        {
            return await Fail(bottom, task);
        }
        catch (InvalidOperationException) when (never)
        {
            return 0;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<int> Rethrown(Bottom bottom, Task task)
    {
        try
        {
            return await Fail(bottom, task);
        }
        catch (InvalidOperationException)
        {
            throw;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<int> Replaced(Bottom bottom, Task task)
    {
        try
        {
            return await Fail(bottom, task);
        }
        catch (InvalidOperationException problem)
        {
            throw new FormatException("replaced", problem);
        }
    }

    // Has no await.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<int> Synchronous(Bottom bottom, Task task)
    {
        try
        {
            throw new InvalidOperationException("synchronous");
        }
        finally
        {
            Clean();
        }
    }

    private static readonly (string, Func<Bottom, Task, Task<int>>)[] middles =
    [
        ("plain", Plain), ("deep", Deeper), ("empty", Empty),
        ("removable", Removable), ("empty call", EmptyCall), ("inlined", Inlined), ("called", Called), ("awaiting", Awaiting),
        ("nested", Nested), ("mismatched", Mismatched), ("filtered", Filtered), ("rethrown", Rethrown), ("replaced", Replaced),
        ("synchronous", Synchronous),
    ];

    private static async Task<string> Catch(Func<Bottom, Task, Task<int>> middle, Bottom bottom)
    {
        int before = firstChances;
        var source = new TaskCompletionSource();
        Task<int> result = middle(bottom, source.Task);
        source.SetException(new InvalidOperationException("task"));
        ((IAsyncResult)result).AsyncWaitHandle.WaitOne();
        try
        {
            return (await result).ToString();
        }
        catch (Exception problem)
        {
            return $"{firstChances - before} first chances\n{problem}";
        }
    }

    public static async Task<string> All()
    {
        AppDomain.CurrentDomain.FirstChanceException += (_, _) => Interlocked.Increment(ref firstChances);
        Bottom[] bottoms = Enum.GetValues<Bottom>();
        if (Tiers.AreAwaited)
        {
            var tiers = new Tiers();
            do
            {
                for (int i = 0; i < 10; i++)
                {
                    foreach (var (_, middle) in middles)
                    {
                        foreach (Bottom bottom in bottoms)
                        {
                            await Catch(middle, bottom);
                        }
                    }
                }
            }
            while (!tiers.Settled());
            firstChances = cleaned = 0;
        }
        foreach (var (name, middle) in middles)
        {
            foreach (Bottom bottom in bottoms)
            {
                Console.WriteLine($"-- {name}, {bottom}: {await Catch(middle, bottom)}");
            }
        }
        return $"{firstChances} first chances, {cleaned} cleaned";
    }
}
