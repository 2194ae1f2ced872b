// Exchange: known rates are edges between currencies; others are found over as few exchanges as possible, and kept for a while.
namespace LedgerSample;

internal sealed class Rates
{
    private const int KeptMax = 8;
    private readonly Dictionary<string, List<(string To, decimal Rate)>> edges = new();
    private readonly Recent<(string From, string To), decimal> found = new(KeptMax);

    // Searches that the cache could not answer.
    public int Searches { get; private set; }

    public void Add(string from, string to, decimal rate)
    {
        if (rate <= 0)
        {
            throw new LedgerException($"no rate: {rate}");
        }
        EdgesOf(from).Add((to, rate));
        EdgesOf(to).Add((from, 1 / rate));
        found.Clear();
    }

    public Amount Convert(Amount amount, string currency)
    {
        if (amount.Currency == currency)
        {
            return amount;
        }
        (string, string) key = (amount.Currency, currency);
        if (!found.TryGet(key, out decimal rate))
        {
            rate = Search(amount.Currency, currency);
            found.Add(key, rate);
        }
        return new Amount(amount.Quantity * rate, currency);
    }

    // By how many exchanges the currencies are apart, nearest first.
    private decimal Search(string from, string to)
    {
        Searches++;
        var open = new Heap<(int Exchanges, string Currency, decimal Rate)>((left, right) => left.Exchanges - right.Exchanges);
        var done = new HashSet<string>();
        open.Push((0, from, 1));
        while (open.Count > 0)
        {
            (int exchanges, string currency, decimal rate) = open.Pop();
            if (currency == to)
            {
                return rate;
            }
            if (!done.Add(currency))
            {
                continue;
            }
            foreach ((string next, decimal factor) in EdgesOf(currency))
            {
                open.Push((exchanges + 1, next, rate * factor));
            }
        }
        throw new LedgerException($"no way from {from} to {to}");
    }

    private List<(string To, decimal Rate)> EdgesOf(string currency)
    {
        if (!edges.TryGetValue(currency, out List<(string, decimal)> own))
        {
            own = new List<(string, decimal)>();
            edges.Add(currency, own);
        }
        return own;
    }
}

// The entries that were asked for last; when there are too many the oldest goes.
internal sealed class Recent<TKey, TValue>
{
    private readonly int countMax;
    private readonly Dictionary<TKey, LinkedListNode<(TKey Key, TValue Value)>> places = new();
    private readonly LinkedList<(TKey Key, TValue Value)> order = new();

    public Recent(int countMax)
    {
        this.countMax = countMax;
    }

    public int Count => places.Count;

    public bool TryGet(TKey key, out TValue value)
    {
        if (!places.TryGetValue(key, out LinkedListNode<(TKey, TValue)> node))
        {
            value = default;
            return false;
        }
        order.Remove(node);
        order.AddFirst(node);
        value = node.Value.Item2;
        return true;
    }

    public void Add(TKey key, TValue value)
    {
        if (places.Remove(key, out LinkedListNode<(TKey, TValue)> old))
        {
            order.Remove(old);
        }
        places.Add(key, order.AddFirst((key, value)));
        if (places.Count > countMax)
        {
            places.Remove(order.Last.Value.Key);
            order.RemoveLast();
        }
    }

    public void Clear()
    {
        places.Clear();
        order.Clear();
    }
}
