// The file: objects as text, numbers, cross-references.
using DocumentSample;

public class FileTests
{
    [Theory]
    [InlineData(0, "0")]
    [InlineData(1.5, "1.5")]
    [InlineData(-0.25, "-0.25")]
    [InlineData(100, "100")]
    [InlineData(0.0004, "0")]
    [InlineData(12.3456, "12.346")]
    public void Reals(double value, string expected)
    {
        Assert.Equal(expected, Text(new PdfReal(value)));
    }

    [Theory]
    [InlineData(int.MinValue, "-2147483648")]
    [InlineData(7, "7")]
    public void Integers(int value, string expected)
    {
        Assert.Equal(expected, Text(new PdfInteger(value)));
    }

    [Theory]
    [InlineData("Type", "/Type")]
    [InlineData("A B#", "/A#20B#23")]
    public void Names(string name, string expected)
    {
        Assert.Equal(expected, Text(new PdfName(name)));
    }

    [Theory]
    [InlineData("plain", "(plain)")]
    [InlineData("(a)\\", @"(\(a\)\\)")]
    [InlineData("a\u20acb", "(\u00fe\u00ff\0a\u0020\u00ac\0b)")]
    public void Texts(string text, string expected)
    {
        Assert.Equal(expected, Text(new PdfText(text)));
    }

    [Fact]
    public void LineBreaksAreEscaped()
    {
        var bytes = new ByteBuffer();
        PdfText.WriteEscaped(bytes, "a\nb\rc");
        Assert.Equal(@"a\nb\rc", Text(bytes));
    }

    [Fact]
    public void DictionariesKeepTheirOrder()
    {
        var dictionary = new PdfDictionary("Page");
        dictionary["Count"] = 3;
        dictionary["Box"] = new PdfArray(0, 1.5, new PdfReference(4));
        dictionary["Count"] = 5;
        Assert.Equal("<</Type /Page\n/Count 5\n/Box [0 1.5 4 0 R] >>", Text(dictionary));
        Assert.Null(dictionary["Missing"]);
        Assert.NotNull(dictionary["Box"]);
    }

    [Fact]
    public void CrossReferencesLeadToObjects()
    {
        var file = new PdfFile();
        PdfReference reserved = file.Reserve();
        PdfReference stream = file.AddCompressed(new byte[100]);
        file.Set(reserved, new PdfDictionary("Catalog"));
        string text = System.Text.Encoding.Latin1.GetString(file.Write(reserved, stream));
        int table = int.Parse(text.Split("startxref\n")[1].Split('\n')[0]);
        string[] lines = text.Substring(table).Split('\n');
        Assert.Equal("xref", lines[0]);
        Assert.Equal("0 3", lines[1]);
        for (int number = 1; number <= 2; number++)
        {
            int offset = int.Parse(lines[2 + number].Substring(0, 10));
            Assert.StartsWith($"{number} 0 obj\n", text.Substring(offset));
        }
        Assert.Equal(100, file.StreamBytes);
        Assert.Equal(2, file.Count);
    }

    [Fact]
    public void ObjectsAreSetOnce()
    {
        var file = new PdfFile();
        PdfReference reserved = file.Reserve();
        Assert.Throws<InvalidOperationException>(() => file.Write(reserved, reserved));
        file.Set(reserved, new PdfInteger(1));
        Assert.Throws<InvalidOperationException>(() => file.Set(reserved, new PdfInteger(2)));
    }

    [Fact]
    public void BuffersGrow()
    {
        var bytes = new ByteBuffer();
        for (int i = 0; i < 1000; i++)
        {
            bytes.Append((byte)i);
        }
        Assert.Equal(1000, bytes.Length);
        Assert.Equal((byte)231, bytes.ToArray()[999]);
        Assert.Throws<ArgumentException>(() => bytes.Append("\u20ac"));
    }

    private static string Text(PdfObject item)
    {
        var bytes = new ByteBuffer();
        item.Write(bytes);
        return Text(bytes);
    }

    private static string Text(ByteBuffer bytes)
    {
        return System.Text.Encoding.Latin1.GetString(bytes.ToArray());
    }
}
