// Two threads, one after the other, each with its own.
namespace Features;

internal static class Threads
{
    private static int sum;

    public static void Run()
    {
        for (int number = 1; number <= 2; number++)
        {
            int own = number * 10;
            var thread = new Thread(() => Work(own));
            thread.Start();
            thread.Join();
        }
        Console.WriteLine(sum);
    }

    private static void Work(int amount)
    {
        int before = Interlocked.Add(ref sum, amount);
        sum = before + 1;
    }
}
