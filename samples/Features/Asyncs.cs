// An asynchronous method is one method with its locals, however often it waits.
namespace Features;

internal static class Asyncs
{
    public static void Run()
    {
        SingleThread.Run(Work);
    }

    private static async Task Work()
    {
        int sum = await Add(1, 2);
        await Task.Yield();
        sum += await Add(sum, 4);
        Console.WriteLine(sum);
    }

    private static async Task<int> Add(int left, int right)
    {
        await Task.Yield();
        int result = left + right;
        return result;
    }
}
