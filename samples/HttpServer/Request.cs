// One request, read byte by byte from a connection and taken apart.
using System.Text;

namespace HttpServer;

// The bytes are not a request; the connection cannot continue.
internal sealed class BadRequestException : Exception
{
    public BadRequestException(string message) : base(message)
    {
    }
}

internal sealed class Request
{
    private const int HeadersMax = 64;
    private readonly Dictionary<string, string> headers = new(StringComparer.OrdinalIgnoreCase);

    public string Method { get; private set; }

    public string Path { get; private set; }

    public string Version { get; private set; }

    public byte[] Body { get; private set; } = Array.Empty<byte>();

    public bool KeepAlive
    {
        get
        {
            string connection = Header("Connection");
            return Version == "HTTP/1.1" ? !Is(connection, "close") : Is(connection, "keep-alive");
        }
    }

    public string Header(string name)
    {
        return headers.TryGetValue(name, out string value) ? value : null;
    }

    // The next request of the connection; null at its end.
    public static Request Read(LineReader reader)
    {
        string line = reader.ReadLine();
        if (line == null)
        {
            return null;
        }
        var request = new Request();
        request.ReadStart(line);
        request.ReadHeaders(reader);
        request.ReadBody(reader);
        return request;
    }

    private void ReadStart(string line)
    {
        string[] words = line.Split(' ');
        if (words.Length != 3 || !words[2].StartsWith("HTTP/1.", StringComparison.Ordinal))
        {
            throw new BadRequestException("no request line");
        }
        Method = words[0];
        Version = words[2];
        int query = words[1].IndexOf('?');
        Path = Decode(query < 0 ? words[1] : words[1].Substring(0, query));
    }

    private void ReadHeaders(LineReader reader)
    {
        for (string line = reader.ReadLine(); line != ""; line = reader.ReadLine())
        {
            int colon = line == null ? -1 : line.IndexOf(':');
            if (colon <= 0 || headers.Count == HeadersMax)
            {
                throw new BadRequestException("no header");
            }
            headers[line.Substring(0, colon)] = line.Substring(colon + 1).Trim();
        }
        if (Version == "HTTP/1.1" && !headers.ContainsKey("Host"))
        {
            throw new BadRequestException("no host");
        }
    }

    private void ReadBody(LineReader reader)
    {
        string length = Header("Content-Length");
        if (length != null)
        {
            if (!int.TryParse(length, out int count) || count < 0 || count > 1 << 20)
            {
                throw new BadRequestException("no length");
            }
            Body = reader.ReadBytes(count);
        }
    }

    // Decodes %20 and the like; paths are UTF-8.
    private static string Decode(string path)
    {
        var bytes = new byte[path.Length];
        int count = 0;
        for (int i = 0; i < path.Length; i++)
        {
            char c = path[i];
            if (c == '%')
            {
                if (i + 2 >= path.Length)
                {
                    throw new BadRequestException("no path");
                }
                bytes[count++] = (byte)(Digit(path[i + 1]) * 16 + Digit(path[i + 2]));
                i += 2;
            }
            else
            {
                bytes[count++] = (byte)c;
            }
        }
        return Encoding.UTF8.GetString(bytes, 0, count);
    }

    private static int Digit(char c)
    {
        return c switch
        {
            >= '0' and <= '9' => c - '0',
            >= 'a' and <= 'f' => c - 'a' + 10,
            >= 'A' and <= 'F' => c - 'A' + 10,
            _ => throw new BadRequestException("no path"),
        };
    }

    private static bool Is(string value, string word)
    {
        return string.Equals(value, word, StringComparison.OrdinalIgnoreCase);
    }
}
