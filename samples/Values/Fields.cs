// Fields of every type and kind: instance, static, per thread, read only, behind properties and events, of structs in classes.
namespace Values;

internal static class Fields
{
    private class All
    {
        public bool Truth;
        public char Letter;
        public sbyte I1;
        public byte U1;
        public short I2;
        public ushort U2;
        public int I4;
        public uint U4;
        public long I8;
        public ulong U8;
        public float R4;
        public double R8;
        public nint Native;
        public nuint NativeU;
        public decimal Money;
        public string Text;
        public object Thing;
        public Colour Colour;
        public int? Perhaps;
        public Point Where;
        public DateTime When;
        public Int128 Wide;
        public Half Half;
        public (int Count, string Name) Tuple;
        public Action Act;
        public int[] Numbers;
        public unsafe int* Pointer;
        public volatile int Quick;
    }

    private sealed class Derived : All
    {
        private readonly int own;
        private readonly string name = "initialised";

        public Derived(int own)
        { Oracle.Argument("own", own);
            this.own = own; Oracle.Field("own", this.own);
            name += own; Oracle.Field("name", name);
            I4 = own + 1; Oracle.Field("I4", I4);
            base.Text = "base"; Oracle.Field("Text", Text);
        }

        public int Own => own;
    }

    private sealed class Properties
    {
        private int written;

        public int Automatic { get; set; }

        public string Once { get; init; }

        public int Full
        {
            get => written;
            set
            { Oracle.Argument("value", value);
                written = value * 2; Oracle.Field("written", written);
            }
        }

        public event Action Happened;

        public static int Shared { get; set; }

        public void Raise()
        {
            Happened?.Invoke();
        }
    }

    private static int number;
    private static string text = "at first";
    private static Point point;
    private static decimal money;
    private static int? perhaps;
    private static volatile bool flag;
    private static long counter;
    private static readonly string made = Make();

    [ThreadStatic] private static int own;
    [ThreadStatic] private static string ownText;

    public static void Run()
    {
        Instance();
        Statics();
        ThreadStatics();
        Members();
        Compound();
        Nested();
    }

    private static string Make()
    {
        string result = "made"; Oracle.Local("result", result);
        return result;
    }

    private static unsafe void Instance()
    {
        var all = new All(); Oracle.Local("all", all);
        all.Truth = true; Oracle.Field("Truth", all.Truth);
        all.Letter = 'L'; Oracle.Field("Letter", all.Letter);
        all.I1 = -1; Oracle.Field("I1", all.I1);
        all.U1 = 255; Oracle.Field("U1", all.U1);
        all.I2 = -2; Oracle.Field("I2", all.I2);
        all.U2 = 65535; Oracle.Field("U2", all.U2);
        all.I4 = -4; Oracle.Field("I4", all.I4);
        all.U4 = 4; Oracle.Field("U4", all.U4);
        all.I8 = -8; Oracle.Field("I8", all.I8);
        all.U8 = 8; Oracle.Field("U8", all.U8);
        all.R4 = 0.4f; Oracle.Field("R4", all.R4);
        all.R8 = 0.8; Oracle.Field("R8", all.R8);
        all.Native = -5; Oracle.Field("Native", all.Native);
        all.NativeU = 5; Oracle.Field("NativeU", all.NativeU);
        all.Money = 5.00m; Oracle.Field("Money", all.Money);
        all.Text = "text"; Oracle.Field("Text", all.Text);
        all.Thing = all; Oracle.Field("Thing", all.Thing);
        all.Thing = 3; Oracle.Field("Thing", all.Thing);
        all.Thing = null; Oracle.Field("Thing", all.Thing);
        all.Colour = Colour.Blue; Oracle.Field("Colour", all.Colour);
        all.Perhaps = 1; Oracle.Field("Perhaps", all.Perhaps);
        all.Perhaps = null; Oracle.Field("Perhaps", all.Perhaps);
        all.Where = new Point(1, 2); Oracle.Field("Where", all.Where);
        all.Where.X = 3; Oracle.Field("Where.X", all.Where.X);
        all.Where = default; Oracle.Field("Where", all.Where);
        all.When = new DateTime(2026, 1, 1); Oracle.Field("When", all.When);
        all.Wide = Int128.One; Oracle.Field("Wide", all.Wide);
        all.Half = (Half)2; Oracle.Field("Half", all.Half);
        all.Tuple = (2, "two"); Oracle.Tuple(".Tuple", all.Tuple, "Count Name");
        all.Tuple.Name = "deux"; Oracle.Field("Tuple.Name", all.Tuple.Name);
        all.Act = Run; Oracle.Field("Act", all.Act);
        all.Numbers = new[] { 1, 2 }; Oracle.Field("Numbers", all.Numbers);
        all.Pointer = (int*)64; Oracle.Pointer(".Pointer", all.Pointer);
        all.Quick = 6; Oracle.Field("Quick", all.Quick);
        var derived = new Derived(9); Oracle.Local("derived", derived);
        int sum = derived.Own + derived.I4; Oracle.Local("sum", sum);
    }

    private static void Statics()
    {
        number = 5; Oracle.Field("number", number);
        number++; Oracle.Field("number", number);
        text = null; Oracle.Field("text", text);
        text = "then"; Oracle.Field("text", text);
        point = new Point(7, 8); Oracle.Field("point", point);
        point.Y--; Oracle.Field("point.Y", point.Y);
        money += 0.01m; Oracle.Field("money", money);
        perhaps = number; Oracle.Field("perhaps", perhaps);
        flag = true; Oracle.Field("flag", flag);
        counter += int.MaxValue; Oracle.Field("counter", counter);
        int length = made.Length; Oracle.Local("length", length);
    }

    private static void ThreadStatics()
    {
        own = 1; Oracle.Field("own", own);
        ownText = "main"; Oracle.Field("ownText", ownText);
        var thread = new Thread(OnThread); Oracle.Local("thread", thread);
        thread.Start();
        thread.Join();
        own += 1; Oracle.Field("own", own);
        string kept = ownText; Oracle.Local("kept", kept);
    }

    private static void OnThread()
    {
        own += 10; Oracle.Field("own", own);
        ownText = ownText ?? "none before"; Oracle.Field("ownText", ownText);
    }

    private static void Members()
    {
        var properties = new Properties { Once = "once" }; Oracle.Local("properties", properties);
        properties.Automatic = 3;
        properties.Automatic += 4;
        int automatic = properties.Automatic; Oracle.Local("automatic", automatic);
        properties.Full = 5;
        int full = properties.Full; Oracle.Local("full", full);
        Properties.Shared++;
        int shared = Properties.Shared; Oracle.Local("shared", shared);
        string once = properties.Once; Oracle.Local("once", once);
        int raised = 0; Oracle.Local("raised", raised);
        properties.Happened += () => { raised++; Oracle.Local("raised", raised); };
        properties.Raise();
        properties.Raise();
    }

    private static void Compound()
    {
        var all = new All(); Oracle.Local("all", all);
        all.I4 += 3; Oracle.Field("I4", all.I4);
        all.I4 *= 5; Oracle.Field("I4", all.I4);
        all.U1 -= 1; Oracle.Field("U1", all.U1);
        all.I8 |= 1L << 40; Oracle.Field("I8", all.I8);
        all.Text += "more"; Oracle.Field("Text", all.Text);
        all.Text ??= "never";
        all.Colour |= Colour.Green; Oracle.Field("Colour", all.Colour);
        int before = all.I4++; Oracle.Field("I4", all.I4); Oracle.Local("before", before);
        int after = ++all.I4; Oracle.Field("I4", all.I4); Oracle.Local("after", after);
        all.Numbers = new int[2]; Oracle.Field("Numbers", all.Numbers);
        all.Numbers[1] += 6; Oracle.Item("Numbers[1]", all.Numbers[1]);
        all.I2 = all.I1 = (sbyte)after; Oracle.Field("I1", all.I1); Oracle.Field("I2", all.I2);
    }

    private sealed class Outer
    {
        public Segment Segment;
        public Outer Next;

        public sealed class Inner
        {
            public static int Deep;
        }
    }

    private static void Nested()
    {
        var outer = new Outer { Next = new Outer() }; Oracle.Local("outer", outer);
        outer.Segment.From.X = 1; Oracle.Field("Segment.From.X", outer.Segment.From.X);
        outer.Next.Segment.To = new Point(2, 3); Oracle.Field("Segment.To", outer.Next.Segment.To);
        outer.Next.Segment = outer.Segment; Oracle.Field("Segment", outer.Next.Segment);
        outer.Next = null; Oracle.Field("Next", outer.Next);
        Outer.Inner.Deep = 4; Oracle.Field("Deep", Outer.Inner.Deep);
    }
}
