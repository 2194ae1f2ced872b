// Every primitive and everything that prints like one, with the values at their ends.
namespace Values;

internal static class Scalars
{
    public static void Run()
    {
        Truth();
        Signed();
        Unsigned();
        Native();
        Floating();
        Wide();
        Decimals();
        Times();
        Guids();
        Constants();
        Arithmetic();
    }

    private static void Truth()
    {
        bool yes = true; Oracle.Local("yes", yes);
        bool no = false; Oracle.Local("no", no);
        bool both = yes && !no; Oracle.Local("both", both);
        both ^= true; Oracle.Local("both", both);
        char letter = 'x'; Oracle.Local("letter", letter);
        letter++; Oracle.Local("letter", letter);
        char quote = '\''; Oracle.Local("quote", quote);
        char newline = '\n'; Oracle.Local("newline", newline);
        char backslash = '\\'; Oracle.Local("backslash", backslash);
        char first = '\0'; Oracle.Local("first", first);
        char umlaut = 'ä'; Oracle.Local("umlaut", umlaut);
        char han = '漢'; Oracle.Local("han", han);
        char half = '\ud800'; Oracle.Local("half", half);
        char last = char.MaxValue; Oracle.Local("last", last);
    }

    private static void Signed()
    {
        sbyte sbyteMin = sbyte.MinValue; Oracle.Local("sbyteMin", sbyteMin);
        sbyte sbyteMax = sbyte.MaxValue; Oracle.Local("sbyteMax", sbyteMax);
        short shortMin = short.MinValue; Oracle.Local("shortMin", shortMin);
        short shortMax = short.MaxValue; Oracle.Local("shortMax", shortMax);
        int intMin = int.MinValue; Oracle.Local("intMin", intMin);
        int intMax = int.MaxValue; Oracle.Local("intMax", intMax);
        int minusOne = -1; Oracle.Local("minusOne", minusOne);
        int zero = 0; Oracle.Local("zero", zero);
        long longMin = long.MinValue; Oracle.Local("longMin", longMin);
        long longMax = long.MaxValue; Oracle.Local("longMax", longMax);
        sbyteMax++; Oracle.Local("sbyteMax", sbyteMax);
        shortMin--; Oracle.Local("shortMin", shortMin);
        intMax = unchecked(intMax + 1); Oracle.Local("intMax", intMax);
        longMax = unchecked(longMax * 3); Oracle.Local("longMax", longMax);
    }

    private static void Unsigned()
    {
        byte byteMax = byte.MaxValue; Oracle.Local("byteMax", byteMax);
        ushort ushortMax = ushort.MaxValue; Oracle.Local("ushortMax", ushortMax);
        uint uintMax = uint.MaxValue; Oracle.Local("uintMax", uintMax);
        ulong ulongMax = ulong.MaxValue; Oracle.Local("ulongMax", ulongMax);
        byteMax++; Oracle.Local("byteMax", byteMax);
        ushortMax += 2; Oracle.Local("ushortMax", ushortMax);
        uintMax >>= 4; Oracle.Local("uintMax", uintMax);
        ulongMax <<= 63; Oracle.Local("ulongMax", ulongMax);
    }

    private static void Native()
    {
        nint minus = -5; Oracle.Local("minus", minus);
        nuint plus = 5; Oracle.Local("plus", plus);
        nint most = nint.MaxValue; Oracle.Local("most", most);
        nuint all = nuint.MaxValue; Oracle.Local("all", all);
        IntPtr none = IntPtr.Zero; Oracle.Local("none", none);
        UIntPtr some = new(0x1234); Oracle.Local("some", some);
    }

    private static void Floating()
    {
        float third = 1f / 3; Oracle.Local("third", third);
        float floatMax = float.MaxValue; Oracle.Local("floatMax", floatMax);
        float smallest = float.Epsilon; Oracle.Local("smallest", smallest);
        float notANumber = float.NaN; Oracle.Local("notANumber", notANumber);
        float down = float.NegativeInfinity; Oracle.Local("down", down);
        double tenth = 0.1; Oracle.Local("tenth", tenth);
        double sum = tenth + 0.2; Oracle.Local("sum", sum);
        double doubleMax = double.MaxValue; Oracle.Local("doubleMax", doubleMax);
        double tiny = double.Epsilon; Oracle.Local("tiny", tiny);
        double minusZero = -0.0; Oracle.Local("minusZero", minusZero);
        double up = double.PositiveInfinity; Oracle.Local("up", up);
        double nothing = up - up; Oracle.Local("nothing", nothing);
        double large = 1e21; Oracle.Local("large", large);
        double small = 1e-7; Oracle.Local("small", small);
        double whole = 123456789012345680; Oracle.Local("whole", whole);
        double edge = 1e15; Oracle.Local("edge", edge);
        double beyond = 1e16; Oracle.Local("beyond", beyond);
        float edgeF = 1e7f; Oracle.Local("edgeF", edgeF);
        float beyondF = 16777216f * 10; Oracle.Local("beyondF", beyondF);
        double pi = Math.PI; Oracle.Local("pi", pi);
        Half half = (Half)1.5f; Oracle.Local("half", half);
        Half halfMax = Half.MaxValue; Oracle.Local("halfMax", halfMax);
        Half halfLeast = Half.Epsilon; Oracle.Local("halfLeast", halfLeast);
        Half halfNone = Half.NaN; Oracle.Local("halfNone", halfNone);
    }

    private static void Wide()
    {
        Int128 wide = Int128.MaxValue; Oracle.Local("wide", wide);
        wide = -wide; Oracle.Local("wide", wide);
        Int128 least = Int128.MinValue; Oracle.Local("least", least);
        Int128 nought = default; Oracle.Local("nought", nought);
        UInt128 wider = UInt128.MaxValue; Oracle.Local("wider", wider);
        UInt128 product = (UInt128)ulong.MaxValue * 10; Oracle.Local("product", product);
    }

    private static void Decimals()
    {
        decimal price = 19.90m; Oracle.Local("price", price);
        decimal zero = 0m; Oracle.Local("zero", zero);
        decimal zeros = 0.00m; Oracle.Local("zeros", zeros);
        decimal one = 1m; Oracle.Local("one", one);
        decimal minus = -0.5m; Oracle.Local("minus", minus);
        decimal most = decimal.MaxValue; Oracle.Local("most", most);
        decimal least = 0.0000000000000000000000000001m; Oracle.Local("least", least);
        decimal total = price * 3 + minus; Oracle.Local("total", total);
        total += 0.10m; Oracle.Local("total", total);
        decimal made = new(1, 2, 3, true, 4); Oracle.Local("made", made);
        decimal third = 1m / 3; Oracle.Local("third", third);
    }

    private static void Times()
    {
        DateTime day = new(2026, 2, 28); Oracle.Local("day", day);
        DateTime moment = new(1999, 12, 31, 23, 59, 58, 987, DateTimeKind.Utc); Oracle.Local("moment", moment);
        DateTime next = moment.AddSeconds(2); Oracle.Local("next", next);
        DateTime none = default; Oracle.Local("none", none);
        DateTime last = DateTime.MaxValue; Oracle.Local("last", last);
        DateTimeOffset there = new(2026, 2, 28, 1, 2, 3, TimeSpan.FromMinutes(-210)); Oracle.Local("there", there);
        DateTimeOffset nowhere = default; Oracle.Local("nowhere", nowhere);
        TimeSpan span = new(1, 2, 3, 4, 5); Oracle.Local("span", span);
        TimeSpan back = -span; Oracle.Local("back", back);
        TimeSpan instant = TimeSpan.Zero; Oracle.Local("instant", instant);
        TimeSpan tick = new(1); Oracle.Local("tick", tick);
        TimeSpan ever = TimeSpan.MinValue; Oracle.Local("ever", ever);
        DateOnly date = new(2026, 3, 1); Oracle.Local("date", date);
        TimeOnly time = new(4, 5, 6, 7); Oracle.Local("time", time);
    }

    private static void Guids()
    {
        Guid id = new("00112233-4455-6677-8899-aabbccddeeff"); Oracle.Local("id", id);
        Guid empty = Guid.Empty; Oracle.Local("empty", empty);
        Guid parts = new(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11); Oracle.Local("parts", parts);
    }

    // Constants are not places, but variables that get them are.
    private static void Constants()
    {
        const int Fixed = 42;
        const string Word = "word";
        int copy = Fixed; Oracle.Local("copy", copy);
        string twice = Word + Word; Oracle.Local("twice", twice);
    }

    private static void Arithmetic()
    {
        int n = 10; Oracle.Local("n", n);
        n += 5; Oracle.Local("n", n);
        n -= 3; Oracle.Local("n", n);
        n *= 4; Oracle.Local("n", n);
        n /= 5; Oracle.Local("n", n);
        n %= 7; Oracle.Local("n", n);
        n <<= 3; Oracle.Local("n", n);
        n >>>= 1; Oracle.Local("n", n);
        n |= 0x30; Oracle.Local("n", n);
        n &= 0x2c; Oracle.Local("n", n);
        n ^= -1; Oracle.Local("n", n);
        int before = n++; Oracle.Local("before", before); Oracle.Local("n", n);
        int after = --n; Oracle.Local("after", after); Oracle.Local("n", n);
        long sum = n; Oracle.Local("sum", sum);
        sum += n; Oracle.Local("sum", sum);
        byte narrow = (byte)sum; Oracle.Local("narrow", narrow);
        int a, b; a = b = 7; Oracle.Local("a", a); Oracle.Local("b", b);
    }
}
