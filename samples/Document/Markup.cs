// The text's markup: #, -, | or four spaces at the start of a line select the kind of block; *, _ and ` around words select
// a style. Everything else is paragraphs, with blank lines between them.
using System.Text;

namespace DocumentSample;

// A piece of text in one style.
internal readonly record struct Run(string Text, Style Style);

internal abstract class Block
{
}

internal sealed class Heading : Block
{
    public Heading(int level, string text)
    {
        Level = level;
        Text = text;
    }

    public int Level { get; }

    public string Text { get; }
}

internal sealed class Paragraph : Block
{
    public Paragraph(List<Run> runs)
    {
        Runs = runs;
    }

    public List<Run> Runs { get; }
}

internal sealed class ListItem : Block
{
    public ListItem(List<Run> runs)
    {
        Runs = runs;
    }

    public List<Run> Runs { get; }
}

internal sealed class CodeLine : Block
{
    public CodeLine(string text)
    {
        Text = text;
    }

    public string Text { get; }
}

internal sealed class Table : Block
{
    public List<string[]> Rows { get; } = new();
}

internal sealed class Markup
{
    private readonly List<Block> blocks = new();
    private readonly StringBuilder open = new();
    private Table table;
    private bool inItem;

    private Markup()
    {
    }

    public static List<Block> Parse(string text)
    {
        var markup = new Markup();
        foreach (string line in text.Split('\n'))
        {
            markup.Take(line.TrimEnd());
        }
        markup.Close();
        return markup.blocks;
    }

    // The runs of a paragraph's text. A mark that nothing closes is text.
    public static List<Run> ParseRuns(string text)
    {
        var runs = new List<Run>();
        var plain = new StringBuilder();
        int at = 0;
        while (at < text.Length)
        {
            Style style = StyleOf(text[at]);
            int end = style == Style.Plain ? -1 : text.IndexOf(text[at], at + 1);
            if (end <= at + 1)
            {
                plain.Append(text[at++]);
                continue;
            }
            AddRun(runs, plain, Style.Plain);
            runs.Add(new Run(text.Substring(at + 1, end - at - 1), style));
            at = end + 1;
        }
        AddRun(runs, plain, Style.Plain);
        return runs;
    }

    private static Style StyleOf(char mark)
    {
        return mark switch
        {
            '*' => Style.Bold,
            '_' => Style.Italic,
            '`' => Style.Code,
            _ => Style.Plain,
        };
    }

    private static void AddRun(List<Run> runs, StringBuilder text, Style style)
    {
        if (text.Length > 0)
        {
            runs.Add(new Run(text.ToString(), style));
            text.Clear();
        }
    }

    private void Take(string line)
    {
        if (line.Length > 0 && line[0] == '|')
        {
            TakeRow(line);
            return;
        }
        table = null;
        if (line.Length == 0)
        {
            Close();
        }
        else if (line[0] == '#')
        {
            TakeHeading(line);
        }
        else if (line.StartsWith("- ", StringComparison.Ordinal))
        {
            Close();
            inItem = true;
            open.Append(line, 2, line.Length - 2);
        }
        else if (open.Length == 0 && line.StartsWith("    ", StringComparison.Ordinal))
        {
            blocks.Add(new CodeLine(line.Substring(4)));
        }
        else
        {
            open.Append(open.Length > 0 ? " " : "").Append(line.Trim());
        }
    }

    private void TakeHeading(string line)
    {
        Close();
        int level = 0;
        while (level < line.Length && line[level] == '#')
        {
            level++;
        }
        blocks.Add(new Heading(level, line.Substring(level).Trim()));
    }

    private void TakeRow(string line)
    {
        if (table == null)
        {
            Close();
            table = new Table();
            blocks.Add(table);
        }
        string[] cells = line.Trim('|').Split('|');
        for (int i = 0; i < cells.Length; i++)
        {
            cells[i] = cells[i].Trim();
        }
        table.Rows.Add(cells);
    }

    // Ends the paragraph or list item that is being collected.
    private void Close()
    {
        if (open.Length > 0)
        {
            List<Run> runs = ParseRuns(open.ToString());
            blocks.Add(inItem ? new ListItem(runs) : new Paragraph(runs));
            open.Clear();
        }
        inItem = false;
    }
}
