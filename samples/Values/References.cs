// References: ref locals, arguments by ref, in and out, ref returns, ref fields; a store through one of every width.
namespace Values;

internal static class References
{
    private static int shared;
    private static readonly int[] items = { 1, 2, 3 };

    private sealed class Holder
    {
        public int Number;
        public string Text;
        public Point Where;
    }

    public static void Run()
    {
        Locals();
        Widths();
        Arguments();
        Returns();
        Choices();
        Generic();
    }

    private static void Locals()
    {
        int number = 1; Oracle.Local("number", number);
        ref int reference = ref number; Oracle.Reference("reference");
        reference = 2; Oracle.Through("reference", reference);
        reference += 3; Oracle.Through("reference", reference);
        reference++; Oracle.Through("reference", reference);
        int other = 10; Oracle.Local("other", other);
        reference = ref other; Oracle.Reference("reference");
        reference--; Oracle.Through("reference", reference);
        int copy = reference; Oracle.Local("copy", copy);
        ref readonly int view = ref number; Oracle.Reference("view");
        copy = view; Oracle.Local("copy", copy);
        var holder = new Holder(); Oracle.Local("holder", holder);
        ref string text = ref holder.Text; Oracle.Reference("text");
        text = "through"; Oracle.Through("text", text);
        text = null; Oracle.Through("text", text);
        ref int x = ref holder.Where.X; Oracle.Reference("x");
        x = 4; Oracle.Through("x", x);
        ref int item = ref items[1]; Oracle.Reference("item");
        item = 20; Oracle.Through("item", item);
        ref int global = ref shared; Oracle.Reference("global");
        global = 7; Oracle.Through("global", global);
        foreach (ref int each in items.AsSpan())
        {
            each *= 2; Oracle.Through("each", each);
        }
    }

    private static void Widths()
    {
        bool b = false; Oracle.Local("b", b); Set(ref b, true); Oracle.Local("b", b);
        sbyte i1 = 0; Oracle.Local("i1", i1); Set(ref i1); Oracle.Local("i1", i1);
        short i2 = 0; Oracle.Local("i2", i2); Set(ref i2); Oracle.Local("i2", i2);
        int i4 = 0; Oracle.Local("i4", i4); Set(ref i4); Oracle.Local("i4", i4);
        long i8 = 0; Oracle.Local("i8", i8); Set(ref i8); Oracle.Local("i8", i8);
        float r4 = 0; Oracle.Local("r4", r4); Set(ref r4); Oracle.Local("r4", r4);
        double r8 = 0; Oracle.Local("r8", r8); Set(ref r8); Oracle.Local("r8", r8);
        nint native = 0; Oracle.Local("native", native); Set(ref native); Oracle.Local("native", native);
        string text = ""; Oracle.Local("text", text); Set(ref text); Oracle.Local("text", text);
        Point point = default; Oracle.Local("point", point); Set(ref point); Oracle.Local("point", point);
        decimal money = 0; Oracle.Local("money", money); Set(ref money); Oracle.Local("money", money);
        int? perhaps = null; Oracle.Local("perhaps", perhaps); Set(ref perhaps); Oracle.Local("perhaps", perhaps);
        Colour colour = default; Oracle.Local("colour", colour); Set(ref colour); Oracle.Local("colour", colour);
    }

    private static void Set(ref bool to, bool value)
    { Oracle.Argument("value", value);
        to = value; Oracle.Through("to", to);
    }

    private static void Set(ref sbyte to)
    {
        to = -8; Oracle.Through("to", to);
    }

    private static void Set(ref short to)
    {
        to = -16; Oracle.Through("to", to);
    }

    private static void Set(ref int to)
    {
        to = -32; Oracle.Through("to", to);
    }

    private static void Set(ref long to)
    {
        to = -64; Oracle.Through("to", to);
    }

    private static void Set(ref float to)
    {
        to = 3.2f; Oracle.Through("to", to);
    }

    private static void Set(ref double to)
    {
        to = 6.4; Oracle.Through("to", to);
    }

    private static void Set(ref nint to)
    {
        to = 1; Oracle.Through("to", to);
    }

    private static void Set(ref string to)
    {
        to = "set"; Oracle.Through("to", to);
    }

    private static void Set(ref Point to)
    {
        to = new Point(1, 2); Oracle.Through("to", to);
        to.Y = 5; Oracle.Field("Y", to.Y);
    }

    private static void Set(ref decimal to)
    {
        to = 0.05m; Oracle.Through("to", to);
    }

    private static void Set(ref int? to)
    {
        to = 5; Oracle.Through("to", to);
    }

    private static void Set(ref Colour to)
    {
        to = Colour.Green; Oracle.Through("to", to);
    }

    private static void Arguments()
    {
        int number; Out(out number); Oracle.Local("number", number);
        Out(out int declared); Oracle.Local("declared", declared);
        bool parsed = int.TryParse("12", out int value); Oracle.Local("value", value); Oracle.Local("parsed", parsed);
        parsed = int.TryParse("x", out value); Oracle.Local("value", value); Oracle.Local("parsed", parsed);
        Swap(ref number, ref value); Oracle.Local("number", number); Oracle.Local("value", value);
        int seen = Look(in number, 3); Oracle.Local("seen", seen);
        Out(out _);
        var holder = new Holder(); Oracle.Local("holder", holder);
        Out(out holder.Number); Oracle.Field("Number", holder.Number);
        Out(out items[2]); Oracle.Item("items[2]", items[2]);
        Out(out shared); Oracle.Field("shared", shared);
        Out(out holder.Where.Y); Oracle.Field("Where.Y", holder.Where.Y);
        TwoOut(out string word, out Point point); Oracle.Local("word", word); Oracle.Local("point", point);
        var map = new Dictionary<string, int> { ["a"] = 1 }; Oracle.Local("map", map);
        bool found = map.TryGetValue("a", out int one); Oracle.Local("one", one); Oracle.Local("found", found);
        found = map.TryGetValue("b", out one); Oracle.Local("one", one); Oracle.Local("found", found);
        int before = Interlocked.Exchange(ref number, 77); Oracle.Local("number", number); Oracle.Local("before", before);
        int sum = Interlocked.Add(ref shared, 5); Oracle.Field("shared", shared); Oracle.Local("sum", sum);
        Forward(ref number); Oracle.Local("number", number);
    }

    private static void Out(out int result)
    {
        result = 41; Oracle.Through("result", result);
        result++; Oracle.Through("result", result);
    }

    private static void TwoOut(out string word, out Point point)
    {
        word = "out"; Oracle.Through("word", word);
        point = default; Oracle.Through("point", point);
        point.X = 6; Oracle.Field("X", point.X);
    }

    private static void Swap(ref int left, ref int right)
    {
        int kept = left; Oracle.Local("kept", kept);
        left = right; Oracle.Through("left", left);
        right = kept; Oracle.Through("right", right);
    }

    private static int Look(in int number, in int constant)
    {
        int both = number + constant; Oracle.Local("both", both);
        Oracle.Result(both); return both;
    }

    private static void Forward(ref int number)
    {
        Out(out number); Oracle.Through("number", number);
    }

    private static void Returns()
    {
        Item(0) = 100; Oracle.Through("Item", items[0]);
        Item(0) += 11; Oracle.Through("Item", items[0]);
        ref int item = ref Item(1); Oracle.Reference("item");
        item = 200; Oracle.Through("item", item);
        int copy = Item(1); Oracle.Local("copy", copy);
        Largest(ref items[0], ref items[1]) = 0; Oracle.Through("Largest", items[1]);
    }

    private static ref int Item(int index)
    { Oracle.Argument("index", index);
        return ref items[index];
    }

    private static ref int Largest(ref int left, ref int right)
    {
        if (left > right)
        {
            return ref left;
        }
        return ref right;
    }

    private static void Choices()
    {
        int left = 1; Oracle.Local("left", left);
        int right = 2; Oracle.Local("right", right);
        (left > right ? ref left : ref right) = 9; Oracle.Through("chosen", right);
        ref int chosen = ref left > right ? ref left : ref right; Oracle.Reference("chosen");
        chosen = 8; Oracle.Through("chosen", chosen);
        (left, right) = (right, left); Oracle.Local("left", left); Oracle.Local("right", right);
        (items[0], items[1]) = (items[1], items[0]); Oracle.Item("items[0]", items[0]); Oracle.Item("items[1]", items[1]);
    }

    private static void Generic()
    {
        int number = 1; Oracle.Local("number", number);
        Assign(ref number, 2); Oracle.Local("number", number);
        string text = "a"; Oracle.Local("text", text);
        Assign(ref text, "b"); Oracle.Local("text", text);
        Point point = default; Oracle.Local("point", point);
        Assign(ref point, new Point(3, 4)); Oracle.Local("point", point);
        Clear(out number); Oracle.Local("number", number);
        Clear(out text); Oracle.Local("text", text);
        Clear(out point); Oracle.Local("point", point);
    }

    private static void Assign<T>(ref T to, T value)
    { Oracle.Argument("value", value);
        to = value; Oracle.Through("to", to);
    }

    private static void Clear<T>(out T cleared)
    {
        cleared = default; Oracle.Through("cleared", cleared);
    }
}
