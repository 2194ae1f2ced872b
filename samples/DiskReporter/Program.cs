// Walks a folder and writes its content as XML. `DiskReporter make FOLDER` creates the tree to walk, the same one every
// time; `DiskReporter report FOLDER FILE` walks FOLDER and writes FILE.
namespace DiskReporter;

internal static class Program
{
    private static int Main(string[] args)
    {
        if (args.Length == 2 && args[0] == "make")
        {
            var generator = new Generator(args[1]);
            generator.Make();
            Console.WriteLine($"made {generator.Folders} folders, {generator.Files} files");
        }
        else if (args.Length == 3 && args[0] == "report")
        {
            Report(args[1], args[2]);
        }
        else
        {
            Console.Error.WriteLine("usage: DiskReporter make FOLDER | report FOLDER FILE");
            return 2;
        }
        Console.WriteLine("diskreporter: success");
        return 0;
    }

    private static void Report(string root, string file)
    {
        Folder folder = new Walker().Walk(root);
        var statistics = new Statistics();
        statistics.Add(folder);
        using (var writer = new ReportWriter(file))
        {
            writer.Write(folder, statistics);
        }
        Console.WriteLine($"{statistics.Folders} folders, {statistics.Files} files, {statistics.Bytes} bytes");
        Console.WriteLine($"deepest {statistics.Depth}, {statistics.Kinds.Count} kinds, largest {statistics.Largest[0].Name}");
    }
}
