// One answer: chooses it for a request, and sends it.
using System.Text;

namespace HttpServer;

internal sealed class Response
{
    private static readonly byte[] nothing = Array.Empty<byte>();
    private readonly List<(string Name, string Value)> headers = new();
    private byte[] body = nothing;
    private bool bodyStays;

    public Response(int status)
    {
        Status = status;
    }

    public int Status { get; }

    // Of the body that goes out.
    public int Length => bodyStays ? 0 : body.Length;

    public static Response To(Request request, Site site)
    {
        switch (request.Method)
        {
            case "GET":
            case "HEAD":
                return Get(request, site.Find(request.Path));
            case "POST" when request.Path == "/upper":
                return Upper(request.Body);
            default:
                return Problem(405).With("Allow", "GET, HEAD");
        }
    }

    public static Response Problem(int status)
    {
        return new Response(status).With("text/plain; charset=utf-8", Encoding.UTF8.GetBytes($"{status} {Reason(status)}\n"));
    }

    public static string Reason(int status)
    {
        return status switch
        {
            200 => "OK",
            304 => "Not Modified",
            400 => "Bad Request",
            404 => "Not Found",
            405 => "Method Not Allowed",
            _ => "Unknown",
        };
    }

    public void Write(Stream stream, bool keepAlive)
    {
        var head = new StringBuilder();
        head.Append("HTTP/1.1 ").Append(Status).Append(' ').Append(Reason(Status)).Append("\r\n");
        foreach ((string name, string value) in headers)
        {
            head.Append(name).Append(": ").Append(value).Append("\r\n");
        }
        if (Status != 304)
        {
            head.Append("Content-Length: ").Append(body.Length).Append("\r\n");
        }
        head.Append(keepAlive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n");
        stream.Write(Encoding.ASCII.GetBytes(head.ToString()));
        if (Length > 0)
        {
            stream.Write(body);
        }
    }

    private static Response Get(Request request, Resource resource)
    {
        if (resource == null)
        {
            return Problem(404);
        }
        if (request.Header("If-None-Match") == resource.Tag)
        {
            return new Response(304).With("ETag", resource.Tag);
        }
        Response response = new Response(200).With("ETag", resource.Tag).With(resource.ContentType, resource.Body);
        response.bodyStays = request.Method == "HEAD";
        return response;
    }

    private static Response Upper(byte[] text)
    {
        for (int i = 0; i < text.Length; i++)
        {
            if (text[i] is >= (byte)'a' and <= (byte)'z')
            {
                text[i] -= 32;
            }
        }
        return new Response(200).With("text/plain; charset=utf-8", text);
    }

    private Response With(string name, string value)
    {
        headers.Add((name, value));
        return this;
    }

    private Response With(string contentType, byte[] content)
    {
        body = content;
        return With("Content-Type", contentType);
    }
}
