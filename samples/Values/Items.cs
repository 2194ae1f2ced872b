// Items of arrays of every element type.
namespace Values;

internal static class Items
{
    public static void Run()
    {
        Primitives();
        Others();
        Changes();
        Shapes();
        Collections();
        Initialised();
    }

    private static void Primitives()
    {
        var truths = new bool[2]; Oracle.Local("truths", truths);
        truths[1] = true; Oracle.Item("truths[1]", truths[1]);
        var letters = new char[2]; Oracle.Local("letters", letters);
        letters[0] = 'é'; Oracle.Item("letters[0]", letters[0]);
        var i1 = new sbyte[1]; Oracle.Local("i1", i1);
        i1[0] = -1; Oracle.Item("i1[0]", i1[0]);
        var u1 = new byte[1]; Oracle.Local("u1", u1);
        u1[0] = 255; Oracle.Item("u1[0]", u1[0]);
        var i2 = new short[1]; Oracle.Local("i2", i2);
        i2[0] = -2; Oracle.Item("i2[0]", i2[0]);
        var u2 = new ushort[1]; Oracle.Local("u2", u2);
        u2[0] = 65535; Oracle.Item("u2[0]", u2[0]);
        var i4 = new int[1]; Oracle.Local("i4", i4);
        i4[0] = -4; Oracle.Item("i4[0]", i4[0]);
        var u4 = new uint[1]; Oracle.Local("u4", u4);
        u4[0] = uint.MaxValue; Oracle.Item("u4[0]", u4[0]);
        var i8 = new long[1]; Oracle.Local("i8", i8);
        i8[0] = long.MinValue; Oracle.Item("i8[0]", i8[0]);
        var u8 = new ulong[1]; Oracle.Local("u8", u8);
        u8[0] = ulong.MaxValue; Oracle.Item("u8[0]", u8[0]);
        var r4 = new float[1]; Oracle.Local("r4", r4);
        r4[0] = 1.1f; Oracle.Item("r4[0]", r4[0]);
        var r8 = new double[1]; Oracle.Local("r8", r8);
        r8[0] = 1.1; Oracle.Item("r8[0]", r8[0]);
        var native = new nint[1]; Oracle.Local("native", native);
        native[0] = -6; Oracle.Item("native[0]", native[0]);
    }

    private static void Others()
    {
        var texts = new string[3]; Oracle.Local("texts", texts);
        texts[0] = "zero"; Oracle.Item("texts[0]", texts[0]);
        texts[1] = texts[0]; Oracle.Item("texts[1]", texts[1]);
        texts[0] = null; Oracle.Item("texts[0]", texts[0]);
        object[] things = new object[3]; Oracle.Local("things", things);
        things[0] = 1; Oracle.Item("things[0]", things[0]);
        things[1] = things; Oracle.Item("things[1]", things[1]);
        things[2] = "two"; Oracle.Item("things[2]", things[2]);
        var points = new Point[2]; Oracle.Local("points", points);
        points[1] = new Point(1, 2); Oracle.Item("points[1]", points[1]);
        points[1].X = 3; Oracle.Field("points[1].X", points[1].X);
        points[0] = points[1]; Oracle.Item("points[0]", points[0]);
        points[1] = default; Oracle.Item("points[1]", points[1]);
        var money = new decimal[1]; Oracle.Local("money", money);
        money[0] = 2.20m; Oracle.Item("money[0]", money[0]);
        var colours = new Colour[1]; Oracle.Local("colours", colours);
        colours[0] = Colour.Blue; Oracle.Item("colours[0]", colours[0]);
        var perhaps = new int?[2]; Oracle.Local("perhaps", perhaps);
        perhaps[0] = 3; Oracle.Item("perhaps[0]", perhaps[0]);
        perhaps[0] = null; Oracle.Item("perhaps[0]", perhaps[0]);
        var segments = new Segment[1]; Oracle.Local("segments", segments);
        segments[0].Name = "s"; Oracle.Field("Name", segments[0].Name);
        segments[0].To.Y = 4; Oracle.Field("segments[0].To.Y", segments[0].To.Y);
        segments[0].To.Y++; Oracle.Field("segments[0].To.Y", segments[0].To.Y);
        Interlocked.Add(ref segments[0].To.Y, 5); Oracle.Field("segments[0].To.Y", segments[0].To.Y);
        var acts = new Action[1]; Oracle.Local("acts", acts);
        acts[0] = Run; Oracle.Item("acts[0]", acts[0]);
        var wide = new Int128[1]; Oracle.Local("wide", wide);
        wide[0] = Int128.MaxValue; Oracle.Item("wide[0]", wide[0]);
        var ids = new Guid[1]; Oracle.Local("ids", ids);
        ids[0] = Guid.Empty; Oracle.Item("ids[0]", ids[0]);
    }

    private static void Changes()
    {
        int[] numbers = { 1, 2, 3 }; Oracle.Local("numbers", numbers);
        numbers[0] += 10; Oracle.Item("numbers[0]", numbers[0]);
        numbers[1]++; Oracle.Item("numbers[1]", numbers[1]);
        numbers[^1] = 30; Oracle.Item("numbers[2]", numbers[2]);
        int i = 0; Oracle.Local("i", i);
        numbers[i++] = i; Oracle.Item("numbers[0]", numbers[0]); Oracle.Local("i", i);
        numbers[numbers[0]] = numbers[2] = 5; Oracle.Item("numbers[2]", numbers[2]); Oracle.Item("numbers[1]", numbers[1]);
        for (int k = 0; k < numbers.Length; k++)
        {
            numbers[k] *= k; Oracle.Item($"numbers[{k}]", numbers[k]);
        }
        byte[] bytes = new byte[2]; Oracle.Local("bytes", bytes);
        bytes[1] -= 1; Oracle.Item("bytes[1]", bytes[1]);
        string[] texts = { "a" }; Oracle.Local("texts", texts);
        texts[0] += "b"; Oracle.Item("texts[0]", texts[0]);
        try
        {
            numbers[3] = 1;
        }
        catch (IndexOutOfRangeException problem) { Oracle.Local("problem", problem);
        }
        try
        {
            object[] covariant = texts; Oracle.Local("covariant", covariant);
            covariant[0] = new object();
        }
        catch (ArrayTypeMismatchException problem) { Oracle.Local("problem", problem);
        }
    }

    private static void Shapes()
    {
        int[][] jagged = new int[2][]; Oracle.Local("jagged", jagged);
        jagged[1] = new int[2]; Oracle.Item("jagged[1]", jagged[1]);
        jagged[1][0] = 7; Oracle.Item("jagged[1][0]", jagged[1][0]);
        int[,] grid = new int[2, 2]; Oracle.Local("grid", grid);
        grid[0, 1] = 8; Oracle.Item("grid[0,1]", grid[0, 1]);
        grid[1, 1] += 9; Oracle.Item("grid[1,1]", grid[1, 1]);
        ref int cell = ref grid[1, 0]; Oracle.Reference("cell");
        cell = 10; Oracle.Through("cell", cell);
        string[,,] cube = new string[1, 1, 2]; Oracle.Local("cube", cube);
        cube[0, 0, 1] = "corner"; Oracle.Item("cube[0,0,1]", cube[0, 0, 1]);
        Point[,] points = new Point[1, 1]; Oracle.Local("points", points);
        points[0, 0].Y = 11; Oracle.Field("Y", points[0, 0].Y);
        int sum = 0; Oracle.Local("sum", sum);
        foreach (int number in grid)
        {
            sum += number; Oracle.Local("sum", sum);
        }
    }

    private static void Collections()
    {
        var list = new List<int>(); Oracle.Local("list", list);
        for (int i = 0; i < 20; i++)
        {
            list.Add(i * i); Oracle.Item($"list[{i}]", list[i]);
        }
        list[3] = -1; Oracle.Item("list[3]", list[3]);
        list.Insert(0, 100); Oracle.Item("list[0]", list[0]);
        var points = new List<Point>(); Oracle.Local("points", points);
        points.Add(new Point(1, 2)); Oracle.Item("points[0]", points[0]);
        points[0] = new Point(3, 4); Oracle.Item("points[0]", points[0]);
        var texts = new Stack<string>(); Oracle.Local("texts", texts);
        texts.Push("bottom"); Oracle.Item("texts[0]", texts.Peek());
        texts.Push(null); Oracle.Item("texts[1]", texts.Peek());
        var moments = new Queue<decimal>(); Oracle.Local("moments", moments);
        moments.Enqueue(1.10m); Oracle.Item("moments[0]", moments.Peek());
        var ages = new Dictionary<string, long?>(); Oracle.Local("ages", ages);
        ages["Ann"] = 30; Oracle.Item("ages[Ann]", ages["Ann"]);
        ages.Add("Bob", null); Oracle.Item("ages[Bob]", ages["Bob"]);
        var letters = new Dictionary<char, float>(); Oracle.Local("letters", letters);
        letters['x'] = 0.5f; Oracle.Item("letters[x]", letters['x']);
        var negative = new SortedList<short, object>(); Oracle.Local("negative", negative);
        negative[-5] = "minus"; Oracle.Item("negative[-5]", negative[-5]);
        var wide = new Dictionary<Guid, byte>(); Oracle.Local("wide", wide);
        wide[Guid.Empty] = 7; Oracle.Item("wide[?]", wide[Guid.Empty]);
        var pairs = new Dictionary<(string, int), string>(); Oracle.Local("pairs", pairs);
        pairs[("a", 1)] = "pair"; Oracle.Item("pairs[?]", pairs[("a", 1)]);
    }

    // Short lists are stored item by item, long ones copied from the file.
    private static void Initialised()
    {
        int[] copied = { 1, 2, 3, 4, 5, 6, 7, 8 }; Oracle.Local("copied", copied);
        string[] stored = { "a", "b" }; Oracle.Local("stored", stored); Oracle.Item("[0]", stored[0]); Oracle.Item("[1]", stored[1]);
        int[] both = [.. copied[..1], 9]; Oracle.Local("both", both);
        int last = both[^1]; Oracle.Local("last", last);
        List<int> list = [1, 2]; Oracle.Local("list", list);
        list[0] = 5; int first = list[0]; Oracle.Local("first", first);
    }
}
