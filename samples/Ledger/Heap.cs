// The first item is on top. Equal items come out in the order in which they were added.
namespace LedgerSample;

internal sealed class Heap<T>
{
    private readonly Comparison<T> compare;
    private readonly List<(T Item, int Order)> items = new();
    private int added;

    public Heap(Comparison<T> compare)
    {
        this.compare = compare;
    }

    public int Count => items.Count;

    public T Peek()
    {
        return items.Count > 0 ? items[0].Item : throw new LedgerException("an empty heap has no top");
    }

    public void Push(T item)
    {
        items.Add((item, added++));
        int at = items.Count - 1;
        while (at > 0 && IsBefore(at, (at - 1) / 2))
        {
            Swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }

    public T Pop()
    {
        T top = Peek();
        Swap(0, items.Count - 1);
        items.RemoveAt(items.Count - 1);
        Sink(0);
        return top;
    }

    private void Sink(int at)
    {
        while (true)
        {
            int least = at;
            for (int child = 2 * at + 1; child <= 2 * at + 2; child++)
            {
                if (child < items.Count && IsBefore(child, least))
                {
                    least = child;
                }
            }
            if (least == at)
            {
                return;
            }
            Swap(at, least);
            at = least;
        }
    }

    private bool IsBefore(int left, int right)
    {
        int order = compare(items[left].Item, items[right].Item);
        return order != 0 ? order < 0 : items[left].Order < items[right].Order;
    }

    private void Swap(int left, int right)
    {
        (items[left], items[right]) = (items[right], items[left]);
    }
}
