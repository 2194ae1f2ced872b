using System.Text;
using AngleSharp;
using AngleSharp.Dom;
using AngleSharp.Html;
using AngleSharp.Html.Parser;

// A page with all sorts of mistakes, parsed as browsers do, asked for things by selectors, changed, and written again.
static class Html
{
    public static string Run()
    {
        var page = new StringBuilder("<!doctype html><title>Parts & more</title><style>td > a { color: red }</style><table>");
        for (int i = 0; i < 400; i++)
        {
            page.Append($"<tr class='row{i % 7}' data-n={i}><td>{i}<td><a href='?p={i}&amp;q=a b'>Part &#{65 + i % 26};</a>");
            page.Append(i % 5 == 0 ? "<p>open<b>bold<i>both</b>italic</i>" : "<br/><img src=x.png alt='&eacute;'>");
        }
        using IDocument document = new HtmlParser().ParseDocument(page.ToString());
        int links = document.QuerySelectorAll("tr.row3 > td:nth-child(2) a[href*='q=a']").Length;
        foreach (IElement bold in document.QuerySelectorAll("b").ToArray())
        {
            bold.ReplaceWith(document.CreateTextNode($"[{bold.TextContent}]"));
        }
        foreach (IElement row in document.QuerySelectorAll("tr[data-n$='9']"))
        {
            row.ClassList.Add("ninth");
            row.SetAttribute("title", row.TextContent.Trim());
        }
        var written = new StringWriter();
        document.ToHtml(written, new PrettyMarkupFormatter());
        return $"{links} links, {Digest.Of(written.ToString())}";
    }
}
