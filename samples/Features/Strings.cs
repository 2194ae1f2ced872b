// Strings are cut, joined, compared, and hold everything.
namespace Features;

internal static class Strings
{
    public static void Run()
    {
        string text = "one\ntwo";
        string[] lines = text.Split('\n');
        string joined = lines[1] + "," + lines[0];
        bool equal = joined == "two,one";
        string path = @"C:\" + joined.ToUpperInvariant();
        char last = path[^1];
        Console.WriteLine($"{path} {equal} {last}");
    }
}
