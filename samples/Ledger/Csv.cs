// Postings as comma-separated values, and back.
using System.Globalization;
using System.Text;

namespace LedgerSample;

internal static class Csv
{
    private enum State
    {
        Plain,
        Quoted,
        QuoteInQuoted,
    }

    public static string Write(Book book)
    {
        var text = new StringBuilder("date,text,account,quantity,currency\n");
        foreach (Transaction transaction in book.Transactions)
        {
            foreach (Posting posting in transaction.Postings)
            {
                string quantity = posting.Amount.Quantity.ToString(CultureInfo.InvariantCulture);
                AppendRow(text, transaction.Date.ToString("yyyy-MM-dd"), transaction.Text, posting.Account.FullName, quantity,
                          posting.Amount.Currency);
            }
        }
        return text.ToString();
    }

    // Rows of cells; a quoted cell may hold commas, quotes and line breaks.
    public static List<string[]> Read(string text)
    {
        var rows = new List<string[]>();
        var cells = new List<string>();
        var cell = new StringBuilder();
        var state = State.Plain;
        foreach (char c in text)
        {
            switch (state)
            {
                case State.Quoted:
                    if (c == '"')
                    {
                        state = State.QuoteInQuoted;
                    }
                    else
                    {
                        cell.Append(c);
                    }
                    break;
                case State.QuoteInQuoted when c == '"':
                    cell.Append(c);
                    state = State.Quoted;
                    break;
                default:
                    state = c == '"' ? State.Quoted : State.Plain;
                    TakePlain(c, rows, cells, cell);
                    break;
            }
        }
        if (state == State.Quoted)
        {
            throw new LedgerException("a quote without end");
        }
        if (cell.Length > 0 || cells.Count > 0)
        {
            TakePlain('\n', rows, cells, cell);
        }
        return rows;
    }

    private static void TakePlain(char c, List<string[]> rows, List<string> cells, StringBuilder cell)
    {
        if (c is ',' or '\n')
        {
            cells.Add(cell.ToString());
            cell.Clear();
        }
        else if (c != '"')
        {
            cell.Append(c);
        }
        if (c == '\n')
        {
            rows.Add(cells.ToArray());
            cells.Clear();
        }
    }

    private static void AppendRow(StringBuilder text, params string[] cells)
    {
        for (int i = 0; i < cells.Length; i++)
        {
            text.Append(i > 0 ? "," : "").Append(Quote(cells[i]));
        }
        text.Append('\n');
    }

    private static string Quote(string cell)
    {
        return cell.IndexOfAny(new[] { ',', '"', '\n' }) < 0 ? cell : '"' + cell.Replace("\"", "\"\"") + '"';
    }
}
