// Enums over every underlying type, with and without flags, named and nameless values.
namespace Values;

internal enum Colour { Red, Green, Blue = 10 }

internal enum Small : byte { None, Some = 200 }

internal enum Signed : sbyte { Below = -100, Above = 100 }

internal enum Short : short { Least = short.MinValue, Most = short.MaxValue }

internal enum Word : ushort { Most = ushort.MaxValue }

internal enum Wide : uint { Most = uint.MaxValue }

internal enum Long : long { Least = long.MinValue, Most = long.MaxValue }

internal enum Longer : ulong { Zero, Most = ulong.MaxValue }

[Flags]
internal enum Rights { None = 0, Read = 1, Write = 2, Execute = 4, ReadWrite = Read | Write }

[Flags]
internal enum Bits : ulong { Low = 1, High = 1UL << 63 }

internal static class Enums
{
    private enum Inner { One = 1, Uno = 1, Two }

    public static void Run()
    {
        Plain();
        Underlying();
        Combined();
        Elsewhere();
    }

    private static void Plain()
    {
        Colour colour = Colour.Green; Oracle.Local("colour", colour);
        colour = Colour.Blue; Oracle.Local("colour", colour);
        colour++; Oracle.Local("colour", colour);
        colour = default; Oracle.Local("colour", colour);
        colour = (Colour)(-5); Oracle.Local("colour", colour);
        Inner inner = Inner.Two; Oracle.Local("inner", inner);
        DayOfWeek day = new DateTime(2026, 3, 1).DayOfWeek; Oracle.Local("day", day);
    }

    private static void Underlying()
    {
        Small small = Small.Some; Oracle.Local("small", small);
        Small unnamed = (Small)3; Oracle.Local("unnamed", unnamed);
        Signed below = Signed.Below; Oracle.Local("below", below);
        Signed minusOne = (Signed)(-1); Oracle.Local("minusOne", minusOne);
        Short least = Short.Least; Oracle.Local("least", least);
        Word word = Word.Most; Oracle.Local("word", word);
        Wide wide = Wide.Most; Oracle.Local("wide", wide);
        Long most = Long.Most; Oracle.Local("most", most);
        Long lowest = Long.Least; Oracle.Local("lowest", lowest);
        Longer longer = Longer.Most; Oracle.Local("longer", longer);
        Longer nearly = Longer.Most - 1; Oracle.Local("nearly", nearly);
    }

    private static void Combined()
    {
        Rights rights = Rights.None; Oracle.Local("rights", rights);
        rights |= Rights.Read; Oracle.Local("rights", rights);
        rights |= Rights.Execute; Oracle.Local("rights", rights);
        rights |= Rights.Write; Oracle.Local("rights", rights);
        rights &= ~Rights.Execute; Oracle.Local("rights", rights);
        rights = (Rights)9; Oracle.Local("rights", rights);
        rights = (Rights)(-1); Oracle.Local("rights", rights);
        Bits bits = Bits.Low | Bits.High; Oracle.Local("bits", bits);
        bits = 0; Oracle.Local("bits", bits);
    }

    private static void Elsewhere()
    {
        Colour? perhaps = Colour.Red; Oracle.Local("perhaps", perhaps);
        perhaps = null; Oracle.Local("perhaps", perhaps);
        object boxed = Rights.ReadWrite; Oracle.Local("boxed", boxed);
        var list = new Colour[2]; Oracle.Local("list", list);
        list[1] = Colour.Blue; Oracle.Item("list[1]", list[1]);
        Rights parsed = Enum.Parse<Rights>("Read, Execute"); Oracle.Local("parsed", parsed);
        string text = parsed.ToString(); Oracle.Local("text", text);
    }
}
