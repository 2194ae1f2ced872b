// Parameters: values at entry, later assignments, values of out and ref parameters.
using System.Runtime.CompilerServices;

namespace Values;

internal static class Parameters
{
    public static void Run()
    {
        _ = All(true, 'p', -1, 1, -2, 2, -4, 4, -8, 8, 0.25f, 0.5, -3, 3);
        _ = Others(1.10m, "text", null, Colour.Green, 5, null, new Point(1, 2), new DateTime(2026, 4, 5), (6, "six"));
        _ = Defaults(1);
        _ = Defaults(1, "given", 2.5);
        _ = Defaults(third: 3.5, first: 2);
        _ = Many();
        _ = Many(1, 2, 3);
        _ = Recursive(3);
        new Instance(4).Add(5);
        _ = new Instance(6) + new Instance(7);
        int converted = (int)new Instance(8); Oracle.Local("converted", converted);
        Results();
        1.Extended(2);
    }

    private static long All(bool truth, char letter, sbyte i1, byte u1, short i2, ushort u2, int i4, uint u4, long i8, ulong u8,
                            float r4, double r8, nint native, nuint nativeU)
    { Oracle.Argument("truth", truth); Oracle.Argument("letter", letter); Oracle.Argument("i1", i1);
        Oracle.Argument("u1", u1, Here() - 1); Oracle.Argument("i2", i2, Here() - 1); Oracle.Argument("u2", u2, Here() - 1);
        Oracle.Argument("i4", i4, Here() - 2); Oracle.Argument("u4", u4, Here() - 2); Oracle.Argument("i8", i8, Here() - 2);
        Oracle.Argument("u8", u8, Here() - 3); Oracle.Argument("r4", r4, Here() - 3); Oracle.Argument("r8", r8, Here() - 3);
        Oracle.Argument("native", native, Here() - 4); Oracle.Argument("nativeU", nativeU, Here() - 4);
        truth = !truth; Oracle.Local("truth", truth);
        letter++; Oracle.Local("letter", letter);
        i1 *= 2; Oracle.Local("i1", i1);
        u1 <<= 1; Oracle.Local("u1", u1);
        i2 -= 1; Oracle.Local("i2", i2);
        u2 += 1; Oracle.Local("u2", u2);
        i4 = i1 + i2; Oracle.Local("i4", i4);
        u4 |= 8; Oracle.Local("u4", u4);
        i8 = -i8; Oracle.Local("i8", i8);
        u8 = u4 * u8; Oracle.Local("u8", u8);
        r4 /= 2; Oracle.Local("r4", r4);
        r8 += r4; Oracle.Local("r8", r8);
        native++; Oracle.Local("native", native);
        nativeU--; Oracle.Local("nativeU", nativeU);
        Oracle.Result(i8 + i4); return i8 + i4;
    }

    private static decimal Others(decimal money, string text, object thing, Colour colour, int? some, int? none, Point where,
                                  DateTime when, (int Count, string Name) tuple)
    { Oracle.Argument("money", money); Oracle.Argument("text", text); Oracle.Argument("thing", thing);
        Oracle.Argument("colour", colour, Here() - 1); Oracle.Argument("some", some, Here() - 1);
        Oracle.Argument("none", none, Here() - 2); Oracle.Argument("where", where, Here() - 2);
        Oracle.Argument("when", when, Here() - 3); Oracle.Tuple("(tuple)", tuple, "Count Name", Here() - 3);
        money += 1; Oracle.Local("money", money);
        text += "!"; Oracle.Local("text", text);
        thing = text; Oracle.Local("thing", thing);
        colour = default; Oracle.Local("colour", colour);
        some = null; Oracle.Local("some", some);
        none = 7; Oracle.Local("none", none);
        where = new Point(8, 9); Oracle.Local("where", where);
        where = default; Oracle.Local("where", where);
        where.Y = 10; Oracle.Field("Y", where.Y);
        when = when.AddDays(1); Oracle.Local("when", when);
        tuple = (tuple.Count + 1, tuple.Name); Oracle.Tuple("tuple", tuple, "Count Name");
        Oracle.Result(money); return money;
    }

    private static double Defaults(int first, string second = "usual", double third = 1.5)
    { Oracle.Argument("first", first); Oracle.Argument("second", second); Oracle.Argument("third", third);
        Oracle.Result(first + third); return first + third;
    }

    private static int Many(params int[] numbers)
    { Oracle.Argument("numbers", numbers);
        int sum = 0; Oracle.Local("sum", sum);
        foreach (int number in numbers)
        {
            sum += number; Oracle.Local("sum", sum);
        }
        Oracle.Result(sum); return sum;
    }

    // Every activation has its own.
    private static int Recursive(int n)
    { Oracle.Argument("n", n);
        int below = n == 0 ? 0 : Recursive(n - 1); Oracle.Local("below", below);
        n += below; Oracle.Local("n", n);
        Oracle.Result(n); return n;
    }

    private static void Extended(this int number, int by)
    { Oracle.Argument("number", number); Oracle.Argument("by", by);
        number = by; Oracle.Local("number", number);
    }

    private sealed class Instance
    {
        private int value;

        public Instance(int value)
        { Oracle.Argument("value", value);
            this.value = value; Oracle.Field("value", this.value);
        }

        public Instance Add(int other)
        { Oracle.Argument("other", other); Oracle.Argument("this", this);
            value += other; Oracle.Field("value", value);
            Oracle.Result(this); return this;
        }

        public static Instance operator +(Instance left, Instance right)
        { Oracle.Argument("left", left); Oracle.Argument("right", right);
            int sum = left.value + right.value; Oracle.Local("sum", sum);
            return new Instance(sum);
        }

        public static explicit operator int(Instance instance)
        { Oracle.Argument("instance", instance);
            Oracle.Result(instance.value); return instance.value;
        }
    }

    private static void Results()
    {
        bool truth = Truth(); Oracle.Local("truth", truth);
        string text = Text(null); Oracle.Local("text", text);
        text = Text("x"); Oracle.Local("text", text);
        Point point = Where(); Oracle.Local("point", point);
        int? perhaps = Perhaps(0); Oracle.Local("perhaps", perhaps);
        perhaps = Perhaps(1); Oracle.Local("perhaps", perhaps);
        Colour colour = Which(); Oracle.Local("colour", colour);
        object boxed = Boxed(); Oracle.Local("boxed", boxed);
        (int Count, string Name) tuple = Both(); Oracle.Tuple("tuple", tuple, "Count Name");
        float single = Single(); Oracle.Local("single", single);
        decimal money = Money(); Oracle.Local("money", money);
    }

    private static bool Truth()
    {
        Oracle.Result(true); return true;
    }

    private static string Text(string suffix)
    {
        if (suffix == null)
        {
            Oracle.Result<string>(null); return null;
        }
        suffix = "text" + suffix; Oracle.Local("suffix", suffix);
        Oracle.Result(suffix); return suffix;
    }

    private static Point Where()
    {
        Point where = default; Oracle.Local("where", where);
        where.X = -1; Oracle.Field("X", where.X);
        Oracle.Result(where); return where;
    }

    private static int? Perhaps(int number)
    {
        int? result = number == 0 ? null : number; Oracle.Local("result", result);
        Oracle.Result(result); return result;
    }

    private static Colour Which()
    {
        Oracle.Result(Colour.Blue); return Colour.Blue;
    }

    private static object Boxed()
    {
        object result = 12; Oracle.Local("result", result);
        Oracle.Result(result); return result;
    }

    private static (int, string) Both()
    {
        (int, string) result = (1, "both"); Oracle.Local("result", result);
        Oracle.Result(result); return result;
    }

    private static float Single()
    {
        Oracle.Result(0.1f); return 0.1f;
    }

    private static decimal Money()
    {
        Oracle.Result(12.50m); return 12.50m;
    }

    private static int Here([CallerLineNumber] int line = 0)
    {
        return line;
    }
}
