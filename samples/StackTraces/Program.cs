// Prints stack traces with line numbers, which recording must not change. No method here is inlined, and no call is in tail
// position except in Last(): optimised code inlines its callee. If it does not, Last() must still be in the
// trace.
using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace StackTraces;

internal static class Program
{
    private static int Main()
    {
        Print(Caught);
        Print(Rethrown);
        Print(() => Console.WriteLine(Chosen[0](1)));
        Print(Wrapped);
        Print(FromFinally);
        Print(Lambda);
        Print(Converting);
        Print(Enumerating);
        Print(Waiting);
        Print(Constructor);
        Console.WriteLine(Where(3));
        Frames();
        Console.WriteLine("stacktraces: success");
        return 0;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Print(Action action)
    {
        try
        {
            action();
        }
        catch (Exception problem)
        {
            Console.WriteLine(problem.ToString());
            Console.WriteLine();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Throw(string text)
    {
        if (text.Length > 0)
        {
            throw new InvalidOperationException(
                text);
        }
        return 0;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Caught()
    {
        int sum = 0;
        for (int i = 0; i < 3; i++) { sum += i == 2 ? Throw("caught") : i; }
        Console.WriteLine(sum);
    }

    private static int AddOne(int value)
    {
        return Throw("last") + value;
    }

    // Called through a delegate, and without NoInlining, since such methods make no tail calls.
    private static int Last(int value)
    {
        return AddOne(value);
    }

    private static readonly Func<int, int>[] Chosen = [Last, value => value];

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Rethrown()
    {
        try
        {
            Caught();
        }
        catch (InvalidOperationException)
        {
            Console.WriteLine("again");
            throw;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Wrapped()
    {
        try
        {
            Rethrown();
        }
        catch (InvalidOperationException problem) when (problem.Message.Length > 0)
        {
            throw new ArgumentException("wrapped", problem);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void FromFinally()
    {
        try
        {
            Console.WriteLine(Throw("first"));
        }
        finally
        {
            Console.WriteLine(Throw("from finally"));
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Lambda()
    {
        int captured = 1;
        Func<int, int> f = n =>
        {
            captured += n;
            return captured + Throw("lambda");
        };
        Console.WriteLine(f(captured));
    }

    private static class Generic<T>
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static T Convert(int n)
        {
            if (Throw("generic") == n)
            {
                return default;
            }
            return default;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Converting()
    {
        int count = new List<int> { 1 }.ConvertAll(Generic<string>.Convert).Count;
        Console.WriteLine($"never {count}");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Enumerating()
    {
        int last = Numbers().Last();
        Console.WriteLine($"never {last}");
    }

    private static IEnumerable<int> Numbers()
    {
        for (int i = 0; ; i++)
        {
            if (i == 2)
            {
                Console.WriteLine(Throw("iterator"));
            }
            yield return i;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Waiting()
    {
        Asynchronous(2).Wait();
        Console.WriteLine("never");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<int> Asynchronous(int depth)
    {
        await Task.Yield();
        if (depth == 0)
        {
            return Throw("asynchronous");
        }
        return 1 + await Asynchronous(depth - 1);
    }

    private sealed class Made
    {
        private readonly int number = Throw("constructor");

        [MethodImpl(MethodImplOptions.NoInlining)]
        public Made(int more)
        {
            number += more;
        }

        public override string ToString() => number.ToString();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Constructor()
    {
        var made = new Made(1);
        Console.WriteLine(made);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static string Where(int depth)
    {
        string text = depth == 0
            ? Environment.StackTrace
            : Where(depth - 1);
        return text + depth;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Frames()
    {
        foreach (StackFrame frame in new StackTrace(true).GetFrames())
        {
            string file = Path.GetFileName(frame.GetFileName());
            Console.WriteLine($"{frame.GetMethod()?.Name} {file}:{frame.GetFileLineNumber()}:{frame.GetFileColumnNumber()}");
        }
    }
}
