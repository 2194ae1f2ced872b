// The whole: text set on pages, contents, running titles, bookmarks, and the file that holds them.
namespace DocumentSample;

internal sealed class Book
{
    private const int PagesANode = 8;
    private readonly string title;
    private readonly string author;
    private readonly Layout layout = new();
    private readonly PdfFile file = new();

    public Book(string title, string author)
    {
        this.title = title;
        this.author = author;
    }

    public int TextPages { get; private set; }

    public int Pages => layout.Pages.Count;

    public int Words => layout.Words;

    public int Lines => layout.Lines;

    public int Objects => file.Count;

    public int ContentBytes => file.StreamBytes;

    public void Add(List<Block> blocks)
    {
        layout.Add(blocks);
        TextPages = Pages;
    }

    // After the text, since only then the pages are known.
    public void AddContents()
    {
        layout.StartPage();
        layout.Pages[Pages - 1].Title = "Contents";
        foreach (Entry entry in layout.Entries)
        {
            layout.AddEntry(entry);
        }
    }

    public byte[] Write()
    {
        var references = new List<PdfReference>();
        foreach (Page page in layout.Pages)
        {
            DrawTitle(page);
            references.Add(file.Reserve());
        }
        PdfReference resources = file.Add(Resources());
        var pages = new List<PdfDictionary>();
        foreach (Page page in layout.Pages)
        {
            pages.Add(Describe(page, resources, references));
        }
        var catalog = new PdfDictionary("Catalog");
        catalog["Pages"] = WriteTree(pages, references);
        PdfReference outline = WriteOutline(references);
        if (outline != null)
        {
            catalog["Outlines"] = outline;
            catalog["PageMode"] = new PdfName("UseOutlines");
        }
        return file.Write(file.Add(catalog), file.Add(Information()));
    }

    // Title above, number below.
    private static void DrawTitle(Page page)
    {
        const double Size = 8;
        string number = page.Number.ToString();
        double middle = (Paper.Left + Paper.Right - Font.Of(Style.Small).Measure(number, Size)) / 2;
        page.Content.Draw(page.Title, Style.Small, Size, Paper.Left, Paper.Top + 30);
        page.Content.Rule(Paper.Left, Paper.Top + 24, Paper.TextWidth, 0.4);
        page.Content.Draw(number, Style.Small, Size, middle, Paper.Bottom - 36);
    }

    private PdfDictionary Resources()
    {
        var fonts = new PdfDictionary();
        foreach (Font font in Font.All)
        {
            var described = new PdfDictionary("Font");
            described["Subtype"] = new PdfName("Type1");
            described["BaseFont"] = new PdfName(font.Name);
            described["Encoding"] = new PdfName("WinAnsiEncoding");
            fonts[font.Key] = file.Add(described);
        }
        var resources = new PdfDictionary();
        resources["Font"] = fonts;
        return resources;
    }

    private PdfDictionary Describe(Page page, PdfReference resources, List<PdfReference> references)
    {
        var described = new PdfDictionary("Page");
        described["Resources"] = resources;
        described["Contents"] = file.AddCompressed(page.Content.ToArray());
        if (page.Links.Count > 0)
        {
            var links = new PdfArray();
            foreach (Link link in page.Links)
            {
                links.Add(file.Add(Describe(link, references)));
            }
            described["Annots"] = links;
        }
        return described;
    }

    private static PdfDictionary Describe(Link link, List<PdfReference> references)
    {
        var described = new PdfDictionary("Annot");
        described["Subtype"] = new PdfName("Link");
        described["Rect"] = new PdfArray(link.X, link.Y, link.X + link.Width, link.Y + link.Height);
        described["Border"] = new PdfArray(0, 0, 0);
        described["Dest"] = Destination(link.Target, references);
        return described;
    }

    private static PdfArray Destination(Entry entry, List<PdfReference> references)
    {
        return new PdfArray(references[entry.Page.Number - 1], new PdfName("XYZ"), Paper.Left, entry.Y, 0);
    }

    // The tree of pages: nodes of at most PagesANode, over them nodes of nodes, up to one.
    private PdfReference WriteTree(List<PdfDictionary> pages, List<PdfReference> references)
    {
        List<PdfDictionary> nodes = pages;
        List<PdfReference> names = references;
        List<int> counts = pages.ConvertAll(_ => 1);
        do
        {
            var upper = new List<PdfDictionary>();
            var upperNames = new List<PdfReference>();
            var upperCounts = new List<int>();
            for (int first = 0; first < nodes.Count; first += PagesANode)
            {
                int end = Math.Min(first + PagesANode, nodes.Count);
                upperNames.Add(file.Reserve());
                upper.Add(Gather(nodes, names, counts, first, end, upperNames[upperNames.Count - 1]));
                upperCounts.Add(Sum(counts, first, end));
            }
            (nodes, names, counts) = (upper, upperNames, upperCounts);
        }
        while (nodes.Count > 1);
        nodes[0]["MediaBox"] = new PdfArray(0, 0, Paper.Width, Paper.Height);
        file.Set(names[0], nodes[0]);
        return names[0];
    }

    private PdfDictionary Gather(List<PdfDictionary> nodes, List<PdfReference> names, List<int> counts, int first, int end,
                                 PdfReference parent)
    {
        var kids = new PdfArray();
        for (int i = first; i < end; i++)
        {
            nodes[i]["Parent"] = parent;
            file.Set(names[i], nodes[i]);
            kids.Add(names[i]);
        }
        var node = new PdfDictionary("Pages");
        node["Kids"] = kids;
        node["Count"] = Sum(counts, first, end);
        return node;
    }

    private static int Sum(List<int> counts, int first, int end)
    {
        int sum = 0;
        for (int i = first; i < end; i++)
        {
            sum += counts[i];
        }
        return sum;
    }

    // Bookmarks, as deep as the headings; null where there are none.
    private PdfReference WriteOutline(List<PdfReference> references)
    {
        if (layout.Entries.Count == 0)
        {
            return null;
        }
        var root = new PdfDictionary("Outlines");
        PdfReference reference = file.Reserve();
        int next = 0;
        WriteSiblings(root, reference, references, ref next, 1);
        file.Set(reference, root);
        return reference;
    }

    // Entries from `next` on that are at least this deep; returns how many.
    private int WriteSiblings(PdfDictionary parent, PdfReference parentName, List<PdfReference> references, ref int next,
                              int level)
    {
        int count = 0;
        PdfDictionary before = null;
        PdfReference beforeName = null;
        while (next < layout.Entries.Count && layout.Entries[next].Level >= level)
        {
            Entry entry = layout.Entries[next++];
            var item = new PdfDictionary();
            PdfReference name = file.Reserve();
            item["Title"] = new PdfText(entry.Number + " " + entry.Text);
            item["Parent"] = parentName;
            item["Dest"] = Destination(entry, references);
            if (before == null)
            {
                parent["First"] = name;
            }
            else
            {
                before["Next"] = name;
                item["Prev"] = beforeName;
            }
            parent["Last"] = name;
            count += 1 + WriteSiblings(item, name, references, ref next, entry.Level + 1);
            file.Set(name, item);
            (before, beforeName) = (item, name);
        }
        if (count > 0)
        {
            parent["Count"] = level == 1 ? count : -count;
        }
        return count;
    }

    private PdfDictionary Information()
    {
        var information = new PdfDictionary();
        information["Title"] = new PdfText(title);
        information["Author"] = new PdfText(author);
        information["Producer"] = new PdfText("Document");
        return information;
    }
}
