// Indexers, indexes from the end, ranges.
namespace Features;

internal static class Indexers
{
    private sealed class Row
    {
        private readonly int[] cells = new int[4];

        public int Length => cells.Length;

        public int this[int index]
        {
            get
            {
                return cells[index];
            }
            set
            {
                cells[index] = value;
            }
        }

        public string this[string name] => name + Length;
    }

    public static void Run()
    {
        var row = new Row();
        row[1] = 5;
        row[1] += 2;
        row[^1] = row[1];
        string text = row["row"][1..];
        Console.WriteLine($"{row[3]} {text}");
    }
}
