// Plain calls of every kind: static, recursive, virtual, interface, delegate, lambda, local function, tail position.
namespace Exact;

internal static class Calls
{
    public static void Run()
    {
        Count.Hit("Exact.Calls.Run()");
        Console.WriteLine($"fib {Fib(15)}");
        Console.WriteLine($"even {IsEven(40)} odd {IsOdd(7)}");
        Console.WriteLine($"ackermann {Ackermann(2, 3)}");
        Console.WriteLine($"down {Down(100)}");
        Interfaces();
        Delegates();
        LocalFunctions();
        Arguments();
        Patterns();
        Disposal();
        Memory();
    }

    private static int Fib(int n)
    {
        Count.Hit("Exact.Calls.Fib(int)");
        return n < 2 ? n : Fib(n - 1) + Fib(n - 2);
    }

    private static bool IsEven(int n)
    {
        Count.Hit("Exact.Calls.IsEven(int)");
        return n == 0 || IsOdd(n - 1);
    }

    private static bool IsOdd(int n)
    {
        Count.Hit("Exact.Calls.IsOdd(int)");
        return n != 0 && IsEven(n - 1);
    }

    private static int Ackermann(int m, int n)
    {
        Count.Hit("Exact.Calls.Ackermann(int, int)");
        if (m == 0)
        {
            return n + 1;
        }
        return n == 0 ? Ackermann(m - 1, 1) : Ackermann(m - 1, Ackermann(m, n - 1));
    }

    // In tail position: an optimising JIT may make a loop of it.
    private static int Down(int n)
    {
        Count.Hit("Exact.Calls.Down(int)");
        if (n == 0)
        {
            return 0;
        }
        return Down(n - 1);
    }

    private interface IShape
    {
        int Area();

        int Twice()
        {
            Count.Hit("Exact.Calls.IShape.Twice()");
            return 2 * Area();
        }
    }

    private abstract class Shape : IShape
    {
        public abstract int Area();

        public virtual string Name()
        {
            Count.Hit("Exact.Calls.Shape.Name()");
            return "shape";
        }
    }

    private sealed class Square(int side) : Shape
    {
        public override int Area()
        {
            Count.Hit("Exact.Calls.Square.Area()");
            return side * side;
        }

        public override string Name()
        {
            Count.Hit("Exact.Calls.Square.Name()");
            return "square of " + base.Name();
        }
    }

    private sealed class Line : Shape, IComparable
    {
        public override int Area()
        {
            Count.Hit("Exact.Calls.Line.Area()");
            return 0;
        }

        int IComparable.CompareTo(object other)
        {
            Count.Hit("Exact.Calls.Line.IComparable.CompareTo(object)");
            return other is Line ? 0 : 1;
        }
    }

    private static void Interfaces()
    {
        Count.Hit("Exact.Calls.Interfaces()");
        Count.Add("Exact.Calls.Square..ctor(int)", 2);
        Count.Add("Exact.Calls.Line..ctor()", 2);
        Count.Add("Exact.Calls.Shape..ctor()", 4);
        Shape[] shapes = [new Square(2), new Line(), new Square(3)];
        int area = 0;
        foreach (Shape shape in shapes)
        {
            IShape seen = shape;
            area += shape.Area() + seen.Area() + seen.Twice();
            Console.WriteLine(shape.Name());
        }
        IComparable comparable = new Line();
        Console.WriteLine($"area {area} compare {comparable.CompareTo(shapes[1])}");
    }

    private static int sum;

    private static void Tally(int n)
    {
        Count.Hit("Exact.Calls.Tally(int)");
        sum += n;
    }

    private static int Apply(Func<int, int> f, int x)
    {
        Count.Hit("Exact.Calls.Apply(Func<int, int>, int)");
        return f(x);
    }

    private static void Delegates()
    {
        Count.Hit("Exact.Calls.Delegates()");
        Action<int> many = Tally;
        many += Tally;
        many += n =>
        {
            Count.Hit("Exact.Calls.Delegates.lambda#1(int)");
            sum -= n;
        };
        many(5);
        many(6);
        int captured = 10;
        Func<int, int> add = n =>
        {
            Count.Hit("Exact.Calls.Delegates.lambda#2(int)");
            return n + captured;
        };
        captured = 20;
        int total = Apply(add, 1) + Apply(add, 2);
        int[] numbers = [5, 3, 9, 1];
        int[] picked = numbers.Where(n =>
        {
            Count.Hit("Exact.Calls.Delegates.lambda#3(int)");
            return n > 2;
        }).ToArray();
        Func<int, Func<int, int>> curried = a =>
        {
            Count.Hit("Exact.Calls.Delegates.lambda#4(int)");
            return b =>
            {
                Count.Hit("Exact.Calls.Delegates.lambda#5(int)");
                return a * b;
            };
        };
        Console.WriteLine($"sum {sum} total {total} picked {picked.Length} curried {curried(6)(7) + curried(2)(3)}");
    }

    private static void LocalFunctions()
    {
        Count.Hit("Exact.Calls.LocalFunctions()");
        int calls = 0;
        int Factorial(int n)
        {
            Count.Hit("Exact.Calls.LocalFunctions.Factorial(int)");
            calls++;
            return n <= 1 ? 1 : n * Factorial(n - 1);
        }

        static T Same<T>(T value)
        {
            Count.Hit("Exact.Calls.LocalFunctions.Same<T>(T)");
            return value;
        }

        Console.WriteLine($"factorial {Factorial(10)} calls {calls} same {Same(3)}{Same("x")}");
    }

    private static int Optional(int a, int b = 2, params int[] rest)
    {
        Count.Hit("Exact.Calls.Optional(int, int, int[])");
        return a + b + rest.Length;
    }

    private static bool Split(string text, out int length, ref int total, in int least)
    {
        Count.Hit("Exact.Calls.Split(string, out int, ref int, in int)");
        length = text.Length;
        total += length;
        return length >= least;
    }

    private static (int Low, int High) Range(int? a, decimal b)
    {
        Count.Hit("Exact.Calls.Range(int?, decimal)");
        return (a ?? 0, (int)b);
    }

    private static void Arguments()
    {
        Count.Hit("Exact.Calls.Arguments()");
        int total = Optional(1) + Optional(1, 3) + Optional(1, 2, 3, 4, 5);
        bool enough = Split("hello", out int length, ref total, 3);
        var (low, high) = Range(null, 7.5m);
        Console.WriteLine($"total {total} enough {enough} length {length} range {low}..{high}");
    }

    private static string Describe(object thing)
    {
        Count.Hit("Exact.Calls.Describe(object)");
        return thing switch
        {
            null => "nothing",
            int n when Positive(n) => "positive",
            int => "number",
            string { Length: > 3 } => "long text",
            string => "text",
            int[] and [1, .., 9] => "one to nine",
            _ => "other",
        };
    }

    private static bool Positive(int n)
    {
        Count.Hit("Exact.Calls.Positive(int)");
        return n > 0;
    }

    private static void Patterns()
    {
        Count.Hit("Exact.Calls.Patterns()");
        object[] things = [null, 3, -3, "abc", "abcd", new[] { 1, 5, 9 }, 2.5];
        Console.WriteLine(string.Join(", ", things.Select(Describe)));
    }

    private sealed class Resource : IDisposable
    {
        public static int Open;

        public Resource()
        {
            Count.Hit("Exact.Calls.Resource..ctor()");
            Open++;
        }

        public void Dispose()
        {
            Count.Hit("Exact.Calls.Resource.Dispose()");
            Open--;
        }
    }

    private ref struct Scope
    {
        public Scope(int start)
        {
            Count.Hit("Exact.Calls.Scope..ctor(int)");
            sum = start;
        }

        public readonly void Dispose()
        {
            Count.Hit("Exact.Calls.Scope.Dispose()");
            sum = 0;
        }
    }

    private static void Disposal()
    {
        Count.Hit("Exact.Calls.Disposal()");
        for (int i = 0; i < 3; i++)
        {
            using var outer = new Resource();
            using (new Resource())
            {
                if (i == 1)
                {
                    continue;
                }
            }
        }
        using (var scope = new Scope(4))
        {
            Console.WriteLine($"scope {sum}");
        }
        Console.WriteLine($"open {Resource.Open} sum {sum}");
    }

    private static ref int Find(int[] numbers, int wanted)
    {
        Count.Hit("Exact.Calls.Find(int[], int)");
        for (int i = 0; i < numbers.Length; i++)
        {
            if (numbers[i] == wanted)
            {
                return ref numbers[i];
            }
        }
        return ref numbers[0];
    }

    private static ref readonly int Longest(in int a, in int b)
    {
        Count.Hit("Exact.Calls.Longest(in int, in int)");
        return ref a > b ? ref a : ref b;
    }

    private static int Sum(ReadOnlySpan<int> numbers)
    {
        Count.Hit("Exact.Calls.Sum(ReadOnlySpan<int>)");
        return numbers.IsEmpty ? 0 : numbers[0] + Sum(numbers[1..]);
    }

    private static Span<int> Tail(Span<int> numbers)
    {
        Count.Hit("Exact.Calls.Tail(Span<int>)");
        return numbers[1..];
    }

    private static int OnStack(int size)
    {
        Count.Hit("Exact.Calls.OnStack(int)");
        Span<int> numbers = stackalloc int[size];
        for (int i = 0; i < size; i++)
        {
            numbers[i] = i;
        }
        return Sum(Tail(numbers));
    }

    private static unsafe int Pointers(int* numbers, int count)
    {
        Count.Hit("Exact.Calls.Pointers(int*, int)");
        int total = 0;
        for (int i = 0; i < count; i++)
        {
            total += numbers[i];
        }
        return total;
    }

    private static unsafe void Memory()
    {
        Count.Hit("Exact.Calls.Memory()");
        int[] numbers = [4, 8, 15, 16, 23, 42];
        Find(numbers, 15) = 100;
        Find(numbers, 42)++;
        int five = 5;
        int nine = 9;
        int total = OnStack(10) + Longest(in five, in nine);
        int* few = stackalloc int[3] { 1, 2, 3 };
        fixed (int* many = numbers)
        {
            total += Pointers(few, 3) + Pointers(many, numbers.Length);
        }
        Console.WriteLine($"found {numbers[2]} {numbers[5]} total {total}");
    }
}
