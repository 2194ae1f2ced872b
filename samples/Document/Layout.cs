// Places blocks on pages, one below another, and avoids page breaks within related blocks.
namespace DocumentSample;

internal static class Paper
{
    public const double Width = 595;
    public const double Height = 842;
    public const double Left = 72;
    public const double Right = 523;
    public const double Top = 770;
    public const double Bottom = 72;
    public const double TextWidth = Right - Left;
}

internal sealed class Page
{
    public Page(int number)
    {
        Number = number;
    }

    public int Number { get; }

    public Content Content { get; } = new();

    public string Title { get; set; }

    public List<Link> Links { get; } = new();
}

// An area of a page that leads to a heading.
internal readonly record struct Link(double X, double Y, double Width, double Height, Entry Target);

// A heading and its final position.
internal sealed class Entry
{
    public Entry(string number, string text, int level, Page page, double y)
    {
        Number = number;
        Text = text;
        Level = level;
        Page = page;
        Y = y;
    }

    public string Number { get; }

    public string Text { get; }

    public int Level { get; }

    public Page Page { get; }

    public double Y { get; }
}

internal sealed class Layout
{
    private const double Size = 10.5;
    private const double Leading = 13.5;
    private const double CodeSize = 9;
    private const double CodeLeading = 11;
    private const double Indent = 14;
    private const double CellGap = 10;
    private static readonly double[] headingSizes = { 18, 13, 11 };

    private readonly List<int> numbers = new();
    private Page page;
    private double y;

    public List<Page> Pages { get; } = new();

    public List<Entry> Entries { get; } = new();

    public int Words { get; private set; }

    public int Lines { get; private set; }

    public void Add(List<Block> blocks)
    {
        Block before = null;
        foreach (Block block in blocks)
        {
            Separate(before, block);
            Add(block);
            before = block;
        }
    }

    public void StartPage()
    {
        page = new Page(Pages.Count + 1) { Title = Pages.Count == 0 ? "" : Pages[Pages.Count - 1].Title };
        Pages.Add(page);
        y = Paper.Top;
    }

    // One entry of the contents: its text, dots, its page, and a link to it.
    public void AddEntry(Entry entry)
    {
        Need(Leading);
        double indent = Paper.Left + Indent * (entry.Level - 1);
        Style style = entry.Level == 1 ? Style.Bold : Style.Plain;
        string text = entry.Number + " " + entry.Text;
        string target = entry.Page.Number.ToString();
        double end = indent + Font.Of(style).Measure(Encoding.Encode(text), Size);
        double start = Paper.Right - Font.Of(style).Measure(target, Size);
        page.Content.Draw(text, style, Size, indent, y - Size);
        double dot = Font.Of(Style.Plain).Measure(" .", Size);
        int dots = (int)((start - end - Indent) / dot);
        if (dots > 2)
        {
            string leader = "";
            for (int i = 0; i < dots; i++)
            {
                leader += " .";
            }
            page.Content.Draw(leader, Style.Plain, Size, start - dots * dot - 3, y - Size);
        }
        page.Content.Draw(target, style, Size, start, y - Size);
        page.Links.Add(new Link(indent, y - Leading, Paper.Right - indent, Leading, entry));
        y -= Leading;
    }

    private void Add(Block block)
    {
        switch (block)
        {
            case Heading heading:
                AddHeading(heading);
                break;
            case Paragraph paragraph:
                AddText(Word.Of(paragraph.Runs, Size), 0);
                break;
            case ListItem item:
                AddItem(item);
                break;
            case CodeLine code:
                AddCode(code);
                break;
            case Table table:
                AddTable(table);
                break;
            default:
                throw new ArgumentException($"no such block: {block.GetType().Name}");
        }
    }

    private void Separate(Block before, Block block)
    {
        bool together = before == null || (before is ListItem && block is ListItem) || (before is CodeLine && block is CodeLine);
        if (!together)
        {
            y -= Leading / 2;
        }
    }

    // A heading is never last on a page.
    private void AddHeading(Heading heading)
    {
        int level = Math.Min(heading.Level, headingSizes.Length);
        double size = headingSizes[level - 1];
        if (level == 1 || page == null)
        {
            StartPage();
            page.Title = heading.Text;
        }
        Need(size * 1.4 + 3 * Leading);
        var entry = new Entry(NextNumber(level), heading.Text, level, page, y);
        Entries.Add(entry);
        List<Word> words = Word.Of(entry.Number + " " + entry.Text, Style.Heading, size);
        foreach (Line line in LineBreaker.Fill(words, Paper.TextWidth))
        {
            Draw(words, line, Paper.Left, size, size * 1.4);
        }
    }

    // 2.1 after 2 and after 1.7.
    private string NextNumber(int level)
    {
        while (numbers.Count < level)
        {
            numbers.Add(0);
        }
        numbers.RemoveRange(level, numbers.Count - level);
        numbers[level - 1]++;
        return string.Join('.', numbers);
    }

    private void AddText(List<Word> words, double indent)
    {
        List<Line> lines = LineBreaker.Justify(words, Paper.TextWidth - indent);
        for (int i = 0; i < lines.Count; i++)
        {
            // No line of a paragraph alone at the foot of a page, or at the head of the next.
            bool keeps = (i == 0 && lines.Count > 1) || i == lines.Count - 2;
            Need(keeps ? 2 * Leading : Leading);
            Draw(words, lines[i], Paper.Left + indent, Size, Leading);
        }
    }

    private void AddItem(ListItem item)
    {
        Need(2 * Leading);
        page.Content.Draw("\u2022", Style.Plain, Size, Paper.Left + 4, y - Size);
        Words++;
        AddText(Word.Of(item.Runs, Size), Indent);
    }

    private void AddCode(CodeLine code)
    {
        Need(CodeLeading);
        page.Content.Shade(Paper.Left, y - CodeLeading, Paper.TextWidth, CodeLeading);
        page.Content.Draw(code.Text, Style.Code, CodeSize, Paper.Left + 4, y - CodeSize);
        Words += code.Text.Split(' ', StringSplitOptions.RemoveEmptyEntries).Length;
        Lines++;
        y -= CodeLeading;
    }

    private void AddTable(Table table)
    {
        double[] widths = ColumnWidths(table);
        for (int row = 0; row < table.Rows.Count; row++)
        {
            AddRow(table.Rows[row], widths, row == 0 ? Style.Bold : Style.Plain);
            if (row == 0)
            {
                page.Content.Rule(Paper.Left, y - 1.5, Paper.TextWidth, 0.5);
                y -= 3;
            }
        }
        page.Content.Rule(Paper.Left, y - 1.5, Paper.TextWidth, 0.5);
        y -= 3;
    }

    private void AddRow(string[] cells, double[] widths, Style style)
    {
        var words = new List<Word>[cells.Length];
        var lines = new List<Line>[cells.Length];
        int height = 1;
        for (int i = 0; i < cells.Length; i++)
        {
            words[i] = Word.Of(cells[i], style, Size);
            lines[i] = LineBreaker.Fill(words[i], widths[i]);
            height = Math.Max(height, lines[i].Count);
        }
        Need(height * Leading);
        double top = y;
        double x = Paper.Left;
        for (int i = 0; i < cells.Length; i++)
        {
            y = top;
            foreach (Line line in lines[i])
            {
                Draw(words[i], line, x, Size, Leading);
            }
            x += widths[i] + CellGap;
        }
        y = top - height * Leading;
    }

    // Each column gets its share of the page by its longest cell, but room for its longest word.
    private static double[] ColumnWidths(Table table)
    {
        int count = 0;
        foreach (string[] row in table.Rows)
        {
            count = Math.Max(count, row.Length);
        }
        var longest = new double[count];
        var least = new double[count];
        foreach (string[] row in table.Rows)
        {
            for (int i = 0; i < row.Length; i++)
            {
                foreach (Word word in Word.Of(row[i], Style.Bold, Size))
                {
                    least[i] = Math.Max(least[i], word.Width);
                }
                longest[i] = Math.Max(longest[i], Font.Of(Style.Bold).Measure(Encoding.Encode(row[i]), Size));
            }
        }
        double room = Paper.TextWidth - (count - 1) * CellGap;
        double wanted = 0;
        for (int i = 0; i < count; i++)
        {
            room -= least[i];
            wanted += longest[i] - least[i];
        }
        for (int i = 0; i < count && room > 0 && wanted > 0; i++)
        {
            least[i] += room * (longest[i] - least[i]) / wanted;
        }
        return least;
    }

    private void Draw(List<Word> words, Line line, double x, double size, double leading)
    {
        page.Content.Draw(words, line, x, y - size, size);
        Words += line.End - line.First;
        Lines++;
        y -= leading;
    }

    private void Need(double height)
    {
        if (page == null || y - height < Paper.Bottom)
        {
            StartPage();
        }
    }
}
