// The same in Windows-1252, which has no byte order mark and is not UTF-8. Only the compiler on Windows reads it as
// Windows-1252, but elsewhere there are as many columns.
namespace Features;

internal static class EncodingWindows
{
    public static void Run()
    {
        string size = "Größe ä"; int length = size.Length; length++;
        string price = "„5 €“ – ß"; int width = price.Length; width += 1;
        if (size == "ö") { length = 0; } Console.WriteLine($"{length} {width}");
    }
}
