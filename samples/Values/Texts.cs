// Strings: empty, long, with line breaks, of all planes; the same object under several names.
namespace Values;

internal static class Texts
{
    private static readonly string shared = "shared";

    public static void Run()
    {
        Contents();
        Lengths();
        Identity();
        Building();
    }

    private static void Contents()
    {
        string none = null; Oracle.Local("none", none);
        string empty = ""; Oracle.Local("empty", empty);
        string word = "word"; Oracle.Local("word", word);
        string spaces = "  two  spaces  "; Oracle.Local("spaces", spaces);
        string unix = "one\ntwo"; Oracle.Local("unix", unix);
        string windows = "one\r\ntwo\r\n"; Oracle.Local("windows", windows);
        string path = "C:\\new\\readme"; Oracle.Local("path", path);
        string tab = "a\tb"; Oracle.Local("tab", tab);
        string colons = "a:b = c # d"; Oracle.Local("colons", colons);
        string latin = "Größe"; Oracle.Local("latin", latin);
        string greek = "λόγος"; Oracle.Local("greek", greek);
        string han = "漢字"; Oracle.Local("han", han);
        string face = "\U0001F600!"; Oracle.Local("face", face);
        string alone = "a\ud83dz"; Oracle.Local("alone", alone);
        string backwards = "\ude00\ud83d"; Oracle.Local("backwards", backwards);
        string zero = "a\0b"; Oracle.Local("zero", zero);
        string control = "\u0001\u001b\u007f\u0085"; Oracle.Local("control", control);
        string separators = "\u2028\u2029\ufeff"; Oracle.Local("separators", separators);
        string raw = """
            "quoted"
            """; Oracle.Local("raw", raw, line: Here() - 2);
    }

    private static void Lengths()
    {
        string full = new('x', 256); Oracle.Local("full", full);
        string over = new('y', 257); Oracle.Local("over", over);
        string longer = string.Concat(full, over, "end"); Oracle.Local("longer", longer);
        string cut = new string('z', 255) + "\U0001F600"; Oracle.Local("cut", cut);
        string wide = new('漢', 300); Oracle.Local("wide", wide);
        string huge = new('h', 100_000); Oracle.Local("huge", huge);
    }

    private static void Identity()
    {
        string one = shared; Oracle.Local("one", one);
        string same = one; Oracle.Local("same", same);
        string equal = new(one.AsSpan()); Oracle.Local("equal", equal);
        string literal = "shared"; Oracle.Local("literal", literal);
        string interned = string.Intern(equal); Oracle.Local("interned", interned);
        object asObject = one; Oracle.Local("asObject", asObject);
        string other = one.Replace('s', 'S'); Oracle.Local("other", other);
    }

    private static void Building()
    {
        string text = ""; Oracle.Local("text", text);
        for (int i = 0; i < 3; i++)
        {
            text += i; Oracle.Local("text", text);
        }
        int width = 5; Oracle.Local("width", width);
        string padded = $"{text,6}|{width:000}|{width == 5}"; Oracle.Local("padded", padded);
        string joined = string.Join(", ", text, padded); Oracle.Local("joined", joined);
        string part = joined[2..5]; Oracle.Local("part", part);
        string upper = part.ToUpperInvariant(); Oracle.Local("upper", upper);
        ReadOnlySpan<char> view = joined.AsSpan(1, 3); Oracle.Local("view", view);
        string back = view.ToString(); Oracle.Local("back", back);
        ReadOnlySpan<byte> bytes = "utf8"u8; Oracle.Local("bytes", bytes);
    }

    private static int Here([System.Runtime.CompilerServices.CallerLineNumber] int line = 0)
    {
        return line;
    }
}
