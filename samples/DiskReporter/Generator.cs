// Lays out the tree: as many folders and files as the paper's machine had, with names that XML must escape, sizes without
// blocks on the disk behind them, and times of the past. Everything comes from one seed.
namespace DiskReporter;

internal sealed class Generator
{
    private const int FolderCount = 3_245;
    private const int FileCount = 12_849;
    private const int DepthMax = 12;
    private static readonly string[] words =
        { "alpha", "beta", "gamma", "delta", "notes", "R&D", "a<b", "Größe", "old files", "pictures", "x", "source", "\"quoted\"" };
    private static readonly string[] kinds = { ".txt", ".cs", ".dll", ".jpg", ".xml", "", ".tar.gz", ".MP3" };
    private static readonly DateTime epoch = new(2001, 1, 1, 0, 0, 0, DateTimeKind.Utc);

    private readonly string root;
    private readonly List<(string Path, int Depth)> folders = new();
    private ulong state = 0x9E3779B97F4A7C15;

    public Generator(string root)
    {
        this.root = root;
    }

    public int Folders => folders.Count;

    public int Files { get; private set; }

    public void Make()
    {
        AddFolder(root, 0);
        while (folders.Count < FolderCount)
        {
            (string parent, int depth) = folders[Next(folders.Count)];
            if (depth < DepthMax)
            {
                AddFolder(Path.Combine(parent, NewName(folders.Count)), depth + 1);
            }
        }
        while (Files < FileCount)
        {
            AddFile(folders[Next(folders.Count)].Path);
        }
    }

    private void AddFolder(string path, int depth)
    {
        Directory.CreateDirectory(path);
        folders.Add((path, depth));
    }

    private void AddFile(string folder)
    {
        string path = Path.Combine(folder, NewName(Files) + kinds[Next(kinds.Length)]);
        using (FileStream file = File.Create(path))
        {
            file.SetLength(NextSize());
        }
        File.SetLastWriteTimeUtc(path, epoch.AddMinutes(Next(8_000_000)));
        Files++;
    }

    private string NewName(int number)
    {
        return $"{words[Next(words.Length)]} {number}";
    }

    // Mostly small, now and then large, sometimes empty.
    private long NextSize()
    {
        return Next(10) switch
        {
            0 => 0,
            9 => Next(100) * 1_000_000L + Next(1_000_000),
            _ => Next(20_000),
        };
    }

    private int Next(int below)
    {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return (int)(state % (ulong)below);
    }
}
