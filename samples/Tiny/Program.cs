// Methods without calls, loops and handlers below 16 bytes of IL (Is*), and methods that have one of these, or are longer (Not*).
// Each counts where it is called, on four threads; the program writes the sums to stderr.
using System.Runtime.CompilerServices;

namespace Tiny;

internal struct Pair
{
    public int First;

    public Pair(int first) => First = first; // of a structure: it calls no other constructor

    public readonly int IsSum(int more) => First + more;
}

internal interface IShape
{
    int IsSize { get; }
}

internal sealed class Square(int side) : IShape
{
    public int IsSize => side;
    public int IsSet { get; set; }
}

internal sealed class Circle : IShape
{
    public int IsSize => 3;
}

internal static class Late
{
    public static int IsLate = Program.NotLate(); // runs below the getter that needs it first

    static Late()
    {
    }

    public static int IsRead => IsLate;
}

internal static class Program
{
    private static readonly Dictionary<string, int> Sums = [];

    [ThreadStatic]
    private static Dictionary<string, int> mine;

    private static void Called(string name) => mine[name] = mine.GetValueOrDefault(name) + 1;

    internal static int NotLate() => Math.Max(1, 2);

    private static int IsChosen(bool first) => first ? 1 : 2;

    private static T IsSame<T>(T value) => value;

    private static int IsThrown(Exception exception) => throw exception;

    private static long NotShort(long a, long b) => a * 3 + b * 5 + a * 7 + b * 11 + a * 13 + b;

    private static int NotCaller(int value) => Math.Abs(value);

    private static object NotMaker() => new();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void NotLoop(int n)
    {
        do
        {
            n--;
        }
        while (n > 0);
    }

    private static int NotTried(int value)
    {
        try
        {
            return value;
        }
        finally
        {
            value = 0;
        }
    }

    private static int Shapes(IShape shape, string name)
    {
        Called($"Tiny.{name}.IsSize.get()");
        return shape.IsSize;
    }

    private static int Caught(int i)
    {
        Called("Tiny.Program.IsThrown(Exception)");
        try
        {
            return IsThrown(new InvalidOperationException("tiny"));
        }
        catch (InvalidOperationException)
        {
            return i;
        }
    }

    private static long Round(int i)
    {
        var square = new Square(i);
        Called("Tiny.Square.IsSet.set(int)");
        square.IsSet = Shapes(square, "Square") + Shapes(new Circle(), "Circle");
        Called("Tiny.Square.IsSet.get()");
        Called("Tiny.Pair..ctor(int)");
        Called("Tiny.Pair.IsSum(int)");
        Called("Tiny.Program.IsChosen(bool)");
        Called("Tiny.Late.IsRead.get()");
        Called("Tiny.Program.NotShort(long, long)");
        Called("Tiny.Program.NotCaller(int)");
        Called("Tiny.Program.NotMaker()");
        Called("Tiny.Program.NotLoop(int)");
        Called("Tiny.Program.NotTried(int)");
        for (int same = 0; same < 3; same++)
        {
            Called("Tiny.Program.IsSame<T>(T)");
        }
        NotLoop(2);
        return new Pair(i).IsSum(1) + square.IsSet + IsChosen(i % 2 == 0) + Late.IsRead + NotShort(i, 2) + NotCaller(-i) +
               IsSame(1) + IsSame("x").Length + IsSame(2.5).CompareTo(1) + NotTried(i) + NotMaker().ToString().Length;
    }

    private static void Work(int rounds)
    {
        mine = [];
        long sum = 0;
        for (int i = 0; i < rounds; i++)
        {
            sum += Round(i) + (i % 100 == 0 ? Caught(i) : 0);
        }
        lock (Sums)
        {
            Console.WriteLine(sum);
            foreach (var (name, calls) in mine)
            {
                Sums[name] = Sums.GetValueOrDefault(name) + calls;
            }
        }
    }

    private static void Main()
    {
        for (int rounds = 1000; rounds <= 4000; rounds += 1000)
        {
            int of = rounds;
            var thread = new Thread(() => Work(of)) { Name = $"tiny {rounds}" };
            thread.Start();
            thread.Join();
        }
        foreach (var (name, calls) in Sums)
        {
            Console.Error.WriteLine($"{calls} {name}");
        }
    }
}
