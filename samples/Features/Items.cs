// Items of arrays: one dimension, several, arrays of arrays.
namespace Features;

internal static class Items
{
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
    }
}
