// Items that come one after the other, asynchronously.
namespace Features;

internal static class AsyncStreams
{
    public static void Run()
    {
        SingleThread.Run(Work);
    }

    private static async Task Work()
    {
        int sum = 0;
        await foreach (int item in Items(2))
        {
            sum += item;
        }
        Console.WriteLine(sum);
    }

    private static async IAsyncEnumerable<int> Items(int count)
    {
        for (int i = 1; i <= count; i++)
        {
            await Task.Yield();
            yield return i * 10;
        }
    }
}
