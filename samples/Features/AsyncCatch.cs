// Waiting in a handler, and a fault that travels through a task.
namespace Features;

internal static class AsyncCatch
{
    public static void Run()
    {
        SingleThread.Run(Work);
    }

    private static async Task Work()
    {
        string text = "none";
        try
        {
            await Fail(3);
        }
        catch (InvalidOperationException problem)
        {
            await Task.Yield();
            text = problem.Message;
        }
        finally
        {
            await Task.Yield();
            text += "!";
        }
        Console.WriteLine(text);
    }

    private static async Task Fail(int code)
    {
        await Task.Yield();
        throw new InvalidOperationException($"code {code}");
    }
}
