// The same in Windows-1252, which no mark says and which is not UTF-8. Only the compiler on Windows takes it for that, but
// elsewhere the columns are as many.
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
