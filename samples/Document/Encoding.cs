// WinAnsi, the encoding of the fonts: Latin-1 but for the places 128 to 159.
namespace DocumentSample;

internal static class Encoding
{
    private const string High =
        "\u20ac\0\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\0\u017d\0" +
        "\0\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\0\u017e\u0178";

    // The text as characters below 256. Characters that the encoding lacks become question marks.
    public static string Encode(string text)
    {
        if (IsPlain(text))
        {
            return text;
        }
        var codes = new char[text.Length];
        for (int i = 0; i < text.Length; i++)
        {
            codes[i] = Encode(text[i]);
        }
        return new string(codes);
    }

    private static bool IsPlain(string text)
    {
        foreach (char c in text)
        {
            if (c > '~')
            {
                return false;
            }
        }
        return true;
    }

    private static char Encode(char c)
    {
        if (c < 128 || (c >= 160 && c < 256))
        {
            return c;
        }
        int place = c == 0 ? -1 : High.IndexOf(c);
        return place < 0 ? '?' : (char)(128 + place);
    }
}
