// Breaks a paragraph into lines: chooses the breaks that stretch and shrink its spaces least.
namespace DocumentSample;

// Words first to end - 1, and the width of a space as a multiple of its natural width.
internal readonly record struct Line(int First, int End, double Stretch);

internal sealed class LineBreaker
{
    private const double ShrinkMax = 0.67;
    private const double LooseCost = 10;
    private readonly List<Word> words;
    private readonly double width;

    // costs[i]: of the best way to set the words before i; breaks[i]: where the last line of that way begins.
    private readonly double[] costs;
    private readonly int[] breaks;

    private LineBreaker(List<Word> words, double width)
    {
        this.words = words;
        this.width = width;
        costs = new double[words.Count + 1];
        breaks = new int[words.Count + 1];
    }

    public static List<Line> Justify(List<Word> words, double width)
    {
        var breaker = new LineBreaker(words, width);
        breaker.FindBreaks();
        return breaker.Collect();
    }

    // As many words a line as there is room for.
    public static List<Line> Fill(List<Word> words, double width)
    {
        var lines = new List<Line>();
        int first = 0;
        double used = 0;
        for (int i = 0; i < words.Count; i++)
        {
            if (i > first && used + words[i].Width > width)
            {
                lines.Add(new Line(first, i, 1));
                first = i;
                used = 0;
            }
            used += words[i].Width + words[i].Space;
        }
        if (first < words.Count)
        {
            lines.Add(new Line(first, words.Count, 1));
        }
        return lines;
    }

    private void FindBreaks()
    {
        for (int end = 1; end <= words.Count; end++)
        {
            costs[end] = double.PositiveInfinity;
            double text = 0;
            double spaces = 0;
            for (int first = end - 1; first >= 0; first--)
            {
                text += words[first].Width;
                spaces += first < end - 1 ? words[first].Space : 0;
                if (first < end - 1 && text + spaces * ShrinkMax > width)
                {
                    break;
                }
                double cost = costs[first] + Cost(text, spaces, end == words.Count);
                if (cost < costs[end])
                {
                    costs[end] = cost;
                    breaks[end] = first;
                }
            }
        }
    }

    private double Cost(double text, double spaces, bool last)
    {
        double stretch = StretchOf(text, spaces, last);
        double off = stretch < 1 ? (1 - stretch) / (1 - ShrinkMax) : stretch - 1;
        double cost = 1 + 100 * off * off * off;
        return stretch > 3 ? cost * LooseCost : cost * cost;
    }

    // The last line has normal spaces unless they must shrink; a single word has none.
    private double StretchOf(double text, double spaces, bool last)
    {
        if (spaces == 0)
        {
            return last || text >= width ? 1 : 4;
        }
        double stretch = (width - text) / spaces;
        return last && stretch > 1 ? 1 : stretch;
    }

    private List<Line> Collect()
    {
        var lines = new List<Line>();
        for (int end = words.Count; end > 0; end = breaks[end])
        {
            lines.Add(Measure(breaks[end], end));
        }
        lines.Reverse();
        return lines;
    }

    private Line Measure(int first, int end)
    {
        double text = 0;
        double spaces = 0;
        for (int i = first; i < end; i++)
        {
            text += words[i].Width;
            spaces += i < end - 1 ? words[i].Space : 0;
        }
        return new Line(first, end, spaces == 0 ? 1 : StretchOf(text, spaces, end == words.Count));
    }
}
