// The report: the tree as nested elements, then its sums.
using System.Globalization;
using System.Text;
using System.Xml;

namespace DiskReporter;

internal sealed class ReportWriter : IDisposable
{
    private readonly XmlWriter xml;

    public ReportWriter(string file)
    {
        var settings = new XmlWriterSettings { Indent = true, Encoding = new UTF8Encoding(false), NewLineChars = "\n" };
        xml = XmlWriter.Create(file, settings);
    }

    public void Write(Folder root, Statistics statistics)
    {
        xml.WriteStartElement("report");
        Write(root);
        Write(statistics);
        xml.WriteEndElement();
    }

    public void Dispose()
    {
        xml.Dispose();
    }

    private void Write(Folder folder)
    {
        xml.WriteStartElement("folder");
        xml.WriteAttributeString("name", folder.Name);
        xml.WriteAttributeString("bytes", Text(folder.Bytes));
        foreach (PlainFile file in folder.Files)
        {
            Write(file);
        }
        foreach (Folder inner in folder.Folders)
        {
            Write(inner);
        }
        xml.WriteEndElement();
    }

    private void Write(PlainFile file)
    {
        xml.WriteStartElement("file");
        xml.WriteAttributeString("name", file.Name);
        xml.WriteAttributeString("bytes", Text(file.Bytes));
        xml.WriteAttributeString("written", file.Written.ToString("yyyy-MM-ddTHH:mm:ssZ", CultureInfo.InvariantCulture));
        xml.WriteEndElement();
    }

    private void Write(Statistics statistics)
    {
        xml.WriteStartElement("statistics");
        xml.WriteAttributeString("folders", Text(statistics.Folders));
        xml.WriteAttributeString("files", Text(statistics.Files));
        foreach ((string kind, KindSum sum) in statistics.Kinds)
        {
            xml.WriteStartElement("kind");
            xml.WriteAttributeString("name", kind);
            xml.WriteAttributeString("files", Text(sum.Files));
            xml.WriteAttributeString("bytes", Text(sum.Bytes));
            xml.WriteEndElement();
        }
        foreach (PlainFile file in statistics.Largest)
        {
            xml.WriteStartElement("large");
            xml.WriteAttributeString("name", file.Name);
            xml.WriteAttributeString("bytes", Text(file.Bytes));
            xml.WriteEndElement();
        }
        xml.WriteEndElement();
    }

    private static string Text(long number)
    {
        return number.ToString(CultureInfo.InvariantCulture);
    }
}
