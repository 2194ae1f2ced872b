// Symbols count columns in UTF-16 units: statements after characters that are not ASCII. UTF-8 without a byte order mark.
namespace Features;

internal static class EncodingPlain
{
    public static void Run()
    {
        string größe = "Größe ä"; int länge = größe.Length; länge++;
        string 計算 = "計算 😀𠮷"; int 長さ = 計算.Length; 長さ += 1;
        if (größe == "ö") { länge = 0; } Console.WriteLine($"{größe} {länge} {計算} {長さ}");
    }
}
