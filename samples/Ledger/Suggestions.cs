// Names that are similar to a wrong one.
namespace LedgerSample;

internal static class Suggestions
{
    // The nearest name; null where none is near.
    public static string For(string wrong, IEnumerable<string> names)
    {
        string best = null;
        int bestDistance = wrong.Length / 2 + 1;
        foreach (string name in names)
        {
            int distance = Distance(wrong, name);
            if (distance < bestDistance)
            {
                (best, bestDistance) = (name, distance);
            }
        }
        return best;
    }

    // How many letters must be put in, left out, changed, or swapped with the next.
    public static int Distance(string left, string right)
    {
        var rows = new int[left.Length + 1, right.Length + 1];
        for (int i = 0; i <= left.Length; i++)
        {
            rows[i, 0] = i;
        }
        for (int j = 0; j <= right.Length; j++)
        {
            rows[0, j] = j;
        }
        for (int i = 1; i <= left.Length; i++)
        {
            for (int j = 1; j <= right.Length; j++)
            {
                int change = left[i - 1] == right[j - 1] ? 0 : 1;
                int best = Math.Min(rows[i - 1, j] + 1, rows[i, j - 1] + 1);
                best = Math.Min(best, rows[i - 1, j - 1] + change);
                if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1])
                {
                    best = Math.Min(best, rows[i - 2, j - 2] + 1);
                }
                rows[i, j] = best;
            }
        }
        return rows[left.Length, right.Length];
    }
}
