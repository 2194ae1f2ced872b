// Whole books.
using DocumentSample;

public class BookTests
{
    [Fact]
    public void ABookHasPagesAndContents()
    {
        Book book = Make(Sample(12));
        Assert.True(book.TextPages >= 12);
        Assert.True(book.Pages > book.TextPages);
        string text = System.Text.Encoding.Latin1.GetString(book.Write());
        Assert.StartsWith("%PDF-1.4\n", text);
        Assert.EndsWith("%%EOF\n", text);
        Assert.Contains($"/Count {book.Pages}", text);
        Assert.Contains("/PageMode /UseOutlines", text);
        Assert.True(book.Lines > 100);
        Assert.True(book.ContentBytes > 10_000);
        Assert.True(book.Objects > book.Pages * 2);
    }

    [Fact]
    public void TheSameTextGivesTheSameFile()
    {
        Assert.Equal(Make(Sample(2)).Write(), Make(Sample(2)).Write());
    }

    [Fact]
    public void ATextWithoutHeadingsHasNoBookmarks()
    {
        var book = new Book("title", "author");
        book.Add(Markup.Parse("just\nwords\n\n    code\n- item"));
        string text = System.Text.Encoding.Latin1.GetString(book.Write());
        Assert.DoesNotContain("Outlines", text);
        Assert.Equal(5, book.Words);
        Assert.Equal(1, book.Pages);
    }

    [Fact]
    public void HeadingsAreNumbered()
    {
        var layout = new Layout();
        layout.Add(Markup.Parse("# A\n## B\n## C\n### D\n# E\n## F\n#### G"));
        Assert.Equal(new[] { "1", "1.1", "1.2", "1.2.1", "2", "2.1", "2.1.1" }, layout.Entries.Select(entry => entry.Number));
        Assert.Equal(2, layout.Pages.Count);
    }

    [Fact]
    public void TablesShareTheWidth()
    {
        var layout = new Layout();
        string cell = string.Join(' ', Enumerable.Repeat("many words", 20));
        layout.Add(Markup.Parse($"| a | b |\n| 1 | {cell} |\n| 2 | short |"));
        Assert.Single(layout.Pages);
        Assert.True(layout.Lines > 6);
        Assert.Equal(2 + 1 + 40 + 1 + 1, layout.Words);
    }

    [Fact]
    public void LongTextsGoOnOnTheNextPage()
    {
        var layout = new Layout();
        layout.Add(Markup.Parse(string.Join("\n\n", Enumerable.Repeat("A paragraph of a few words.", 100))));
        Assert.True(layout.Pages.Count > 2);
        Assert.Equal(600, layout.Words);
    }

    private static Book Make(string text)
    {
        var book = new Book("A title", "An author \u20ac");
        book.Add(Markup.Parse(text));
        book.AddContents();
        return book;
    }

    private static string Sample(int chapters)
    {
        string paragraph = string.Join(' ', Enumerable.Repeat("Words that *make* a _paragraph_ of some `length`, AV To.", 12));
        string chapter = $"# Chapter\n\n{paragraph}\n\n## Part\n\n{paragraph}\n\n- one\n- two\n\n    code (x)\n\n| h | i |\n| 1 | 2 |\n\n### Deep\n\n{paragraph}\n";
        return string.Concat(Enumerable.Repeat(chapter, chapters));
    }
}
