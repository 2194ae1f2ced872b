// The kinds of objects in a PDF file. Each writes itself.
namespace DocumentSample;

internal abstract class PdfObject
{
    public abstract void Write(ByteBuffer into);

    public static implicit operator PdfObject(int value) => new PdfInteger(value);

    public static implicit operator PdfObject(double value) => new PdfReal(value);
}

internal sealed class PdfInteger : PdfObject
{
    private readonly int value;

    public PdfInteger(int value)
    {
        this.value = value;
    }

    public override void Write(ByteBuffer into)
    {
        into.Append(value);
    }
}

internal sealed class PdfReal : PdfObject
{
    private readonly double value;

    public PdfReal(double value)
    {
        this.value = value;
    }

    public override void Write(ByteBuffer into)
    {
        into.Append(value);
    }
}

internal sealed class PdfName : PdfObject
{
    private const string Plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+";
    private readonly string name;

    public PdfName(string name)
    {
        this.name = name;
    }

    public override void Write(ByteBuffer into)
    {
        into.Append((byte)'/');
        foreach (char c in name)
        {
            if (Plain.IndexOf(c) >= 0)
            {
                into.Append((byte)c);
            }
            else
            {
                into.Append((byte)'#').Append(Hex(c >> 4)).Append(Hex(c));
            }
        }
    }

    private static byte Hex(int value)
    {
        return (byte)"0123456789ABCDEF"[value & 15];
    }
}

// Text for readers: as it is where it is ASCII, else as UTF-16 with a mark before it.
internal sealed class PdfText : PdfObject
{
    private readonly string text;

    public PdfText(string text)
    {
        this.text = text;
    }

    public override void Write(ByteBuffer into)
    {
        into.Append((byte)'(');
        if (IsAscii(text))
        {
            WriteEscaped(into, text);
        }
        else
        {
            var wide = new char[2 * text.Length + 2];
            (wide[0], wide[1]) = ((char)0xFE, (char)0xFF);
            for (int i = 0; i < text.Length; i++)
            {
                wide[2 * i + 2] = (char)(text[i] >> 8);
                wide[2 * i + 3] = (char)(text[i] & 255);
            }
            WriteEscaped(into, new string(wide));
        }
        into.Append((byte)')');
    }

    // A string in parentheses: characters below 256.
    public static void WriteEscaped(ByteBuffer into, string bytes)
    {
        foreach (char c in bytes)
        {
            switch (c)
            {
                case '(':
                case ')':
                case '\\':
                    into.Append((byte)'\\').Append((byte)c);
                    break;
                case '\n':
                    into.Append("\\n");
                    break;
                case '\r':
                    into.Append("\\r");
                    break;
                default:
                    into.Append((byte)c);
                    break;
            }
        }
    }

    private static bool IsAscii(string text)
    {
        foreach (char c in text)
        {
            if (c is < ' ' or > '~')
            {
                return false;
            }
        }
        return true;
    }
}

internal sealed class PdfArray : PdfObject
{
    private readonly List<PdfObject> items = new();

    public PdfArray(params PdfObject[] first)
    {
        items.AddRange(first);
    }

    public int Count => items.Count;

    public void Add(PdfObject item)
    {
        items.Add(item);
    }

    public override void Write(ByteBuffer into)
    {
        into.Append((byte)'[');
        for (int i = 0; i < items.Count; i++)
        {
            if (i > 0)
            {
                into.Append((byte)' ');
            }
            items[i].Write(into);
        }
        into.Append((byte)']');
    }
}

// Entries are in the order in which they were first set.
internal class PdfDictionary : PdfObject
{
    private readonly List<string> keys = new();
    private readonly List<PdfObject> values = new();

    public PdfDictionary()
    {
    }

    public PdfDictionary(string type)
    {
        this["Type"] = new PdfName(type);
    }

    public PdfObject this[string key]
    {
        get
        {
            int index = keys.IndexOf(key);
            return index < 0 ? null : values[index];
        }
        set
        {
            int index = keys.IndexOf(key);
            if (index < 0)
            {
                keys.Add(key);
                values.Add(value);
            }
            else
            {
                values[index] = value;
            }
        }
    }

    public override void Write(ByteBuffer into)
    {
        into.Append("<<");
        for (int i = 0; i < keys.Count; i++)
        {
            new PdfName(keys[i]).Write(into);
            into.Append((byte)' ');
            values[i].Write(into);
            into.Append((byte)(i + 1 < keys.Count ? '\n' : ' '));
        }
        into.Append(">>");
    }
}

internal sealed class PdfStream : PdfDictionary
{
    private readonly byte[] data;

    public PdfStream(byte[] data)
    {
        this.data = data;
        this["Length"] = data.Length;
    }

    public override void Write(ByteBuffer into)
    {
        base.Write(into);
        into.Append("\nstream\n").Append(data).Append("\nendstream");
    }
}

// A reference to an object elsewhere in the file, by its number.
internal sealed class PdfReference : PdfObject
{
    public PdfReference(int number)
    {
        Number = number;
    }

    public int Number { get; }

    public override void Write(ByteBuffer into)
    {
        into.Append(Number).Append(" 0 R");
    }
}
