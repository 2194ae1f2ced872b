// Work of every kind that is recorded, over and over until standard input ends, while a test overwrites what the agent shares
// with the collector: calls, statements, values, objects, exceptions, collections, and threads that come and go. Every round
// checks its results.
using System.Runtime.CompilerServices;

namespace Survive;

internal static class Busy
{
    private sealed class Link(Link? next, int value)
    {
        public readonly Link? Next = next;
        public int Value = value;
    }

    private struct Pair
    {
        public long Left;
        public int Right;
    }

    private static int Fib(int n) => n < 2 ? n : Fib(n - 1) + Fib(n - 2);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Listed(int count)
    {
        Link? list = null;
        var pairs = new Pair[count];
        for (int i = 0; i < count; i++)
        {
            list = new Link(list, i);
            pairs[i] = new Pair { Left = i, Right = i + 1 };
        }
        int sum = 0;
        for (Link? link = list; link != null; link = link.Next)
        {
            link.Value += 1;
            sum += link.Value;
        }
        foreach (Pair pair in pairs)
        {
            sum += (int)pair.Left - pair.Right;
        }
        return sum;
    }

    private static int Thrown(int depth)
    {
        if (depth == 0)
        {
            throw new InvalidOperationException("on purpose");
        }
        return Thrown(depth - 1) + 1;
    }

    private static int Caught(int depth)
    {
        try
        {
            return Thrown(depth);
        }
        catch (InvalidOperationException problem) when (problem.Message.Length > Fib(2))
        {
            return Fib(5);
        }
        finally
        {
            _ = Listed(1);
        }
    }

    private static string Text(int number)
    {
        string text = "n" + number;
        object box = text.Length;
        return text + (int)box;
    }

    private static bool Round(int number)
    {
        return Fib(10) == 55 && Listed(20) == 190 && Caught(3) == 5 && Text(number).Length == $"{number}".Length + 2;
    }

    private static bool OnAnotherThread(int number)
    {
        bool right = false;
        var thread = new Thread(() => right = Round(number));
        thread.Start();
        thread.Join();
        return right;
    }

    // Two threads work, so that they also meet at what all threads share.
    private static int Work(CancellationToken end)
    {
        int wrong = 0;
        for (int i = 0; !end.IsCancellationRequested; i++)
        {
            wrong += Round(i) && (i % 8 != 0 || OnAnotherThread(i)) ? 0 : 1;
            if (i % 64 == 0)
            {
                GC.Collect(0);
            }
        }
        return wrong;
    }

    public static void UntilTheEndOfInput()
    {
        using var end = new CancellationTokenSource();
        int other = 0;
        var thread = new Thread(() => other = Work(end.Token));
        var reader = new Thread(() =>
        {
            while (Console.In.Read() >= 0) { }
            end.Cancel();
        });
        reader.Start();
        thread.Start();
        Program.Say("ready");
        int wrong = Work(end.Token);
        thread.Join();
        reader.Join();
        Program.Say($"wrong: {wrong + other}");
    }
}
