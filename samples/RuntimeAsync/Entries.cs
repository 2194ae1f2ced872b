// Methods that are called for their task, through the entry that the runtime makes for that, and not awaited directly.
namespace RuntimeAsync;

internal static class Entries
{
    private static async Task<int> Plain(int n)
    {
        await Task.Yield();
        return n;
    }

    private static async Task<int> Generic<T>(T value, int n)
    {
        await Task.Yield();
        return value == null ? 0 : n;
    }

    private sealed class Box<T>(T content)
    {
        internal async Task<int> Get(int n)
        {
            await Task.Yield();
            return content == null ? 0 : n;
        }
    }

    // Fails at once where n is 0. The entry catches that and makes a failed task of it, between two activations of the method.
    private static async Task<int> Failing(int n)
    {
        await Task.CompletedTask;
        return n > 0 ? Between(n) : throw new InvalidOperationException("failed");
    }

    private static int Between(int n)
    {
        Task<int> inner = Failing(n - 1);
        return inner.IsFaulted ? n : 0;
    }

    private static async Task<int> FailingIn<T>(T value, int n)
    {
        await Task.CompletedTask;
        return n > 0 ? BetweenIn(value, n) : throw new InvalidOperationException("failed");
    }

    private static int BetweenIn<T>(T value, int n)
    {
        Task<int> inner = FailingIn(value, n - 1);
        return inner.IsFaulted ? n : 0;
    }

    internal static async Task<string> All()
    {
        int sum = 0;
        Task<int>[] tasks = [Plain(1), Generic("x", 2), Generic(1, 3), Generic((1, "y"), 4), new Box<string>("x").Get(5), new Box<int>(1).Get(6),
            Failing(2), FailingIn("x", 2), FailingIn(1, 2)];
        foreach (Task<int> task in tasks)
        {
            sum += await task;
        }
        return $"{sum}";
    }
}
