// Files, compression, encryption, pipes, text, XML and JSON, each read and written asynchronously.
using System.IO.Compression;
using System.IO.Pipelines;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Xml;

namespace AsyncFramework;

internal static class Streams
{
    public static async Task<string> Bytes()
    {
        string file = Path.GetTempFileName();
        try
        {
            await File.WriteAllLinesAsync(file, Enumerable.Range(0, 3000).Select(n => $"line {n}"));
            long lines = 0, characters = 0;
            using (var reader = new StreamReader(new FileStream(file, FileMode.Open, FileAccess.Read, FileShare.Read, 512, useAsync: true)))
            {
                while (await reader.ReadLineAsync() is string line)
                {
                    lines++;
                    characters += line.Length;
                }
            }
            byte[] content = await File.ReadAllBytesAsync(file);
            byte[] packed = await Packed(content), opened = await Opened(packed);
            return $"{lines} lines, {characters} characters, {content.Length} bytes, equal {content.SequenceEqual(opened)}, {await Piped(content)} piped";
        }
        finally
        {
            File.Delete(file);
        }
    }

    private static Aes Cipher()
    {
        Aes cipher = Aes.Create();
        cipher.Key = new byte[32];
        cipher.IV = new byte[16];
        return cipher;
    }

    private static async Task<byte[]> Packed(byte[] content)
    {
        using var memory = new MemoryStream();
        using Aes cipher = Cipher();
        await using (var secret = new CryptoStream(memory, cipher.CreateEncryptor(), CryptoStreamMode.Write, leaveOpen: true))
        {
            await using var zip = new GZipStream(secret, CompressionLevel.Fastest);
            await using var buffered = new BufferedStream(zip, 300);
            foreach (byte[] piece in content.Chunk(700))
            {
                await buffered.WriteAsync(piece);
            }
        }
        return memory.ToArray();
    }

    private static async Task<byte[]> Opened(byte[] packed)
    {
        using Aes cipher = Cipher();
        using var memory = new MemoryStream();
        await using var secret = new CryptoStream(new MemoryStream(packed), cipher.CreateDecryptor(), CryptoStreamMode.Read);
        await using var zip = new GZipStream(secret, CompressionMode.Decompress);
        await zip.CopyToAsync(memory, 400);
        return memory.ToArray();
    }

    private static async Task<long> Piped(byte[] content)
    {
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 2000, resumeWriterThreshold: 1000));
        Task writing = Fill(pipe.Writer, content);
        long sum = 0;
        for (; ; )
        {
            ReadResult read = await pipe.Reader.ReadAsync();
            foreach (ReadOnlyMemory<byte> segment in read.Buffer)
            {
                foreach (byte value in segment.Span)
                {
                    sum += value;
                }
            }
            pipe.Reader.AdvanceTo(read.Buffer.End);
            if (read.IsCompleted)
            {
                await writing;
                return sum;
            }
        }
    }

    private static async Task Fill(PipeWriter writer, byte[] content)
    {
        foreach (byte[] piece in content.Chunk(900))
        {
            await writer.WriteAsync(piece);
        }
        await writer.CompleteAsync();
    }

    public static async Task<string> Xml()
    {
        var text = new StringBuilder();
        await using (var writer = XmlWriter.Create(new StringWriter(text), new XmlWriterSettings { Async = true, Indent = true }))
        {
            await writer.WriteStartDocumentAsync();
            await writer.WriteStartElementAsync(null, "all", null);
            for (int i = 0; i < 800; i++)
            {
                await writer.WriteStartElementAsync(null, "one", null);
                await writer.WriteAttributeStringAsync(null, "number", null, i.ToString());
                await writer.WriteStringAsync(new string((char)('a' + i % 26), i % 50) + "<&>");
                await writer.WriteEndElementAsync();
            }
            await writer.WriteEndElementAsync();
        }
        int elements = 0, numbers = 0, characters = 0;
        using var slow = new SlowStream(Encoding.UTF8.GetBytes(text.ToString().Replace("utf-16", "utf-8")));
        using var reader = XmlReader.Create(slow, new XmlReaderSettings { Async = true });
        while (await reader.ReadAsync())
        {
            if (reader.NodeType == XmlNodeType.Element && reader.Name == "one")
            {
                elements++;
                numbers += int.Parse(reader.GetAttribute("number")!);
            }
            else if (reader.NodeType == XmlNodeType.Text)
            {
                characters += (await reader.GetValueAsync()).Length;
            }
        }
        return $"{elements} elements, numbers {numbers}, {characters} characters";
    }

    private sealed record Point(int X, int Y);

    public static async Task<string> Json()
    {
        using var memory = new MemoryStream();
        await JsonSerializer.SerializeAsync(memory, Points());
        long sum = 0, count = 0;
        using var slow = new SlowStream(memory.ToArray());
        await foreach (Point? point in JsonSerializer.DeserializeAsyncEnumerable<Point>(slow))
        {
            sum += point!.X * point.Y;
            count++;
        }
        using JsonDocument document = await JsonDocument.ParseAsync(new SlowStream(memory.ToArray()));
        return $"{count} points, sum {sum}, {document.RootElement.GetArrayLength()} items";
    }

    private static async IAsyncEnumerable<Point> Points()
    {
        for (int i = 0; i < 600; i++)
        {
            if (i % 10 == 0)
            {
                await Task.Yield();
            }
            yield return new Point(i, i + 1);
        }
    }

    // Gives little at a time, and every third time later.
    private sealed class SlowStream(byte[] content) : MemoryStream(content)
    {
        private int reads;

        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken token = default)
        {
            if (++reads % 3 == 0)
            {
                await Task.Yield();
            }
            return await base.ReadAsync(buffer[..Math.Min(buffer.Length, 333)], token);
        }

        public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken token) =>
            ReadAsync(buffer.AsMemory(offset, count), token).AsTask();
    }
}
