// The content of a page, as PDF operators.
namespace DocumentSample;

internal sealed class Content
{
    private readonly ByteBuffer operators = new();
    private Style style;
    private double size;

    public byte[] ToArray()
    {
        return operators.ToArray();
    }

    // A line of words from x on, each space `stretch` times as wide as the font has it.
    public void Draw(List<Word> words, Line line, double x, double y, double wantedSize)
    {
        operators.Append("BT\n");
        Place(x, y);
        for (int i = line.First; i < line.End; i++)
        {
            Word word = words[i];
            for (int part = 0; part < word.Fragments.Count; part++)
            {
                Fragment fragment = word.Fragments[part];
                bool spaceFollows = part + 1 == word.Fragments.Count && i + 1 < line.End;
                Choose(fragment.Style, wantedSize);
                Show(fragment.Codes, spaceFollows, line.Stretch);
            }
        }
        operators.Append("ET\n");
        Forget();
    }

    public void Draw(string text, Style wanted, double wantedSize, double x, double y)
    {
        operators.Append("BT\n");
        Place(x, y);
        Choose(wanted, wantedSize);
        Show(Encoding.Encode(text), false, 1);
        operators.Append("ET\n");
        Forget();
    }

    public void Rule(double x, double y, double width, double thickness)
    {
        operators.Append(x).Append((byte)' ').Append(y).Append((byte)' ').Append(width).Append((byte)' ').Append(thickness);
        operators.Append(" re f\n");
    }

    // A grey area behind later content.
    public void Shade(double x, double y, double width, double height)
    {
        operators.Append("q 0.93 g\n");
        Rule(x, y, width, height);
        operators.Append("Q\n");
    }

    private void Place(double x, double y)
    {
        operators.Append(x).Append((byte)' ').Append(y).Append(" Td\n");
    }

    private void Choose(Style wanted, double wantedSize)
    {
        if (wanted != style || wantedSize != size)
        {
            operators.Append((byte)'/').Append(Font.Of(wanted).Key).Append((byte)' ').Append(wantedSize).Append(" Tf\n");
            style = wanted;
            size = wantedSize;
        }
    }

    // Another text object begins anew.
    private void Forget()
    {
        size = 0;
    }

    // Text with the moves of its kerning; numbers in between are thousandths of the size to the left.
    private void Show(string codes, bool spaceFollows, double stretch)
    {
        Font font = Font.Of(style);
        operators.Append("[(");
        int start = 0;
        for (int i = 1; i < codes.Length; i++)
        {
            int kern = font.Kern(codes[i - 1], codes[i]);
            if (kern != 0)
            {
                PdfText.WriteEscaped(operators, codes.Substring(start, i - start));
                operators.Append((byte)')').Append(-kern).Append((byte)'(');
                start = i;
            }
        }
        PdfText.WriteEscaped(operators, codes.Substring(start));
        if (spaceFollows)
        {
            operators.Append(" )").Append(font.Width(' ') * (1 - stretch)).Append("]TJ\n");
        }
        else
        {
            operators.Append(")]TJ\n");
        }
    }
}
