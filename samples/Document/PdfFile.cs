// The file around the objects: header, bodies, cross-reference table, trailer.
using System.IO.Compression;

namespace DocumentSample;

internal sealed class PdfFile
{
    private readonly List<PdfObject> objects = new();

    public int Count => objects.Count;

    // Bytes of streams before they were compressed.
    public int StreamBytes { get; private set; }

    public PdfReference Add(PdfObject item)
    {
        objects.Add(item);
        return new PdfReference(objects.Count);
    }

    // A number for an object that is known later: Set() it.
    public PdfReference Reserve()
    {
        return Add(null);
    }

    public void Set(PdfReference reference, PdfObject item)
    {
        if (objects[reference.Number - 1] != null)
        {
            throw new InvalidOperationException($"object {reference.Number} is there already");
        }
        objects[reference.Number - 1] = item;
    }

    public PdfReference AddCompressed(byte[] data)
    {
        StreamBytes += data.Length;
        using var packed = new MemoryStream();
        using (var stream = new ZLibStream(packed, CompressionLevel.Optimal, true))
        {
            stream.Write(data, 0, data.Length);
        }
        var made = new PdfStream(packed.ToArray());
        made["Filter"] = new PdfName("FlateDecode");
        return Add(made);
    }

    public byte[] Write(PdfReference root, PdfReference info)
    {
        var file = new ByteBuffer();
        file.Append("%PDF-1.4\n%\u00e2\u00e3\u00cf\u00d3\n");
        int[] offsets = WriteObjects(file);
        int table = file.Length;
        WriteTable(file, offsets);
        var trailer = new PdfDictionary();
        trailer["Size"] = objects.Count + 1;
        trailer["Root"] = root;
        trailer["Info"] = info;
        file.Append("trailer\n");
        trailer.Write(file);
        file.Append("\nstartxref\n").Append(table).Append("\n%%EOF\n");
        return file.ToArray();
    }

    private int[] WriteObjects(ByteBuffer file)
    {
        var offsets = new int[objects.Count];
        for (int i = 0; i < objects.Count; i++)
        {
            if (objects[i] == null)
            {
                throw new InvalidOperationException($"object {i + 1} was never set");
            }
            offsets[i] = file.Length;
            file.Append(i + 1).Append(" 0 obj\n");
            objects[i].Write(file);
            file.Append("\nendobj\n");
        }
        return offsets;
    }

    // Twenty bytes an entry; object 0 heads the list of free ones.
    private static void WriteTable(ByteBuffer file, int[] offsets)
    {
        file.Append("xref\n0 ").Append(offsets.Length + 1).Append("\n0000000000 65535 f \n");
        foreach (int offset in offsets)
        {
            string digits = offset.ToString();
            file.Append(new string('0', 10 - digits.Length)).Append(digits).Append(" 00000 n \n");
        }
    }
}
