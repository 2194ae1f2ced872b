// Sums over a walked tree: files of each kind, and the largest files.
namespace DiskReporter;

internal struct KindSum
{
    public int Files;
    public long Bytes;
}

internal sealed class Statistics
{
    private const int LargestCount = 10;

    public int Folders { get; private set; }

    public int Files { get; private set; }

    public long Bytes { get; private set; }

    public int Depth { get; private set; }

    public SortedDictionary<string, KindSum> Kinds { get; } = new(StringComparer.Ordinal);

    public List<PlainFile> Largest { get; } = new();

    public void Add(Folder folder)
    {
        Folders++;
        Depth = Math.Max(Depth, folder.Depth);
        foreach (PlainFile file in folder.Files)
        {
            Add(file);
        }
        foreach (Folder inner in folder.Folders)
        {
            Add(inner);
        }
    }

    private void Add(PlainFile file)
    {
        Files++;
        Bytes += file.Bytes;
        Kinds.TryGetValue(file.Kind, out KindSum sum);
        sum.Files++;
        sum.Bytes += file.Bytes;
        Kinds[file.Kind] = sum;
        Keep(file);
    }

    // Inserts the file where it belongs among the largest ones; the first of equals stays first.
    private void Keep(PlainFile file)
    {
        int place = Largest.Count;
        while (place > 0 && Largest[place - 1].Bytes < file.Bytes)
        {
            place--;
        }
        if (place < LargestCount)
        {
            Largest.Insert(place, file);
        }
        if (Largest.Count > LargestCount)
        {
            Largest.RemoveAt(LargestCount);
        }
    }
}
