// Sums of the first so many numbers, while the numbers change: a Fenwick tree.
namespace LedgerSample;

internal sealed class Sums
{
    private readonly decimal[] tree;

    public Sums(int count)
    {
        tree = new decimal[count + 1];
    }

    public int Count => tree.Length - 1;

    public void Add(int place, decimal number)
    {
        for (int i = place + 1; i < tree.Length; i += i & -i)
        {
            tree[i] += number;
        }
    }

    // Of the numbers before `end`.
    public decimal Before(int end)
    {
        decimal sum = 0;
        for (int i = end; i > 0; i -= i & -i)
        {
            sum += tree[i];
        }
        return sum;
    }

    public decimal Between(int first, int end)
    {
        return Before(end) - Before(first);
    }
}
