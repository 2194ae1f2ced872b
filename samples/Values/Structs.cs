// Structs of every make, field by field, and every way to write one.
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Values;

internal struct Point
{
    public int X;
    public int Y;

    public Point(int x, int y)
    {
        X = x; Oracle.Field("X", X);
        Y = y; Oracle.Field("Y", Y);
    }
}

internal struct Segment
{
    public Point From;
    public Point To;
    public string Name;
}

internal struct Pair<TFirst, TSecond>
{
    public TFirst First;
    public TSecond Second;
}

[StructLayout(LayoutKind.Explicit)]
internal struct Overlap
{
    [FieldOffset(0)] public int Whole;
    [FieldOffset(0)] public float AsFloat;
    [FieldOffset(0)] public byte Low;
    [FieldOffset(3)] public byte High;
    [FieldOffset(8)] public string Text;
}

[StructLayout(LayoutKind.Sequential, Pack = 1)]
internal struct Packed
{
    public byte Flag;
    public long Number;
    public short Tail;
}

[StructLayout(LayoutKind.Auto)]
internal struct Sorted
{
    public byte Flag;
    public long Number;
    public string Name;
    public short Tail;
}

internal struct Mixed
{
    public bool Flag;
    public char Letter;
    public Colour Colour;
    public decimal Price;
    public DateTime When;
    public int? Perhaps;
    public Guid Id;
    public object Anything;
    public int[] Numbers;
    public Action Act;
}

internal struct Empty;

internal readonly struct Reading
{
    public Reading(double value)
    {
        Value = value; Oracle.Field("Value", Value);
    }

    public double Value { get; }
}

internal struct Large
{
    public Int128 A, B, C, D, E, F, G, H;
    public string Name;
}

internal static class Structs
{
    public static void Run()
    {
        Whole();
        Parts();
        Layouts();
        Contents();
        Copies();
        Fluid();
        Called();
    }

    private static void Whole()
    {
        var made = new Point(1, 2); Oracle.Local("made", made);
        Point usual = default; Oracle.Local("usual", usual);
        Point initialised = new() { X = 3, Y = 4 }; Oracle.Local("initialised", initialised);
        made = new Point(5, 6); Oracle.Local("made", made);
        made = default; Oracle.Local("made", made);
        Point copy = initialised; Oracle.Local("copy", copy);
        Point changed = copy with { Y = 9 }; Oracle.Local("changed", changed);
        Empty empty = default; Oracle.Local("empty", empty);
        Point returned = Moved(copy, 1); Oracle.Local("returned", returned);
    }

    private static Point Moved(Point point, int by)
    { Oracle.Argument("point", point); Oracle.Argument("by", by);
        point.X += by; Oracle.Field("X", point.X);
        point = new Point(point.X, point.Y + by); Oracle.Local("point", point);
        Oracle.Result(point); return point;
    }

    private static void Parts()
    {
        Point point = default; Oracle.Local("point", point);
        point.X = 7; Oracle.Field("X", point.X);
        point.Y = point.X++; Oracle.Field("Y", point.Y); Oracle.Field("X", point.X);
        point.Y *= 2; Oracle.Field("Y", point.Y);
        Segment segment = default; Oracle.Local("segment", segment);
        segment.To.X = 8; Oracle.Field("To.X", segment.To.X); Oracle.Field("segment.To.X", segment.To.X);
        segment.From = point; Oracle.Field("From", segment.From);
        segment.Name = "edge"; Oracle.Field("Name", segment.Name);
        Segment copy = segment; Oracle.Local("copy", copy);
        segment.From = default; Oracle.Field("From", segment.From);
        segment.To = new Point(1, 1); Oracle.Field("To", segment.To);
    }

    private static void Layouts()
    {
        Overlap overlap = default; Oracle.Local("overlap", overlap);
        overlap.AsFloat = 1.5f; Oracle.Field("AsFloat", overlap.AsFloat);
        overlap.Text = "over"; Oracle.Field("Text", overlap.Text);
        Overlap same = overlap; Oracle.Local("same", same);
        same.High = 0xC0; Oracle.Field("High", same.High);
        overlap = same; Oracle.Local("overlap", overlap);
        var packed = new Packed { Flag = 1, Number = long.MinValue, Tail = -2 }; Oracle.Local("packed", packed);
        var sorted = new Sorted { Flag = 1, Number = 2, Name = "three", Tail = 4 }; Oracle.Local("sorted", sorted);
    }

    private static void Contents()
    {
        Mixed mixed = default; Oracle.Local("mixed", mixed);
        mixed.Flag = true; Oracle.Field("Flag", mixed.Flag);
        mixed.Letter = 'm'; Oracle.Field("Letter", mixed.Letter);
        mixed.Colour = Colour.Green; Oracle.Field("Colour", mixed.Colour);
        mixed.Price = 9.99m; Oracle.Field("Price", mixed.Price);
        mixed.When = new DateTime(2026, 7, 8, 9, 10, 11); Oracle.Field("When", mixed.When);
        mixed.Perhaps = 3; Oracle.Field("Perhaps", mixed.Perhaps);
        mixed.Id = new Guid("01020304-0506-0708-090a-0b0c0d0e0f10"); Oracle.Field("Id", mixed.Id);
        mixed.Anything = "any"; Oracle.Field("Anything", mixed.Anything);
        mixed.Numbers = new[] { 1 }; Oracle.Field("Numbers", mixed.Numbers);
        mixed.Act = Run; Oracle.Field("Act", mixed.Act);
        Mixed copy = mixed; Oracle.Local("copy", copy);
        Pair<int, string> pair = new() { First = 1, Second = "one" }; Oracle.Local("pair", pair);
        Pair<Point, Pair<bool, object>> nested = default; Oracle.Local("nested", nested);
        nested.First.Y = 2; Oracle.Field("First.Y", nested.First.Y);
        nested.Second.Second = pair; Oracle.Field("Second.Second", nested.Second.Second);
        nested.Second.First = true; Oracle.Field("Second.First", nested.Second.First);
        var after = nested; Oracle.Local("after", after);
        KeyValuePair<int, string> entry = new(1, "value"); Oracle.Local("entry", entry);
        Range range = 1..^2; Oracle.Local("range", range);
        CancellationToken stopping = default; Oracle.Local("stopping", stopping);
        ArraySegment<int> part = new(mixed.Numbers, 0, 1); Oracle.Local("part", part);
        Memory<int> memory = mixed.Numbers; Oracle.Local("memory", memory);
        var reading = new Reading(36.6); Oracle.Local("reading", reading);
        Large large = default; Oracle.Local("large", large);
        large.H = -1; Oracle.Field("H", large.H);
        large.Name = "large"; Oracle.Field("Name", large.Name);
        Large larger = large; Oracle.Local("larger", larger);
    }

    // Copied through references: ldobj and stobj.
    private static void Copies()
    {
        Segment from = default; Oracle.Local("from", from);
        from.Name = "from"; Oracle.Field("Name", from.Name);
        Segment to = default; Oracle.Local("to", to);
        Copy(ref to, in from); Oracle.Local("to", to);
        Clear(out from); Oracle.Local("from", from);
        Exchange(ref from, ref to); Oracle.Local("from", from); Oracle.Local("to", to);
        var boxed = new StrongBox<Segment>(to); Oracle.Local("boxed", boxed);
        boxed.Value.Name = "boxed"; Oracle.Field("Value.Name", boxed.Value.Name);
        boxed.Value = default; Oracle.Field("Value", boxed.Value);
    }

    private static void Copy(ref Segment to, in Segment from)
    {
        to = from; Oracle.Through("to", to);
        to.From.X = 11; Oracle.Field("From.X", to.From.X);
    }

    private static void Clear(out Segment segment)
    {
        segment = default; Oracle.Through("segment", segment);
    }

    private static void Exchange(ref Segment left, ref Segment right)
    {
        Segment kept = left; Oracle.Local("kept", kept);
        left = right; Oracle.Through("left", left);
        right = kept; Oracle.Through("right", right);
    }

    private struct Counter
    {
        private int count;

        public void Increment()
        { Oracle.Argument("this", this);
            count++; Oracle.Field("count", count);
        }

        public void Reset(int start)
        { Oracle.Argument("start", start); Oracle.Argument("this", this);
            this = default; Oracle.Through("this", this);
            count = start; Oracle.Field("count", count);
        }

        public void Become(Counter other)
        { Oracle.Argument("other", other); Oracle.Argument("this", this);
            this = other; Oracle.Through("this", this);
        }
    }

    private struct Valued
    {
        public int Value;
        public string Name;

        public readonly int Length()
        { Oracle.Argument("this", this);
            int length = Name.Length; Oracle.Local("length", length);
            return length;
        }
    }

    private struct Tens
    {
        public long A, B, C, D, E, F, G, H, I, J;

        public readonly override string ToString()
        { Oracle.Argument("this", this);
            return "tens";
        }
    }

    // On the heap, in arrays, boxed and large.
    private static void Called()
    {
        var numbers = new Valued[2]; Oracle.Local("numbers", numbers);
        numbers[1].Value = 3; Oracle.Field("Value", numbers[1].Value);
        numbers[1].Name = "three"; Oracle.Field("Name", numbers[1].Name);
        int length = numbers[1].Length(); Oracle.Local("length", length);
        Valued text = default; Oracle.Local("text", text);
        text.Name = "text"; Oracle.Field("Name", text.Name);
        length = text.Length(); Oracle.Local("length", length);
        object tens = new Tens { J = 10 }; Oracle.Local("tens", tens);
        string name = tens.ToString(); Oracle.Local("name", name);
    }

    // Methods that change the struct they are called on.
    private static void Fluid()
    {
        Counter counter = default; Oracle.Local("counter", counter);
        counter.Increment();
        counter.Reset(10);
        Counter copy = counter; Oracle.Local("copy", copy);
        copy.Increment();
        counter.Become(copy);
        Counter after = counter; Oracle.Local("after", after);
    }
}
