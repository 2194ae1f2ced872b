// Methods whose last act is a call of themselves. Each says how often it was called and how deep that was in the source, which is what
// a recording has to say in every build: also where the JIT keeps no frame for the caller.
using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Recursion;

internal sealed class Node(int value, Node left, Node right)
{
    public int Value { get; } = value;
    public Node Left { get; } = left;
    public Node Right { get; } = right;
}

internal static class Program
{
    private static int _seen;

    private static int Main(string[] arguments)
    {
        int deep = arguments.Length > 0 ? int.Parse(arguments[0]) : 1000;
        Walk(Made(3));
        Console.WriteLine($"walked {_seen}");
        Console.WriteLine($"summed {Sum(deep, 0)}");
        Console.WriteLine($"mixed {Mixed(20, 0)}");
        Console.WriteLine($"even {Even(101)}");
        Console.WriteLine($"caught {Caught(3)}");
        Console.WriteLine($"guarded {Guarded(4)}");
        Down(deep);
        return 0;
    }

    private static Node Made(int levels) => levels == 0 ? null : new Node(levels, Made(levels - 1), Made(levels - 1));

    // One root of 15 calls: the call behind the addition is the last act.
    private static void Walk(Node node)
    {
        if (node == null)
        {
            return;
        }
        Walk(node.Left);
        _seen += node.Value;
        Walk(node.Right);
    }

    // Optimised, the JIT makes a loop of it.
    private static long Sum(int left, long sum)
    {
        if (left == 0)
        {
            return sum;
        }
        return Sum(left - 1, sum + left);
    }

    // Two calls in last position, one of them with something else before.
    private static int Mixed(int left, int sum)
    {
        if (left == 0)
        {
            return sum;
        }
        if (left % 3 == 0)
        {
            int more = Twice(left);
            return Mixed(left - 1, sum + more);
        }
        return Mixed(left - 1, sum + 1);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Twice(int number) => number * 2;

    private static bool Even(int number) => number == 0 || Odd(number - 1);

    private static bool Odd(int number) => number != 0 && Even(number - 1);

    // Three calls that an exception ends.
    private static string Caught(int levels)
    {
        try
        {
            Crash(levels);
        }
        catch (InvalidOperationException exception)
        {
            return exception.Message + " " + new StackTrace(exception).GetFrames().Count(frame => frame.GetMethod()!.Name == nameof(Crash));
        }
        return "nothing";
    }

    private static void Crash(int levels)
    {
        if (levels == 1)
        {
            throw new InvalidOperationException("crashed");
        }
        Crash(levels - 1);
    }

    // The exception of the innermost passes calls in last position, is caught by another activation of the method, and that goes on.
    private static int Guarded(int levels)
    {
        if (levels == 0)
        {
            Crash(2);
        }
        if (levels % 2 == 0)
        {
            try
            {
                Guarded(levels - 1);
            }
            catch (InvalidOperationException)
            {
                return Mixed(2, levels);
            }
        }
        return Guarded(levels - 1);
    }

    // Not optimised in any build: each call has its frame.
    [MethodImpl(MethodImplOptions.NoOptimization)]
    private static void Down(int levels)
    {
        if (levels == 0)
        {
            return;
        }
        Down(levels - 1);
    }
}
