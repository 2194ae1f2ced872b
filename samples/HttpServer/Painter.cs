// Draws the site: pictures as PNG files of noise from one seed, stored as they are so that every runtime writes the same
// bytes, and the page about them.
using System.Buffers.Binary;
using System.IO.Compression;
using System.Text;

namespace HttpServer;

internal sealed class Painter
{
    private const int Pictures = 20;
    private const int Side = 147;
    private readonly string folder;
    private uint state = 2463534242;

    public Painter(string folder)
    {
        this.folder = folder;
    }

    public void Make()
    {
        Directory.CreateDirectory(Path.Combine(folder, "pictures"));
        var page = new StringBuilder("<!DOCTYPE html>\n<html><head><title>Twenty pictures</title></head><body>\n");
        for (int number = 1; number <= Pictures; number++)
        {
            string name = $"pictures/noise {number:00}.png";
            File.WriteAllBytes(Path.Combine(folder, name), Draw());
            page.Append($"<p>Picture {number}: <img src=\"{name.Replace(" ", "%20")}\" alt=\"noise\"></p>\n");
        }
        File.WriteAllText(Path.Combine(folder, "index.html"), page.Append("</body></html>\n").ToString());
        File.WriteAllText(Path.Combine(folder, "about.txt"), "Nothing but noise.\n");
    }

    private byte[] Draw()
    {
        using var file = new MemoryStream();
        file.Write(new byte[] { 0x89, (byte)'P', (byte)'N', (byte)'G', 13, 10, 26, 10 });
        var header = new byte[13];
        BinaryPrimitives.WriteInt32BigEndian(header, Side);
        BinaryPrimitives.WriteInt32BigEndian(header.AsSpan(4), Side);
        header[8] = 8; // bits a sample
        header[9] = 2; // red, green, blue
        WriteChunk(file, "IHDR", header);
        WriteChunk(file, "IDAT", Store(Rows()));
        WriteChunk(file, "IEND", Array.Empty<byte>());
        return file.ToArray();
    }

    // Each row begins with its filter: none.
    private byte[] Rows()
    {
        var rows = new byte[Side * (1 + 3 * Side)];
        for (int i = 0; i < rows.Length; i++)
        {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            rows[i] = i % (1 + 3 * Side) == 0 ? (byte)0 : (byte)(state >> 24);
        }
        return rows;
    }

    private static byte[] Store(byte[] data)
    {
        using var packed = new MemoryStream();
        using (var stream = new ZLibStream(packed, CompressionLevel.NoCompression, true))
        {
            stream.Write(data);
        }
        return packed.ToArray();
    }

    private static void WriteChunk(Stream file, string kind, byte[] data)
    {
        var chunk = new byte[data.Length + 12];
        BinaryPrimitives.WriteInt32BigEndian(chunk, data.Length);
        Encoding.ASCII.GetBytes(kind, chunk.AsSpan(4));
        data.CopyTo(chunk, 8);
        BinaryPrimitives.WriteUInt32BigEndian(chunk.AsSpan(data.Length + 8), Checksum(chunk.AsSpan(4, data.Length + 4)));
        file.Write(chunk);
    }

    // CRC-32 as PNG wants it, bit by bit.
    private static uint Checksum(ReadOnlySpan<byte> data)
    {
        uint sum = uint.MaxValue;
        foreach (byte value in data)
        {
            sum ^= value;
            for (int bit = 0; bit < 8; bit++)
            {
                sum = (sum & 1) != 0 ? sum >> 1 ^ 0xEDB88320 : sum >> 1;
            }
        }
        return ~sum;
    }
}
