// Reads a folder from the disk into objects, in an order that does not depend on the file system.
namespace DiskReporter;

internal abstract class Entry
{
    protected Entry(string name)
    {
        Name = name;
    }

    public string Name { get; }

    public abstract long Bytes { get; }
}

internal sealed class PlainFile : Entry
{
    public PlainFile(string name, long bytes, DateTime written) : base(name)
    {
        Bytes = bytes;
        Written = written;
    }

    public override long Bytes { get; }

    public DateTime Written { get; }

    public string Kind
    {
        get
        {
            int dot = Name.LastIndexOf('.');
            return dot < 0 ? "none" : Name.Substring(dot + 1).ToLowerInvariant();
        }
    }
}

internal sealed class Folder : Entry
{
    private long bytes;

    public Folder(string name, int depth) : base(name)
    {
        Depth = depth;
    }

    public int Depth { get; }

    public List<Folder> Folders { get; } = new();

    public List<PlainFile> Files { get; } = new();

    public override long Bytes => bytes;

    public void Add(PlainFile file)
    {
        Files.Add(file);
        bytes += file.Bytes;
    }

    public void Add(Folder folder)
    {
        Folders.Add(folder);
        bytes += folder.Bytes;
    }
}

internal sealed class Walker
{
    public Folder Walk(string root)
    {
        return Walk(new DirectoryInfo(root), "root", 0);
    }

    private Folder Walk(DirectoryInfo directory, string name, int depth)
    {
        var folder = new Folder(name, depth);
        foreach (FileInfo file in Sorted(directory.GetFiles()))
        {
            folder.Add(new PlainFile(file.Name, file.Length, file.LastWriteTimeUtc));
        }
        foreach (DirectoryInfo inner in Sorted(directory.GetDirectories()))
        {
            folder.Add(Walk(inner, inner.Name, depth + 1));
        }
        return folder;
    }

    private static T[] Sorted<T>(T[] entries) where T : FileSystemInfo
    {
        Array.Sort(entries, (left, right) => string.CompareOrdinal(left.Name, right.Name));
        return entries;
    }
}
