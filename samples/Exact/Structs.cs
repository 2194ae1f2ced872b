// Returns and passes structs of every size from 1 to 64 bytes, with integer, floating-point and reference fields: a probe at
// a method's exit must preserve every register and the hidden buffer of the result.
using System.Runtime.CompilerServices;

namespace Exact;

internal static unsafe class Structs
{
    private static int checks;

    private static void Check(bool right, string what)
    {
        Count.Hit("Exact.Structs.Check(bool, string)");
        checks++;
        if (!right)
        {
            throw new InvalidOperationException($"damaged: {what}");
        }
    }

    public static void Run()
    {
        Count.Hit("Exact.Structs.Run()");
        Sizes();
        Mixed();
        Console.WriteLine($"structs {checks}");
    }

    private struct Single1 { public float A; }
    private struct Single2 { public float A, B; }
    private struct Single3 { public float A, B, C; }
    private struct Single4 { public float A, B, C, D; }
    private struct Double2 { public double A, B; }
    private struct IntDouble { public long A; public double B; }
    private struct DoubleInt { public double A; public long B; }
    private struct TextInt { public string A; public int B; }
    private struct IntText { public long A; public string B; }
    private struct TwoTexts { public string A, B; }
    private struct ThreeTexts { public string A, B, C; }

    private static Single1 MakeSingle1(float n)
    {
        Count.Hit("Exact.Structs.MakeSingle1(float)");
        return new Single1 { A = n };
    }

    private static Single2 MakeSingle2(float n)
    {
        Count.Hit("Exact.Structs.MakeSingle2(float)");
        return new Single2 { A = n, B = n + 1 };
    }

    private static Single3 MakeSingle3(float n)
    {
        Count.Hit("Exact.Structs.MakeSingle3(float)");
        return new Single3 { A = n, B = n + 1, C = n + 2 };
    }

    private static Single4 MakeSingle4(float n)
    {
        Count.Hit("Exact.Structs.MakeSingle4(float)");
        return new Single4 { A = n, B = n + 1, C = n + 2, D = n + 3 };
    }

    private static Double2 MakeDouble2(double n)
    {
        Count.Hit("Exact.Structs.MakeDouble2(double)");
        return new Double2 { A = n, B = n + 1 };
    }

    private static IntDouble MakeIntDouble(long a, double b)
    {
        Count.Hit("Exact.Structs.MakeIntDouble(long, double)");
        return new IntDouble { A = a, B = b };
    }

    private static DoubleInt MakeDoubleInt(double a, long b)
    {
        Count.Hit("Exact.Structs.MakeDoubleInt(double, long)");
        return new DoubleInt { A = a, B = b };
    }

    private static TextInt MakeTextInt(string a, int b)
    {
        Count.Hit("Exact.Structs.MakeTextInt(string, int)");
        return new TextInt { A = a, B = b };
    }

    private static IntText MakeIntText(long a, string b)
    {
        Count.Hit("Exact.Structs.MakeIntText(long, string)");
        return new IntText { A = a, B = b };
    }

    private static TwoTexts MakeTwoTexts(string a, string b)
    {
        Count.Hit("Exact.Structs.MakeTwoTexts(string, string)");
        return new TwoTexts { A = a, B = b };
    }

    private static ThreeTexts MakeThreeTexts(string a)
    {
        Count.Hit("Exact.Structs.MakeThreeTexts(string)");
        return new ThreeTexts { A = a, B = a + a, C = a + a + a };
    }

    private static double ManyArguments(int a, double b, string c, float d, long e, Single4 f, byte g, double h, short i,
        TwoTexts j, double k, double l, double m, double n, double o, char p)
    {
        Count.Hit("Exact.Structs.ManyArguments(int, double, string, float, long, Structs.Single4, byte, double, short,"
            + " Structs.TwoTexts, double, double, double, double, double, char)");
        return a + b + c.Length + d + e + f.A + f.B + f.C + f.D + g + h + i + j.A.Length + j.B.Length + k + l + m + n + o + p;
    }

    private static Int128 MakeWide(long a)
    {
        Count.Hit("Exact.Structs.MakeWide(long)");
        return (Int128)a << 64 | 7;
    }

    private static System.Runtime.Intrinsics.Vector256<int> MakeVector(int a)
    {
        Count.Hit("Exact.Structs.MakeVector(int)");
        return System.Runtime.Intrinsics.Vector256.Create(a);
    }

    private static decimal MakeDecimal(int a)
    {
        Count.Hit("Exact.Structs.MakeDecimal(int)");
        return a / 8m;
    }

    private static void Mixed()
    {
        Count.Hit("Exact.Structs.Mixed()");
        for (int i = 0; i < 40; i++)
        {
            Check(MakeSingle1(i).A == i, "one float");
            Single2 two = MakeSingle2(i);
            Check(two.A == i && two.B == i + 1, "two floats");
            Single3 three = MakeSingle3(i);
            Check(three.A == i && three.B == i + 1 && three.C == i + 2, "three floats");
            Single4 four = MakeSingle4(i);
            Check(four.A == i && four.B == i + 1 && four.C == i + 2 && four.D == i + 3, "four floats");
            Double2 doubles = MakeDouble2(i);
            Check(doubles.A == i && doubles.B == i + 1, "two doubles");
            IntDouble mixed = MakeIntDouble(i, i + 0.5);
            Check(mixed.A == i && mixed.B == i + 0.5, "integer and double");
            DoubleInt turned = MakeDoubleInt(i + 0.5, i);
            Check(turned.A == i + 0.5 && turned.B == i, "double and integer");
            TextInt text = MakeTextInt("a", i);
            Check(text.A == "a" && text.B == i, "text and integer");
            IntText other = MakeIntText(i, "b");
            Check(other.A == i && other.B == "b", "integer and text");
            TwoTexts texts = MakeTwoTexts("c", "d");
            Check(texts.A == "c" && texts.B == "d", "two texts");
            ThreeTexts more = MakeThreeTexts("e");
            Check(more.A == "e" && more.B == "ee" && more.C == "eee", "three texts");
            double many = ManyArguments(1, 2, "three", 4, 5, four, 7, 8, 9, texts, 11, 12, 13, 14, 15, (char)16);
            Check(many == 130 + 4 * i, "many arguments");
            Check(MakeWide(i) == ((Int128)i << 64) + 7, "128 bits");
            Check(System.Runtime.Intrinsics.Vector256.Sum(MakeVector(i)) == 8 * i, "vector");
            Check(MakeDecimal(i) * 8 == i, "decimal");
        }
    }
    [InlineArray(1)] private struct Bytes1 { private byte first; }
    [InlineArray(2)] private struct Bytes2 { private byte first; }
    [InlineArray(3)] private struct Bytes3 { private byte first; }
    [InlineArray(4)] private struct Bytes4 { private byte first; }
    [InlineArray(5)] private struct Bytes5 { private byte first; }
    [InlineArray(6)] private struct Bytes6 { private byte first; }
    [InlineArray(7)] private struct Bytes7 { private byte first; }
    [InlineArray(8)] private struct Bytes8 { private byte first; }
    [InlineArray(9)] private struct Bytes9 { private byte first; }
    [InlineArray(10)] private struct Bytes10 { private byte first; }
    [InlineArray(11)] private struct Bytes11 { private byte first; }
    [InlineArray(12)] private struct Bytes12 { private byte first; }
    [InlineArray(13)] private struct Bytes13 { private byte first; }
    [InlineArray(14)] private struct Bytes14 { private byte first; }
    [InlineArray(15)] private struct Bytes15 { private byte first; }
    [InlineArray(16)] private struct Bytes16 { private byte first; }
    [InlineArray(17)] private struct Bytes17 { private byte first; }
    [InlineArray(18)] private struct Bytes18 { private byte first; }
    [InlineArray(19)] private struct Bytes19 { private byte first; }
    [InlineArray(20)] private struct Bytes20 { private byte first; }
    [InlineArray(21)] private struct Bytes21 { private byte first; }
    [InlineArray(22)] private struct Bytes22 { private byte first; }
    [InlineArray(23)] private struct Bytes23 { private byte first; }
    [InlineArray(24)] private struct Bytes24 { private byte first; }
    [InlineArray(25)] private struct Bytes25 { private byte first; }
    [InlineArray(26)] private struct Bytes26 { private byte first; }
    [InlineArray(27)] private struct Bytes27 { private byte first; }
    [InlineArray(28)] private struct Bytes28 { private byte first; }
    [InlineArray(29)] private struct Bytes29 { private byte first; }
    [InlineArray(30)] private struct Bytes30 { private byte first; }
    [InlineArray(31)] private struct Bytes31 { private byte first; }
    [InlineArray(32)] private struct Bytes32 { private byte first; }
    [InlineArray(33)] private struct Bytes33 { private byte first; }
    [InlineArray(34)] private struct Bytes34 { private byte first; }
    [InlineArray(35)] private struct Bytes35 { private byte first; }
    [InlineArray(36)] private struct Bytes36 { private byte first; }
    [InlineArray(37)] private struct Bytes37 { private byte first; }
    [InlineArray(38)] private struct Bytes38 { private byte first; }
    [InlineArray(39)] private struct Bytes39 { private byte first; }
    [InlineArray(40)] private struct Bytes40 { private byte first; }
    [InlineArray(41)] private struct Bytes41 { private byte first; }
    [InlineArray(42)] private struct Bytes42 { private byte first; }
    [InlineArray(43)] private struct Bytes43 { private byte first; }
    [InlineArray(44)] private struct Bytes44 { private byte first; }
    [InlineArray(45)] private struct Bytes45 { private byte first; }
    [InlineArray(46)] private struct Bytes46 { private byte first; }
    [InlineArray(47)] private struct Bytes47 { private byte first; }
    [InlineArray(48)] private struct Bytes48 { private byte first; }
    [InlineArray(49)] private struct Bytes49 { private byte first; }
    [InlineArray(50)] private struct Bytes50 { private byte first; }
    [InlineArray(51)] private struct Bytes51 { private byte first; }
    [InlineArray(52)] private struct Bytes52 { private byte first; }
    [InlineArray(53)] private struct Bytes53 { private byte first; }
    [InlineArray(54)] private struct Bytes54 { private byte first; }
    [InlineArray(55)] private struct Bytes55 { private byte first; }
    [InlineArray(56)] private struct Bytes56 { private byte first; }
    [InlineArray(57)] private struct Bytes57 { private byte first; }
    [InlineArray(58)] private struct Bytes58 { private byte first; }
    [InlineArray(59)] private struct Bytes59 { private byte first; }
    [InlineArray(60)] private struct Bytes60 { private byte first; }
    [InlineArray(61)] private struct Bytes61 { private byte first; }
    [InlineArray(62)] private struct Bytes62 { private byte first; }
    [InlineArray(63)] private struct Bytes63 { private byte first; }
    [InlineArray(64)] private struct Bytes64 { private byte first; }

    private static Bytes1 Make1(byte start)
    {
        Count.Hit("Exact.Structs.Make1(byte)");
        Bytes1 made;
        Fill((byte*)&made, 1, start);
        return made;
    }

    private static Bytes2 Make2(byte start)
    {
        Count.Hit("Exact.Structs.Make2(byte)");
        Bytes2 made;
        Fill((byte*)&made, 2, start);
        return made;
    }

    private static Bytes3 Make3(byte start)
    {
        Count.Hit("Exact.Structs.Make3(byte)");
        Bytes3 made;
        Fill((byte*)&made, 3, start);
        return made;
    }

    private static Bytes4 Make4(byte start)
    {
        Count.Hit("Exact.Structs.Make4(byte)");
        Bytes4 made;
        Fill((byte*)&made, 4, start);
        return made;
    }

    private static Bytes5 Make5(byte start)
    {
        Count.Hit("Exact.Structs.Make5(byte)");
        Bytes5 made;
        Fill((byte*)&made, 5, start);
        return made;
    }

    private static Bytes6 Make6(byte start)
    {
        Count.Hit("Exact.Structs.Make6(byte)");
        Bytes6 made;
        Fill((byte*)&made, 6, start);
        return made;
    }

    private static Bytes7 Make7(byte start)
    {
        Count.Hit("Exact.Structs.Make7(byte)");
        Bytes7 made;
        Fill((byte*)&made, 7, start);
        return made;
    }

    private static Bytes8 Make8(byte start)
    {
        Count.Hit("Exact.Structs.Make8(byte)");
        Bytes8 made;
        Fill((byte*)&made, 8, start);
        return made;
    }

    private static Bytes9 Make9(byte start)
    {
        Count.Hit("Exact.Structs.Make9(byte)");
        Bytes9 made;
        Fill((byte*)&made, 9, start);
        return made;
    }

    private static Bytes10 Make10(byte start)
    {
        Count.Hit("Exact.Structs.Make10(byte)");
        Bytes10 made;
        Fill((byte*)&made, 10, start);
        return made;
    }

    private static Bytes11 Make11(byte start)
    {
        Count.Hit("Exact.Structs.Make11(byte)");
        Bytes11 made;
        Fill((byte*)&made, 11, start);
        return made;
    }

    private static Bytes12 Make12(byte start)
    {
        Count.Hit("Exact.Structs.Make12(byte)");
        Bytes12 made;
        Fill((byte*)&made, 12, start);
        return made;
    }

    private static Bytes13 Make13(byte start)
    {
        Count.Hit("Exact.Structs.Make13(byte)");
        Bytes13 made;
        Fill((byte*)&made, 13, start);
        return made;
    }

    private static Bytes14 Make14(byte start)
    {
        Count.Hit("Exact.Structs.Make14(byte)");
        Bytes14 made;
        Fill((byte*)&made, 14, start);
        return made;
    }

    private static Bytes15 Make15(byte start)
    {
        Count.Hit("Exact.Structs.Make15(byte)");
        Bytes15 made;
        Fill((byte*)&made, 15, start);
        return made;
    }

    private static Bytes16 Make16(byte start)
    {
        Count.Hit("Exact.Structs.Make16(byte)");
        Bytes16 made;
        Fill((byte*)&made, 16, start);
        return made;
    }

    private static Bytes17 Make17(byte start)
    {
        Count.Hit("Exact.Structs.Make17(byte)");
        Bytes17 made;
        Fill((byte*)&made, 17, start);
        return made;
    }

    private static Bytes18 Make18(byte start)
    {
        Count.Hit("Exact.Structs.Make18(byte)");
        Bytes18 made;
        Fill((byte*)&made, 18, start);
        return made;
    }

    private static Bytes19 Make19(byte start)
    {
        Count.Hit("Exact.Structs.Make19(byte)");
        Bytes19 made;
        Fill((byte*)&made, 19, start);
        return made;
    }

    private static Bytes20 Make20(byte start)
    {
        Count.Hit("Exact.Structs.Make20(byte)");
        Bytes20 made;
        Fill((byte*)&made, 20, start);
        return made;
    }

    private static Bytes21 Make21(byte start)
    {
        Count.Hit("Exact.Structs.Make21(byte)");
        Bytes21 made;
        Fill((byte*)&made, 21, start);
        return made;
    }

    private static Bytes22 Make22(byte start)
    {
        Count.Hit("Exact.Structs.Make22(byte)");
        Bytes22 made;
        Fill((byte*)&made, 22, start);
        return made;
    }

    private static Bytes23 Make23(byte start)
    {
        Count.Hit("Exact.Structs.Make23(byte)");
        Bytes23 made;
        Fill((byte*)&made, 23, start);
        return made;
    }

    private static Bytes24 Make24(byte start)
    {
        Count.Hit("Exact.Structs.Make24(byte)");
        Bytes24 made;
        Fill((byte*)&made, 24, start);
        return made;
    }

    private static Bytes25 Make25(byte start)
    {
        Count.Hit("Exact.Structs.Make25(byte)");
        Bytes25 made;
        Fill((byte*)&made, 25, start);
        return made;
    }

    private static Bytes26 Make26(byte start)
    {
        Count.Hit("Exact.Structs.Make26(byte)");
        Bytes26 made;
        Fill((byte*)&made, 26, start);
        return made;
    }

    private static Bytes27 Make27(byte start)
    {
        Count.Hit("Exact.Structs.Make27(byte)");
        Bytes27 made;
        Fill((byte*)&made, 27, start);
        return made;
    }

    private static Bytes28 Make28(byte start)
    {
        Count.Hit("Exact.Structs.Make28(byte)");
        Bytes28 made;
        Fill((byte*)&made, 28, start);
        return made;
    }

    private static Bytes29 Make29(byte start)
    {
        Count.Hit("Exact.Structs.Make29(byte)");
        Bytes29 made;
        Fill((byte*)&made, 29, start);
        return made;
    }

    private static Bytes30 Make30(byte start)
    {
        Count.Hit("Exact.Structs.Make30(byte)");
        Bytes30 made;
        Fill((byte*)&made, 30, start);
        return made;
    }

    private static Bytes31 Make31(byte start)
    {
        Count.Hit("Exact.Structs.Make31(byte)");
        Bytes31 made;
        Fill((byte*)&made, 31, start);
        return made;
    }

    private static Bytes32 Make32(byte start)
    {
        Count.Hit("Exact.Structs.Make32(byte)");
        Bytes32 made;
        Fill((byte*)&made, 32, start);
        return made;
    }

    private static Bytes33 Make33(byte start)
    {
        Count.Hit("Exact.Structs.Make33(byte)");
        Bytes33 made;
        Fill((byte*)&made, 33, start);
        return made;
    }

    private static Bytes34 Make34(byte start)
    {
        Count.Hit("Exact.Structs.Make34(byte)");
        Bytes34 made;
        Fill((byte*)&made, 34, start);
        return made;
    }

    private static Bytes35 Make35(byte start)
    {
        Count.Hit("Exact.Structs.Make35(byte)");
        Bytes35 made;
        Fill((byte*)&made, 35, start);
        return made;
    }

    private static Bytes36 Make36(byte start)
    {
        Count.Hit("Exact.Structs.Make36(byte)");
        Bytes36 made;
        Fill((byte*)&made, 36, start);
        return made;
    }

    private static Bytes37 Make37(byte start)
    {
        Count.Hit("Exact.Structs.Make37(byte)");
        Bytes37 made;
        Fill((byte*)&made, 37, start);
        return made;
    }

    private static Bytes38 Make38(byte start)
    {
        Count.Hit("Exact.Structs.Make38(byte)");
        Bytes38 made;
        Fill((byte*)&made, 38, start);
        return made;
    }

    private static Bytes39 Make39(byte start)
    {
        Count.Hit("Exact.Structs.Make39(byte)");
        Bytes39 made;
        Fill((byte*)&made, 39, start);
        return made;
    }

    private static Bytes40 Make40(byte start)
    {
        Count.Hit("Exact.Structs.Make40(byte)");
        Bytes40 made;
        Fill((byte*)&made, 40, start);
        return made;
    }

    private static Bytes41 Make41(byte start)
    {
        Count.Hit("Exact.Structs.Make41(byte)");
        Bytes41 made;
        Fill((byte*)&made, 41, start);
        return made;
    }

    private static Bytes42 Make42(byte start)
    {
        Count.Hit("Exact.Structs.Make42(byte)");
        Bytes42 made;
        Fill((byte*)&made, 42, start);
        return made;
    }

    private static Bytes43 Make43(byte start)
    {
        Count.Hit("Exact.Structs.Make43(byte)");
        Bytes43 made;
        Fill((byte*)&made, 43, start);
        return made;
    }

    private static Bytes44 Make44(byte start)
    {
        Count.Hit("Exact.Structs.Make44(byte)");
        Bytes44 made;
        Fill((byte*)&made, 44, start);
        return made;
    }

    private static Bytes45 Make45(byte start)
    {
        Count.Hit("Exact.Structs.Make45(byte)");
        Bytes45 made;
        Fill((byte*)&made, 45, start);
        return made;
    }

    private static Bytes46 Make46(byte start)
    {
        Count.Hit("Exact.Structs.Make46(byte)");
        Bytes46 made;
        Fill((byte*)&made, 46, start);
        return made;
    }

    private static Bytes47 Make47(byte start)
    {
        Count.Hit("Exact.Structs.Make47(byte)");
        Bytes47 made;
        Fill((byte*)&made, 47, start);
        return made;
    }

    private static Bytes48 Make48(byte start)
    {
        Count.Hit("Exact.Structs.Make48(byte)");
        Bytes48 made;
        Fill((byte*)&made, 48, start);
        return made;
    }

    private static Bytes49 Make49(byte start)
    {
        Count.Hit("Exact.Structs.Make49(byte)");
        Bytes49 made;
        Fill((byte*)&made, 49, start);
        return made;
    }

    private static Bytes50 Make50(byte start)
    {
        Count.Hit("Exact.Structs.Make50(byte)");
        Bytes50 made;
        Fill((byte*)&made, 50, start);
        return made;
    }

    private static Bytes51 Make51(byte start)
    {
        Count.Hit("Exact.Structs.Make51(byte)");
        Bytes51 made;
        Fill((byte*)&made, 51, start);
        return made;
    }

    private static Bytes52 Make52(byte start)
    {
        Count.Hit("Exact.Structs.Make52(byte)");
        Bytes52 made;
        Fill((byte*)&made, 52, start);
        return made;
    }

    private static Bytes53 Make53(byte start)
    {
        Count.Hit("Exact.Structs.Make53(byte)");
        Bytes53 made;
        Fill((byte*)&made, 53, start);
        return made;
    }

    private static Bytes54 Make54(byte start)
    {
        Count.Hit("Exact.Structs.Make54(byte)");
        Bytes54 made;
        Fill((byte*)&made, 54, start);
        return made;
    }

    private static Bytes55 Make55(byte start)
    {
        Count.Hit("Exact.Structs.Make55(byte)");
        Bytes55 made;
        Fill((byte*)&made, 55, start);
        return made;
    }

    private static Bytes56 Make56(byte start)
    {
        Count.Hit("Exact.Structs.Make56(byte)");
        Bytes56 made;
        Fill((byte*)&made, 56, start);
        return made;
    }

    private static Bytes57 Make57(byte start)
    {
        Count.Hit("Exact.Structs.Make57(byte)");
        Bytes57 made;
        Fill((byte*)&made, 57, start);
        return made;
    }

    private static Bytes58 Make58(byte start)
    {
        Count.Hit("Exact.Structs.Make58(byte)");
        Bytes58 made;
        Fill((byte*)&made, 58, start);
        return made;
    }

    private static Bytes59 Make59(byte start)
    {
        Count.Hit("Exact.Structs.Make59(byte)");
        Bytes59 made;
        Fill((byte*)&made, 59, start);
        return made;
    }

    private static Bytes60 Make60(byte start)
    {
        Count.Hit("Exact.Structs.Make60(byte)");
        Bytes60 made;
        Fill((byte*)&made, 60, start);
        return made;
    }

    private static Bytes61 Make61(byte start)
    {
        Count.Hit("Exact.Structs.Make61(byte)");
        Bytes61 made;
        Fill((byte*)&made, 61, start);
        return made;
    }

    private static Bytes62 Make62(byte start)
    {
        Count.Hit("Exact.Structs.Make62(byte)");
        Bytes62 made;
        Fill((byte*)&made, 62, start);
        return made;
    }

    private static Bytes63 Make63(byte start)
    {
        Count.Hit("Exact.Structs.Make63(byte)");
        Bytes63 made;
        Fill((byte*)&made, 63, start);
        return made;
    }

    private static Bytes64 Make64(byte start)
    {
        Count.Hit("Exact.Structs.Make64(byte)");
        Bytes64 made;
        Fill((byte*)&made, 64, start);
        return made;
    }

    private static void Fill(byte* bytes, int count, byte start)
    {
        Count.Hit("Exact.Structs.Fill(byte*, int, byte)");
        for (int i = 0; i < count; i++)
        {
            bytes[i] = (byte)(start + i);
        }
    }

    private static bool Filled(byte* bytes, int count, byte start)
    {
        Count.Hit("Exact.Structs.Filled(byte*, int, byte)");
        for (int i = 0; i < count; i++)
        {
            if (bytes[i] != (byte)(start + i))
            {
                return false;
            }
        }
        return true;
    }

    private static void Sizes()
    {
        Count.Hit("Exact.Structs.Sizes()");
        for (byte start = 0; start < 40; start++)
        {
            Bytes1 made1 = Make1(start);
            Check(Filled((byte*)&made1, 1, start), "1 bytes");
            Bytes2 made2 = Make2(start);
            Check(Filled((byte*)&made2, 2, start), "2 bytes");
            Bytes3 made3 = Make3(start);
            Check(Filled((byte*)&made3, 3, start), "3 bytes");
            Bytes4 made4 = Make4(start);
            Check(Filled((byte*)&made4, 4, start), "4 bytes");
            Bytes5 made5 = Make5(start);
            Check(Filled((byte*)&made5, 5, start), "5 bytes");
            Bytes6 made6 = Make6(start);
            Check(Filled((byte*)&made6, 6, start), "6 bytes");
            Bytes7 made7 = Make7(start);
            Check(Filled((byte*)&made7, 7, start), "7 bytes");
            Bytes8 made8 = Make8(start);
            Check(Filled((byte*)&made8, 8, start), "8 bytes");
            Bytes9 made9 = Make9(start);
            Check(Filled((byte*)&made9, 9, start), "9 bytes");
            Bytes10 made10 = Make10(start);
            Check(Filled((byte*)&made10, 10, start), "10 bytes");
            Bytes11 made11 = Make11(start);
            Check(Filled((byte*)&made11, 11, start), "11 bytes");
            Bytes12 made12 = Make12(start);
            Check(Filled((byte*)&made12, 12, start), "12 bytes");
            Bytes13 made13 = Make13(start);
            Check(Filled((byte*)&made13, 13, start), "13 bytes");
            Bytes14 made14 = Make14(start);
            Check(Filled((byte*)&made14, 14, start), "14 bytes");
            Bytes15 made15 = Make15(start);
            Check(Filled((byte*)&made15, 15, start), "15 bytes");
            Bytes16 made16 = Make16(start);
            Check(Filled((byte*)&made16, 16, start), "16 bytes");
            Bytes17 made17 = Make17(start);
            Check(Filled((byte*)&made17, 17, start), "17 bytes");
            Bytes18 made18 = Make18(start);
            Check(Filled((byte*)&made18, 18, start), "18 bytes");
            Bytes19 made19 = Make19(start);
            Check(Filled((byte*)&made19, 19, start), "19 bytes");
            Bytes20 made20 = Make20(start);
            Check(Filled((byte*)&made20, 20, start), "20 bytes");
            Bytes21 made21 = Make21(start);
            Check(Filled((byte*)&made21, 21, start), "21 bytes");
            Bytes22 made22 = Make22(start);
            Check(Filled((byte*)&made22, 22, start), "22 bytes");
            Bytes23 made23 = Make23(start);
            Check(Filled((byte*)&made23, 23, start), "23 bytes");
            Bytes24 made24 = Make24(start);
            Check(Filled((byte*)&made24, 24, start), "24 bytes");
            Bytes25 made25 = Make25(start);
            Check(Filled((byte*)&made25, 25, start), "25 bytes");
            Bytes26 made26 = Make26(start);
            Check(Filled((byte*)&made26, 26, start), "26 bytes");
            Bytes27 made27 = Make27(start);
            Check(Filled((byte*)&made27, 27, start), "27 bytes");
            Bytes28 made28 = Make28(start);
            Check(Filled((byte*)&made28, 28, start), "28 bytes");
            Bytes29 made29 = Make29(start);
            Check(Filled((byte*)&made29, 29, start), "29 bytes");
            Bytes30 made30 = Make30(start);
            Check(Filled((byte*)&made30, 30, start), "30 bytes");
            Bytes31 made31 = Make31(start);
            Check(Filled((byte*)&made31, 31, start), "31 bytes");
            Bytes32 made32 = Make32(start);
            Check(Filled((byte*)&made32, 32, start), "32 bytes");
            Bytes33 made33 = Make33(start);
            Check(Filled((byte*)&made33, 33, start), "33 bytes");
            Bytes34 made34 = Make34(start);
            Check(Filled((byte*)&made34, 34, start), "34 bytes");
            Bytes35 made35 = Make35(start);
            Check(Filled((byte*)&made35, 35, start), "35 bytes");
            Bytes36 made36 = Make36(start);
            Check(Filled((byte*)&made36, 36, start), "36 bytes");
            Bytes37 made37 = Make37(start);
            Check(Filled((byte*)&made37, 37, start), "37 bytes");
            Bytes38 made38 = Make38(start);
            Check(Filled((byte*)&made38, 38, start), "38 bytes");
            Bytes39 made39 = Make39(start);
            Check(Filled((byte*)&made39, 39, start), "39 bytes");
            Bytes40 made40 = Make40(start);
            Check(Filled((byte*)&made40, 40, start), "40 bytes");
            Bytes41 made41 = Make41(start);
            Check(Filled((byte*)&made41, 41, start), "41 bytes");
            Bytes42 made42 = Make42(start);
            Check(Filled((byte*)&made42, 42, start), "42 bytes");
            Bytes43 made43 = Make43(start);
            Check(Filled((byte*)&made43, 43, start), "43 bytes");
            Bytes44 made44 = Make44(start);
            Check(Filled((byte*)&made44, 44, start), "44 bytes");
            Bytes45 made45 = Make45(start);
            Check(Filled((byte*)&made45, 45, start), "45 bytes");
            Bytes46 made46 = Make46(start);
            Check(Filled((byte*)&made46, 46, start), "46 bytes");
            Bytes47 made47 = Make47(start);
            Check(Filled((byte*)&made47, 47, start), "47 bytes");
            Bytes48 made48 = Make48(start);
            Check(Filled((byte*)&made48, 48, start), "48 bytes");
            Bytes49 made49 = Make49(start);
            Check(Filled((byte*)&made49, 49, start), "49 bytes");
            Bytes50 made50 = Make50(start);
            Check(Filled((byte*)&made50, 50, start), "50 bytes");
            Bytes51 made51 = Make51(start);
            Check(Filled((byte*)&made51, 51, start), "51 bytes");
            Bytes52 made52 = Make52(start);
            Check(Filled((byte*)&made52, 52, start), "52 bytes");
            Bytes53 made53 = Make53(start);
            Check(Filled((byte*)&made53, 53, start), "53 bytes");
            Bytes54 made54 = Make54(start);
            Check(Filled((byte*)&made54, 54, start), "54 bytes");
            Bytes55 made55 = Make55(start);
            Check(Filled((byte*)&made55, 55, start), "55 bytes");
            Bytes56 made56 = Make56(start);
            Check(Filled((byte*)&made56, 56, start), "56 bytes");
            Bytes57 made57 = Make57(start);
            Check(Filled((byte*)&made57, 57, start), "57 bytes");
            Bytes58 made58 = Make58(start);
            Check(Filled((byte*)&made58, 58, start), "58 bytes");
            Bytes59 made59 = Make59(start);
            Check(Filled((byte*)&made59, 59, start), "59 bytes");
            Bytes60 made60 = Make60(start);
            Check(Filled((byte*)&made60, 60, start), "60 bytes");
            Bytes61 made61 = Make61(start);
            Check(Filled((byte*)&made61, 61, start), "61 bytes");
            Bytes62 made62 = Make62(start);
            Check(Filled((byte*)&made62, 62, start), "62 bytes");
            Bytes63 made63 = Make63(start);
            Check(Filled((byte*)&made63, 63, start), "63 bytes");
            Bytes64 made64 = Make64(start);
            Check(Filled((byte*)&made64, 64, start), "64 bytes");
        }
    }
}
