// Makes a PDF of a text without libraries: `Document FILE [COPIES]` sets COPIES copies of Input.txt, and writes FILE.
namespace DocumentSample;

internal static class Program
{
    private static int Main(string[] args)
    {
        if (args.Length is not (1 or 2))
        {
            Console.Error.WriteLine("usage: Document FILE [COPIES]");
            return 2;
        }
        int copies = args.Length > 1 ? int.Parse(args[1]) : 1;
        string text = Input();
        var book = new Book("How a page is made", "The clew samples");
        for (int copy = 0; copy < copies; copy++)
        {
            book.Add(Markup.Parse(text));
        }
        book.AddContents();
        byte[] file = book.Write();
        File.WriteAllBytes(args[0], file);
        Console.WriteLine($"{book.TextPages} pages of text, {book.Pages - book.TextPages} of contents");
        Console.WriteLine($"{book.Words} words, {book.Lines} lines, {book.Objects} objects, {book.ContentBytes} bytes to draw");
        Console.WriteLine("document: success");
        return 0;
    }

    private static string Input()
    {
        using Stream stream = typeof(Program).Assembly.GetManifestResourceStream("Input.txt");
        using var reader = new StreamReader(stream);
        return reader.ReadToEnd();
    }
}
