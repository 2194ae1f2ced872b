// Spans and other ref structs, and writes through them.
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Values;

internal static class Spans
{
    private ref struct Window
    {
        public int Width;
        public Span<int> Content;
        public ref int First;

        public Window(Span<int> content)
        {
            Width = content.Length; Oracle.Field("Width", Width);
            Content = content; Oracle.Typed(".Content", typeof(Span<int>));
            First = ref content[0]; Oracle.Reference(".First");
        }

        [UnscopedRef]
        public ref int Widest()
        {
            return ref Width;
        }
    }

    [InlineArray(4)]
    private struct Four
    {
        private int first;
    }

    [InlineArray(2)]
    private struct TwoTexts
    {
        private string first;
    }

    // Larger than the structs that are recorded.
    private ref struct Wide
    {
        public Large First, Second;
        public Span<int> Content;
    }

    public static void Run()
    {
        Plain();
        Stacked();
        Parts();
        RefStructs();
        InlineArrays();
        Parameters(1, 2, 3);
    }

    private static void Plain()
    {
        int[] numbers = { 1, 2, 3, 4 }; Oracle.Local("numbers", numbers);
        Span<int> span = numbers; Oracle.Local("span", span);
        span[0] = 10; Oracle.Through("span[0]", span[0]);
        span[1] += 5; Oracle.Through("span[1]", span[1]);
        span[2]++; Oracle.Through("span[2]", span[2]);
        Span<int> rest = span[1..]; Oracle.Local("rest", rest);
        rest[^1] = -1; Oracle.Through("rest[2]", rest[2]);
        span = default; Oracle.Local("span", span);
        span = numbers.AsSpan(1, 2); Oracle.Local("span", span);
        int first = span[0]; Oracle.Local("first", first);
        ReadOnlySpan<int> view = rest; Oracle.Local("view", view);
        ReadOnlySpan<char> text = "characters"; Oracle.Local("text", text);
        ReadOnlySpan<char> word = text.Slice(0, 4); Oracle.Local("word", word);
        ReadOnlySpan<char> nothing = null; Oracle.Local("nothing", nothing);
        char letter = word[2]; Oracle.Local("letter", letter);
    }

    private static void Stacked()
    {
        Span<byte> bytes = stackalloc byte[3]; Oracle.Local("bytes", bytes);
        bytes[1] = 0xFF; Oracle.Through("bytes[1]", bytes[1]);
        Span<long> longs = stackalloc[] { 1L, 2L }; Oracle.Local("longs", longs);
        longs[0] = long.MinValue; Oracle.Through("longs[0]", longs[0]);
        Span<Point> points = stackalloc Point[2]; Oracle.Local("points", points);
        points[1] = new Point(1, 2); Oracle.Through("points[1]", points[1]);
        points[1].Y = 3; Oracle.Field("Y", points[1].Y);
        ref Point there = ref points[0]; Oracle.Reference("there");
        there = points[1]; Oracle.Through("there", there);
        Span<char> letters = stackalloc char[4]; Oracle.Local("letters", letters);
        for (int i = 0; i < letters.Length; i++)
        {
            letters[i] = (char)('a' + i); Oracle.Through($"letters[{i}]", letters[i]);
        }
        string text = new(letters); Oracle.Local("text", text);
    }

    private static void Parts()
    {
        Span<string> words = new string[2]; Oracle.Local("words", words);
        words[0] = "zero"; Oracle.Through("words[0]", words[0]);
        words[1] = null; Oracle.Through("words[1]", words[1]);
        foreach (ref string word in words)
        {
            word = word ?? "none"; Oracle.Through("word", word);
        }
        Span<byte> raw = MemoryMarshal.AsBytes(new[] { 0x04030201 }.AsSpan()); Oracle.Local("raw", raw);
        raw[3] = 9; Oracle.Through("raw[3]", raw[3]);
        int whole = MemoryMarshal.Cast<byte, int>(raw)[0]; Oracle.Local("whole", whole);
        Span<int?> perhaps = new int?[1]; Oracle.Local("perhaps", perhaps);
        perhaps[0] = 3; Oracle.Through("perhaps[0]", perhaps[0]);
        Span<decimal> prices = new decimal[1]; Oracle.Local("prices", prices);
        prices[0] = 1.25m; Oracle.Through("prices[0]", prices[0]);
    }

    private static void RefStructs()
    {
        int[] numbers = { 5, 6 }; Oracle.Local("numbers", numbers);
        var window = new Window(numbers); Oracle.Typed("window", typeof(Window)); Oracle.Local("window.Width", window.Width);
        window.Width = 20; Oracle.Field("Width", window.Width);
        window.First = 50; Oracle.Through("First", window.First);
        window.First = ref numbers[1]; Oracle.Reference(".First");
        window.First++; Oracle.Through("First", window.First);
        window.Widest() = 30; Oracle.Through("Widest", window.Width);
        Window copy = window; Oracle.Typed("copy", typeof(Window)); Oracle.Local("copy.Width", copy.Width);
        window = default; Oracle.Typed("window", typeof(Window)); Oracle.Local("window.Width", window.Width);
        Wide wide = default; Oracle.Typed("wide", typeof(Wide));
    }

    private static void InlineArrays()
    {
        Four four = default; Oracle.Typed("four", typeof(Four));
        four[0] = 1; Oracle.Through("four[0]", four[0]);
        four[3] = four[0] + 3; Oracle.Through("four[3]", four[3]);
        for (int i = 1; i < 3; i++)
        {
            four[i] = i * 10; Oracle.Through($"four[{i}]", four[i]);
        }
        Span<int> middle = four[1..3]; Oracle.Local("middle", middle);
        middle[0] = -1; Oracle.Through("middle[0]", middle[0]);
        Four copy = four; Oracle.Typed("copy", typeof(Four));
        int last = copy[3]; Oracle.Local("last", last);
        TwoTexts texts = default; Oracle.Typed("texts", typeof(TwoTexts));
        texts[1] = "text"; Oracle.Through("texts[1]", texts[1]);
    }

    private static int Parameters(params ReadOnlySpan<int> numbers)
    { Oracle.Argument("numbers", numbers);
        int sum = 0; Oracle.Local("sum", sum);
        foreach (int number in numbers)
        {
            sum += number; Oracle.Local("sum", sum);
        }
        Oracle.Result(sum); return sum;
    }
}
