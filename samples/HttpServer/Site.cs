// The files that are served, read once.
using System.Security.Cryptography;

namespace HttpServer;

internal sealed record Resource(string ContentType, byte[] Body, string Tag);

internal sealed class Site
{
    private readonly Dictionary<string, Resource> resources = new();

    public Site(string folder)
    {
        foreach (string file in Directory.GetFiles(folder, "*", SearchOption.AllDirectories))
        {
            Add("/" + Path.GetRelativePath(folder, file).Replace('\\', '/'), File.ReadAllBytes(file));
        }
        resources["/"] = resources["/index.html"];
    }

    public int Count => resources.Count - 1;

    public long Bytes { get; private set; }

    public Resource Find(string path)
    {
        return resources.TryGetValue(path, out Resource found) ? found : null;
    }

    private void Add(string path, byte[] body)
    {
        string tag = '"' + Convert.ToHexString(SHA256.HashData(body), 0, 8) + '"';
        resources[path] = new Resource(TypeOf(path), body, tag);
        Bytes += body.Length;
    }

    private static string TypeOf(string path)
    {
        return Path.GetExtension(path) switch
        {
            ".html" => "text/html; charset=utf-8",
            ".txt" => "text/plain; charset=utf-8",
            ".png" => "image/png",
            _ => "application/octet-stream",
        };
    }
}
