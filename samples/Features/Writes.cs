// What an assignment changes: items of arrays with several dimensions, fields of fields, items of collections.
namespace Features;

internal static class Writes
{
    private struct Inner
    {
        public int A;
        public string Text;
    }

    private struct Outer
    {
        public Inner In;
        public int B;
    }

    private sealed class Holder
    {
        public static Outer Shared;
        public Outer Own;
    }

    public static void Run()
    {
        Grids();
        Paths(new Holder());
        Lists(new Numbers());
        Dictionaries();
        Others("generic", 3);
        Spans(new int[3]);
    }

    private static void Grids()
    {
        int[,] grid = new int[3, 4];
        grid[1, 2] = 4;
        grid[2, 3] = grid[1, 2] + 1;
        string[,,] cube = new string[2, 3, 4];
        cube[1, 2, 3] = "corner";
        var bounded = (int[,])Array.CreateInstance(typeof(int), new[] { 2, 2 }, new[] { 5, -6 });
        bounded[6, -5] = 8;
        Console.WriteLine($"{grid[2, 3]} {cube[1, 2, 3]} {bounded[6, -5]}");
    }

    private static void Paths(Holder holder)
    {
        Outer outer = default;
        outer.In.A = 9;
        outer.In.Text = "in";
        outer.B = 1;
        holder.Own.In.A = 10;
        Holder.Shared.In.A = 11;
        Outer[] row = new Outer[2];
        row[1].In.A = 12;
        (int a, int b, int c, int d, int e, int f, int g, int h, int i) nine = (1, 2, 3, 4, 5, 6, 7, 8, 9);
        nine.h = 80;
        nine.b = 20;
        Console.WriteLine($"{outer.In.A} {outer.B} {holder.Own.In.A} {row[1].In.A} {nine.h}");
    }

    private sealed class Numbers : List<int>
    {
    }

    private static void Lists(Numbers numbers)
    {
        numbers.Add(5);
        numbers.Add(6);
        numbers[0]++;
        numbers.Insert(1, 7);
        try
        {
            numbers[3] = 8;
        }
        catch (ArgumentOutOfRangeException)
        {
            Console.WriteLine(numbers.Count);
        }
        var texts = new List<string> { "a", null };
        texts[1] = texts[0] + "b";
        Console.WriteLine($"{numbers[1]} {texts[1]}");
    }

    private enum Colour : byte
    {
        Red,
        Blue,
    }

    private static void Dictionaries()
    {
        var ages = new Dictionary<string, int> { ["Ann"] = 30 };
        ages["Ann"]++;
        ages.Add("Bob", 20);
        try
        {
            ages.Add("Bob", 21);
        }
        catch (ArgumentException)
        {
            Console.WriteLine(ages.Count);
        }
        var names = new SortedDictionary<Colour, object>();
        names[Colour.Blue] = "blue";
        names[Colour.Red] = 1;
        var letters = new Dictionary<char, Inner>();
        letters['x'] = new Inner { A = 1 };
        var wide = new Dictionary<long, double>();
        wide[1L << 40] = 0.5;
        Console.WriteLine($"{ages["Ann"]} {names.Count} {letters['x'].A} {wide.Count}");
    }

    private static void Others<T>(T first, int second)
    {
        var items = new List<T>();
        items.Add(first);
        items[0] = first;
        var queue = new Queue<int>();
        queue.Enqueue(1);
        queue.Enqueue(second);
        queue.Dequeue();
        queue.Enqueue(4);
        var stack = new Stack<string>();
        stack.Push("bottom");
        stack.Push("top");
        stack.Pop();
        stack.Push("new");
        Console.WriteLine($"{items[0]} {queue.Count} {stack.Count}");
    }

    private static unsafe void Spans(int[] data)
    {
        Span<int> span = data;
        span[1] = 5;
        for (int i = 0; i < 2; i++)
        {
            span[i + 1] += span[i] + 1;
        }
        Span<string> texts = new string[2];
        texts[1] = "s";
        span[span[0] = 2] = 7;
        fixed (int* start = data)
        {
            start[2] = 6;
            *(start + 1) = 8;
        }
        Console.WriteLine($"{span[1]} {texts[1]}");
    }
}
