// An awaiter whose OnCompleted throws: the runtime throws that on a thread of the pool, and what awaited never continues.
using System.Runtime.CompilerServices;

namespace RuntimeAsync;

internal static class Refusals
{
    private readonly struct Refusing : ICriticalNotifyCompletion
    {
        public Refusing GetAwaiter() => this;

        public bool IsCompleted => false;

        public void OnCompleted(Action goOn) => throw new InvalidOperationException("refused");

        public void UnsafeOnCompleted(Action goOn) => throw new InvalidOperationException("refused");

        public void GetResult()
        {
        }
    }

    private static async Task Refuse()
    {
        try
        {
            await default(Refusing);
        }
        finally
        {
            Console.WriteLine("never");
        }
    }

    private static async Task Above() => await Refuse();

    public static string Refused()
    {
        AppDomain.CurrentDomain.UnhandledException += (_, problem) =>
        {
            Console.WriteLine(((Exception)problem.ExceptionObject).Message);
            Console.WriteLine("runtime async: success");
            Environment.Exit(0);
        };
        _ = Above();
        Thread.Sleep(Timeout.Infinite);
        return "";
    }
}
