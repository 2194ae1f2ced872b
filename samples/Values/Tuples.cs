// Tuples, whose items have names only in the source.
namespace Values;

internal static class Tuples
{
    private static (int Count, string Name) field;

    public static void Run()
    {
        Named();
        Taken((1, (2, "two")));
        Shared(new (int Key, string Text)[2]);
        new Owner().Change(new Box<(int Left, int Right)>());
        Elsewheres(new Elsewhere());
    }

    private static void Named()
    {
        (int, string) plain = (1, "one"); Oracle.Tuple("plain", plain, "Item1 Item2");
        (int Count, string Name) named = plain; Oracle.Tuple("named", named, "Count Name");
        named.Count = 5; Oracle.Field("Count", named.Count);
        named.Name += "!"; Oracle.Field("Name", named.Name);
        var copy = named; Oracle.Tuple("copy", copy, "Count Name");
        named = (7, null); Oracle.Tuple("named", named, "Count Name");
        var inferred = (copy.Count, Length: copy.Name.Length, 2.5); Oracle.Tuple("inferred", inferred, "Count Length Item3");
        (int a, int b, int c, int d, int e, int f, int g, int h, string i) nine = (1, 2, 3, 4, 5, 6, 7, 8, "nine");
        Oracle.Tuple("nine", nine, "a b c d e f g h i", Here() - 1);
        nine.h = 80; Oracle.Field("h", nine.h);
        (int count, string name) = copy; Oracle.Local("count", count); Oracle.Local("name", name);
        (count, int more) = (count + 1, count); Oracle.Local("count", count); Oracle.Local("more", more);
        (count, more) = (more, count); Oracle.Local("count", count); Oracle.Local("more", more);
        ValueTuple none = default; Oracle.Local("none", none);
        ValueTuple<int> single = new(3); Oracle.Tuple("single", single, "Item1");
    }

    private static (int Sum, int Product) Taken((int First, (int Second, string Word) Others) input)
    {
        int second = input.Others.Second; Oracle.Local("second", second);
        (int Sum, int Product) result = (input.First + second, input.First * second); Oracle.Tuple("result", result, "Sum Product");
        return result;
    }

    private static void Shared((int Key, string Text)[] list)
    { Oracle.Argument("list", list);
        field = (3, "three"); Oracle.Tuple(".field", field, "Count Name");
        field.Count = 4; Oracle.Field("Count", field.Count);
        list[1] = (1, "x"); Oracle.Tuple("list[1]", list[1], "Key Text");
        list[1].Text = "y"; Oracle.Field("Text", list[1].Text);
        (int, int)? perhaps = (1, 2); Oracle.Local("perhaps", perhaps);
    }

    private static void Elsewheres(Elsewhere there)
    { Oracle.Argument("there", there);
        there.Range = (1, 2); Oracle.Tuple(".Range", there.Range, "Low High");
        there.Range.High = 3; Oracle.Field("High", there.Range.High);
        Elsewhere.Last = ("last", 4); Oracle.Tuple(".Last", Elsewhere.Last, "Key Count");
        Elsewhere.Last.Count += 5; Oracle.Field("Count", Elsewhere.Last.Count);
        Elsewhere.Part part = default; Oracle.Tuple("part.Span", part.Span, "From To");
        part.Span.To = 6; Oracle.Field("Span.To", part.Span.To);
    }

    private struct Range
    {
        public (int Low, int High) Bounds;
    }

    private sealed class Box<T>
    {
        public T Held;
    }

    private sealed class Owner
    {
        private (int Count, (string First, int Second) Inner) own;

        public void Change(Box<(int Left, int Right)> box)
        {
            own.Count = 2; Oracle.Field("Count", own.Count);
            own.Count++; Oracle.Field("Count", own.Count);
            own.Inner.Second += 5; Oracle.Field("Second", own.Inner.Second);
            own.Inner = ("first", 6); Oracle.Tuple(".own.Inner", own.Inner, "First Second");
            box.Held = (1, 2); Oracle.Tuple(".Held", box.Held, "Left Right");
            box.Held.Right = 3; Oracle.Field("Right", box.Held.Right);
            Range range = default; Oracle.Tuple("range.Bounds", range.Bounds, "Low High");
            range.Bounds = (4, 5); Oracle.Tuple(".Bounds", range.Bounds, "Low High");
            var entry = new KeyValuePair<string, (int Low, int High)>("a", (6, 7)); Oracle.Tuple("entry.value", entry.Value, "Low High");
        }
    }

    private static int Here([System.Runtime.CompilerServices.CallerLineNumber] int line = 0)
    {
        return line;
    }
}
