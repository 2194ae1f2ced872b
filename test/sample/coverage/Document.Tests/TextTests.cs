// The text: markup, words, lines.
using DocumentSample;

public class TextTests
{
    [Fact]
    public void BlocksOfAllKinds()
    {
        List<Block> blocks = Markup.Parse("# Title\n\nOne line\nand another.\n\n- item\n  goes on\n- next\n\n    code\n\n| a | b |\n| 1 | 2 |\n## Sub");
        Assert.Equal(new[] { "Heading", "Paragraph", "ListItem", "ListItem", "CodeLine", "Table", "Heading" },
                     blocks.Select(block => block.GetType().Name));
        Assert.Equal("Title", ((Heading)blocks[0]).Text);
        Assert.Equal(2, ((Heading)blocks[6]).Level);
        Assert.Equal("One line and another.", ((Paragraph)blocks[1]).Runs[0].Text);
        Assert.Equal("item goes on", ((ListItem)blocks[2]).Runs[0].Text);
        Assert.Equal("code", ((CodeLine)blocks[4]).Text);
        Assert.Equal(new[] { "1", "2" }, ((Table)blocks[5]).Rows[1]);
    }

    [Theory]
    [InlineData("plain", "Plain:plain")]
    [InlineData("a *b* c", "Plain:a |Bold:b|Plain: c")]
    [InlineData("_i_`c`", "Italic:i|Code:c")]
    [InlineData("open * end", "Plain:open * end")]
    [InlineData("**", "Plain:**")]
    public void Runs(string text, string expected)
    {
        Assert.Equal(expected, string.Join('|', Markup.ParseRuns(text).Select(run => $"{run.Style}:{run.Text}")));
    }

    [Fact]
    public void WordsMayChangeTheirStyle()
    {
        List<Word> words = Word.Of(new List<Run> { new("one t", Style.Plain), new("wo", Style.Bold), new(" three", Style.Plain) }, 10);
        Assert.Equal(new[] { "one", "t+wo", "three" }, words.Select(word => string.Join('+', word.Fragments.Select(f => f.Codes))));
        Assert.Equal(2.5, words[0].Space, 6);
    }

    [Theory]
    [InlineData("A", 7.22)]
    [InlineData("AV", 13.09)]
    [InlineData("", 0)]
    public void Widths(string text, double expected)
    {
        Assert.Equal(expected, Font.Of(Style.Plain).Measure(text, 10), 6);
    }

    [Fact]
    public void CodeIsEvenlyWide()
    {
        Assert.Equal(18, Font.Of(Style.Code).Measure("iWm", 10), 6);
        Assert.Equal(0, Font.Of(Style.Plain).Width('\n'));
        Assert.Equal(6, Font.All.Count());
    }

    [Theory]
    [InlineData("plain", "plain")]
    [InlineData("Größe", "Größe")]
    [InlineData("\u20ac\u201cx\u201d", "\u0080\u0093x\u0094")]
    [InlineData("\u6f22", "?")]
    public void Encodings(string text, string expected)
    {
        Assert.Equal(expected, Encoding.Encode(text));
    }

    [Fact]
    public void JustifiedLinesFit()
    {
        const double Width = 200;
        List<Word> words = Word.Of(string.Concat(Enumerable.Repeat("some words of different length which are to be set ", 8)), Style.Plain, 10);
        List<Line> lines = LineBreaker.Justify(words, Width);
        Assert.Equal(0, lines[0].First);
        Assert.Equal(words.Count, lines[^1].End);
        for (int i = 0; i < lines.Count; i++)
        {
            double text = 0;
            double spaces = 0;
            for (int w = lines[i].First; w < lines[i].End; w++)
            {
                text += words[w].Width;
                spaces += w + 1 < lines[i].End ? words[w].Space : 0;
            }
            double set = text + spaces * lines[i].Stretch;
            Assert.InRange(set, i + 1 < lines.Count ? Width - 0.001 : 0, Width + 0.001);
            Assert.Equal(i == 0 ? 0 : lines[i - 1].End, lines[i].First);
        }
    }

    [Fact]
    public void FilledLinesTakeWhatFits()
    {
        List<Word> words = Word.Of("mm mm mm", Style.Code, 10);
        Assert.Equal(new[] { 2, 3 }, LineBreaker.Fill(words, 32).Select(line => line.End));
        Assert.Empty(LineBreaker.Fill(new List<Word>(), 32));
        Assert.Single(LineBreaker.Justify(Word.Of("word", Style.Plain, 10), 5));
    }
}
