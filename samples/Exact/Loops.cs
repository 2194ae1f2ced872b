// Hot code: callees small enough to inline, loops long enough for on-stack replacement and for the next tier.
namespace Exact;

internal static class Loops
{
    public static void Run()
    {
        Count.Hit("Exact.Loops.Run()");
        Console.WriteLine($"hot {Hot(60_000)}");
        Console.WriteLine($"nested {Nested(120)}");
        Console.WriteLine($"guessed {Guessed(30_000)}");
        int sum = 0;
        for (int i = 0; i < 300; i++)
        {
            sum += Warm(i);
        }
        Console.WriteLine($"warm {sum}");
    }

    private static int Add(int a, int b)
    {
        Count.Hit("Exact.Loops.Add(int, int)");
        return a + b;
    }

    private static int AddTwice(int a, int b)
    {
        Count.Hit("Exact.Loops.AddTwice(int, int)");
        return Add(Add(a, b), b);
    }

    private static int Hot(int times)
    {
        Count.Hit("Exact.Loops.Hot(int)");
        int sum = 0;
        for (int i = 0; i < times; i++)
        {
            sum = AddTwice(sum, i & 3);
        }
        return sum;
    }

    private static int Nested(int size)
    {
        Count.Hit("Exact.Loops.Nested(int)");
        int sum = 0;
        for (int i = 0; i < size; i++)
        {
            for (int j = 0; j < size; j++)
            {
                sum = Add(sum, i ^ j);
            }
        }
        return sum;
    }

    private abstract class Step
    {
        public abstract int Next(int n);
    }

    private sealed class Up : Step
    {
        public override int Next(int n)
        {
            Count.Hit("Exact.Loops.Up.Next(int)");
            return n + 1;
        }
    }

    private sealed class Flip : Step
    {
        public override int Next(int n)
        {
            Count.Hit("Exact.Loops.Flip.Next(int)");
            return ~n;
        }
    }

    // Mostly one type and delegate: profile-guided code guesses them and must still count the others.
    private static int Guessed(int times)
    {
        Count.Hit("Exact.Loops.Guessed(int)");
        Count.Add("Exact.Loops.Up..ctor()", 1);
        Count.Add("Exact.Loops.Flip..ctor()", 1);
        Count.Add("Exact.Loops.Step..ctor()", 2);
        Step up = new Up();
        Step flip = new Flip();
        Func<int, int> often = n =>
        {
            Count.Hit("Exact.Loops.Guessed.lambda#1(int)");
            return n + 3;
        };
        Func<int, int> seldom = n =>
        {
            Count.Hit("Exact.Loops.Guessed.lambda#2(int)");
            return n - 1;
        };
        int sum = 0;
        for (int i = 0; i < times; i++)
        {
            Step step = i % 100 == 99 ? flip : up;
            Func<int, int> f = i % 64 == 63 ? seldom : often;
            sum = f(step.Next(sum));
        }
        return sum;
    }

    private static int Warm(int n)
    {
        Count.Hit("Exact.Loops.Warm(int)");
        int sum = 0;
        for (int i = 0; i < 20; i++)
        {
            sum = Add(sum, n);
        }
        return sum;
    }
}
