// Rows of cells as text, with columns as wide as they must be; numbers to the right.
using System.Text;

namespace LedgerSample;

internal sealed class TextTable
{
    private readonly string title;
    private readonly List<string[]> rows = new();

    public TextTable(string title, params string[] head)
    {
        this.title = title;
        rows.Add(head);
    }

    public void Add(params string[] cells)
    {
        if (cells.Length != rows[0].Length)
        {
            throw new LedgerException($"{cells.Length} cells in a row of {rows[0].Length}");
        }
        rows.Add(cells);
    }

    public override string ToString()
    {
        int[] widths = Widths();
        var text = new StringBuilder().Append("== ").Append(title).Append(" ==\n");
        for (int row = 0; row < rows.Count; row++)
        {
            for (int column = 0; column < widths.Length; column++)
            {
                AppendCell(text, rows[row][column], widths[column], column);
            }
            text.Append('\n');
            if (row == 0)
            {
                text.Append('-', widths.Sum() + 2 * (widths.Length - 1)).Append('\n');
            }
        }
        return text.ToString();
    }

    private int[] Widths()
    {
        var widths = new int[rows[0].Length];
        foreach (string[] row in rows)
        {
            for (int i = 0; i < row.Length; i++)
            {
                widths[i] = Math.Max(widths[i], row[i].Length);
            }
        }
        return widths;
    }

    private static void AppendCell(StringBuilder text, string cell, int width, int column)
    {
        if (column > 0)
        {
            text.Append("  ");
        }
        bool isNumber = cell.Length > 0 && (char.IsDigit(cell[0]) || cell[0] == '-') && cell.Contains('.');
        text.Append(isNumber ? cell.PadLeft(width) : cell.PadRight(width));
    }
}
