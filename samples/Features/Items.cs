// Items of arrays: one dimension, several, arrays of arrays; and fields of items.
namespace Features;

internal struct Row
{
    public int Count;
    public (int X, string Name) Cell;
}

internal sealed class Line
{
    public int Count;
}

internal static class Items
{
    private static void Raise(ref int count) => count += 10;

    public static void Run()
    {
        int[] row = new int[2];
        row[1] = 5;
        row[0] = row[1]++;
        int[,] grid = new int[2, 2];
        grid[1, 0] = row[1];
        string[][] jagged = new string[1][];
        jagged[0] = new[] { "a" };
        jagged[0][0] += "b";
        Console.WriteLine($"{row[0]} {grid[1, 0]} {jagged[0][0]}");

        Row[] rows = new Row[3];
        int i = 1;
        rows[i].Count = 1;
        rows[i].Count++;
        rows[i + 1].Cell.Name = "c";
        Raise(ref rows[i].Count);
        Raise(ref row[0]);
        rows[i] = default;
        Span<Row> span = rows;
        span[2].Cell.X = 7;
        Row[][] tables = { rows };
        tables[0][2].Count = 8;
        var lines = new List<Line> { new() };
        lines[0].Count = 9;
        Console.WriteLine($"{row[0]} {rows[1].Count} {rows[2]}");
    }
}
