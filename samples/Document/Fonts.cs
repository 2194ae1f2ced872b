// The fonts of a book: how wide text is in them, and which letters move closer together.
namespace DocumentSample;

internal enum Style
{
    Plain,
    Bold,
    Italic,
    Code,
    Heading,
    Small,
}

internal sealed class Font
{
    private static readonly Dictionary<Style, Font> fonts = new()
    {
        [Style.Plain] = new Font("F1", "Times-Roman", Widths.TimesRoman, "AV-135 AW-90 AY-105 AT-111 To-80 Ta-80 Te-70 Va-111 Vo-129 Wa-80 Wo-80 Yo-110 Ya-100"),
        [Style.Bold] = new Font("F2", "Times-Bold", Widths.TimesBold, "AV-145 AW-130 AT-95 To-92 Ta-92 Te-92 Va-92 Vo-100 Wa-65 Wo-75 Yo-111 Ya-85"),
        [Style.Italic] = new Font("F3", "Times-Italic", Widths.TimesItalic, "AV-105 AW-95 AT-37 To-92 Ta-92 Te-92 Va-111 Vo-111 Wa-92 Wo-92 Yo-92 Ya-92"),
        [Style.Code] = new Font("F4", "Courier", null, ""),
        [Style.Heading] = new Font("F5", "Helvetica-Bold", Widths.HelveticaBold, "AV-80 AW-60 AT-90 To-80 Ta-80 Te-60 Va-60 Vo-80 Wa-40 Wo-60 Yo-100 Ya-90"),
        [Style.Small] = new Font("F6", "Helvetica", Widths.Helvetica, "AV-70 AW-50 AT-120 To-120 Ta-120 Te-120 Va-70 Vo-80 Wa-30 Wo-30 Yo-140 Ya-140"),
    };

    private readonly short[] widths;
    private readonly Dictionary<(char Left, char Right), int> kerns = new();

    // kerns: pairs of letters, each with thousandths by which the second moves.
    private Font(string key, string name, short[] widths, string kerns)
    {
        Key = key;
        Name = name;
        this.widths = widths;
        foreach (string pair in kerns.Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            this.kerns.Add((pair[0], pair[1]), int.Parse(pair.AsSpan(2)));
        }
    }

    // Its name on pages.
    public string Key { get; }

    public string Name { get; }

    public static IEnumerable<Font> All => fonts.Values;

    public static Font Of(Style style)
    {
        return fonts[style];
    }

    // Thousandths of the size; codes are those of Encoding.
    public int Width(char code)
    {
        if (widths == null)
        {
            return Widths.Courier;
        }
        return code < 32 ? 0 : widths[code - 32];
    }

    public int Kern(char left, char right)
    {
        return kerns.TryGetValue((left, right), out int amount) ? amount : 0;
    }

    public double Measure(string codes, double size)
    {
        int sum = 0;
        for (int i = 0; i < codes.Length; i++)
        {
            sum += Width(codes[i]);
            if (i > 0)
            {
                sum += Kern(codes[i - 1], codes[i]);
            }
        }
        return sum * size / 1000;
    }
}
