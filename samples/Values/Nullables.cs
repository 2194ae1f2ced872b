// Nullable values: their text or NULL, whatever they hold.
namespace Values;

internal static class Nullables
{
    public static void Run()
    {
        Primitives();
        Lifted();
        Others();
        Elsewhere(4, null);
    }

    private static void Primitives()
    {
        int? none = null; Oracle.Local("none", none);
        int? five = 5; Oracle.Local("five", five);
        int? made = new int?(6); Oracle.Local("made", made);
        int? usual = new int?(); Oracle.Local("usual", usual);
        int? zero = 0; Oracle.Local("zero", zero);
        bool? unknown = null; Oracle.Local("unknown", unknown);
        bool? no = false; Oracle.Local("no", no);
        char? letter = 'n'; Oracle.Local("letter", letter);
        byte? small = 255; Oracle.Local("small", small);
        long? large = long.MaxValue; Oracle.Local("large", large);
        double? half = 0.5; Oracle.Local("half", half);
        none = five; Oracle.Local("none", none);
        five = null; Oracle.Local("five", five);
        int plain = none.Value; Oracle.Local("plain", plain);
        int orElse = five ?? -1; Oracle.Local("orElse", orElse);
    }

    private static void Lifted()
    {
        int? left = 3; Oracle.Local("left", left);
        int? right = null; Oracle.Local("right", right);
        int? sum = left + right; Oracle.Local("sum", sum);
        right = 4; Oracle.Local("right", right);
        sum = left * right; Oracle.Local("sum", sum);
        sum++; Oracle.Local("sum", sum);
        sum += left; Oracle.Local("sum", sum);
        sum ??= 100;
        sum = null; Oracle.Local("sum", sum);
        sum ??= 100; Oracle.Local("sum", sum);
        bool? either = left < right | (bool?)null; Oracle.Local("either", either);
        long? wider = sum; Oracle.Local("wider", wider);
    }

    private static void Others()
    {
        decimal? price = 1.50m; Oracle.Local("price", price);
        price = null; Oracle.Local("price", price);
        DateTime? day = new DateTime(2026, 5, 6); Oracle.Local("day", day);
        Guid? id = Guid.Empty; Oracle.Local("id", id);
        Colour? colour = Colour.Blue; Oracle.Local("colour", colour);
        Point? point = new Point(3, 4); Oracle.Local("point", point);
        point = null; Oracle.Local("point", point);
        point = default(Point); Oracle.Local("point", point);
        Point? copy = point; Oracle.Local("copy", copy);
        (int Count, string Name)? pair = (1, "one"); Oracle.Tuple("pair", pair.Value, "Count Name");
        KeyValuePair<string, int>? entry = new("key", 1); Oracle.Local("entry", entry);
    }

    private struct Holder
    {
        public int? Number;
        public Point? Where;
    }

    private static int? Elsewhere(int? first, DateTime? second)
    { Oracle.Argument("first", first); Oracle.Argument("second", second);
        var holder = new Holder(); Oracle.Local("holder", holder);
        holder.Number = first; Oracle.Field("Number", holder.Number);
        holder.Where = new Point(5, 6); Oracle.Field("Where", holder.Where);
        Holder copy = holder; Oracle.Local("copy", copy);
        first = null; Oracle.Local("first", first);
        int?[] items = { 1, null, 3 }; Oracle.Local("items", items);
        items[1] = 2; Oracle.Item("items[1]", items[1]);
        items[2] = null; Oracle.Item("items[2]", items[2]);
        ref int? through = ref items[0]; Oracle.Reference("through");
        through = null; Oracle.Through("through", through);
        through = 9; Oracle.Through("through", through);
        Oracle.Result(through); return through;
    }
}
