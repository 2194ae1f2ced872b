// Lines and blocks out of a stream of bytes, through a buffer.
using System.Text;

namespace HttpServer;

internal sealed class LineReader
{
    private const int LineMax = 8192;
    private readonly Stream stream;
    private readonly byte[] buffer = new byte[4096];
    private int next;
    private int end;

    public LineReader(Stream stream)
    {
        this.stream = stream;
    }

    // Without its line break; null at the end.
    public string ReadLine()
    {
        var line = new StringBuilder();
        for (int value = ReadByte(); value != '\n'; value = ReadByte())
        {
            if (value < 0)
            {
                return line.Length == 0 ? null : throw new BadRequestException("no end");
            }
            if (line.Length == LineMax)
            {
                throw new BadRequestException("too long");
            }
            line.Append((char)value);
        }
        if (line.Length > 0 && line[line.Length - 1] == '\r')
        {
            line.Length--;
        }
        return line.ToString();
    }

    public byte[] ReadBytes(int count)
    {
        var bytes = new byte[count];
        for (int i = 0; i < count; i++)
        {
            int value = ReadByte();
            bytes[i] = value < 0 ? throw new BadRequestException("no body") : (byte)value;
        }
        return bytes;
    }

    private int ReadByte()
    {
        if (next == end)
        {
            end = stream.Read(buffer, 0, buffer.Length);
            next = 0;
            if (end == 0)
            {
                return -1;
            }
        }
        return buffer[next++];
    }
}
