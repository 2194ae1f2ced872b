// Cuts runs of text into words, for lines. The style may change within a word.
namespace DocumentSample;

// Part of a word; codes are those of Encoding.
internal readonly struct Fragment
{
    public Fragment(string codes, Style style, double size)
    {
        Codes = codes;
        Style = style;
        Width = Font.Of(style).Measure(codes, size);
    }

    public string Codes { get; }

    public Style Style { get; }

    public double Width { get; }
}

internal sealed class Word
{
    public List<Fragment> Fragments { get; } = new();

    public double Width { get; private set; }

    // Of the space after it, in the style of its end.
    public double Space { get; private set; }

    public void Add(Fragment fragment, double size)
    {
        Fragments.Add(fragment);
        Width += fragment.Width;
        Space = Font.Of(fragment.Style).Width(' ') * size / 1000;
    }

    public static List<Word> Of(List<Run> runs, double size)
    {
        var words = new List<Word>();
        Word open = null;
        foreach (Run run in runs)
        {
            string codes = Encoding.Encode(run.Text);
            int start = 0;
            for (int i = 0; i <= codes.Length; i++)
            {
                if (i < codes.Length && codes[i] != ' ')
                {
                    continue;
                }
                if (i > start)
                {
                    if (open == null)
                    {
                        open = new Word();
                        words.Add(open);
                    }
                    open.Add(new Fragment(codes.Substring(start, i - start), run.Style, size), size);
                }
                if (i < codes.Length)
                {
                    open = null;
                }
                start = i + 1;
            }
        }
        return words;
    }

    public static List<Word> Of(string text, Style style, double size)
    {
        return Of(new List<Run> { new(text, style) }, size);
    }
}
