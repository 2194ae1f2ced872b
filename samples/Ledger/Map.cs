// A map in the order of its keys: a red-black tree that leans to the left.
namespace LedgerSample;

internal sealed class Map<TKey, TValue> where TKey : IComparable<TKey>
{
    private sealed class Node
    {
        public Node(TKey key, TValue value)
        {
            Key = key;
            Value = value;
        }

        public TKey Key;
        public TValue Value;
        public Node Left, Right;
        public bool IsRed = true;
    }

    private Node root;

    public int Count { get; private set; }

    public TValue this[TKey key]
    {
        get => TryGet(key, out TValue value) ? value : throw new LedgerException($"no such key: {key}");
        set
        {
            root = Insert(root, key, value);
            root.IsRed = false;
        }
    }

    public bool TryGet(TKey key, out TValue value)
    {
        Node node = root;
        while (node != null)
        {
            int order = key.CompareTo(node.Key);
            if (order == 0)
            {
                value = node.Value;
                return true;
            }
            node = order < 0 ? node.Left : node.Right;
        }
        value = default;
        return false;
    }

    public bool Remove(TKey key)
    {
        if (!TryGet(key, out _))
        {
            return false;
        }
        if (!IsRed(root.Left) && !IsRed(root.Right))
        {
            root.IsRed = true;
        }
        root = Remove(root, key);
        if (root != null)
        {
            root.IsRed = false;
        }
        Count--;
        return true;
    }

    // All entries, smallest key first.
    public IEnumerable<(TKey Key, TValue Value)> Entries()
    {
        return Walk(root);
    }

    // Entries from `first` on that are before `end`.
    public IEnumerable<(TKey Key, TValue Value)> Between(TKey first, TKey end)
    {
        return Walk(root, first, end);
    }

    // Links on the longest way down.
    public int Height()
    {
        return Height(root);
    }

    private static int Height(Node node)
    {
        return node == null ? 0 : 1 + Math.Max(Height(node.Left), Height(node.Right));
    }

    private static IEnumerable<(TKey, TValue)> Walk(Node node)
    {
        var above = new Stack<Node>();
        while (node != null || above.Count > 0)
        {
            for (; node != null; node = node.Left)
            {
                above.Push(node);
            }
            node = above.Pop();
            yield return (node.Key, node.Value);
            node = node.Right;
        }
    }

    private static IEnumerable<(TKey, TValue)> Walk(Node node, TKey first, TKey end)
    {
        if (node == null)
        {
            yield break;
        }
        bool beginsHere = first.CompareTo(node.Key) <= 0;
        bool endsAfter = node.Key.CompareTo(end) < 0;
        if (beginsHere)
        {
            foreach ((TKey, TValue) entry in Walk(node.Left, first, end))
            {
                yield return entry;
            }
        }
        if (beginsHere && endsAfter)
        {
            yield return (node.Key, node.Value);
        }
        if (endsAfter)
        {
            foreach ((TKey, TValue) entry in Walk(node.Right, first, end))
            {
                yield return entry;
            }
        }
    }

    private Node Insert(Node node, TKey key, TValue value)
    {
        if (node == null)
        {
            Count++;
            return new Node(key, value);
        }
        int order = key.CompareTo(node.Key);
        if (order < 0)
        {
            node.Left = Insert(node.Left, key, value);
        }
        else if (order > 0)
        {
            node.Right = Insert(node.Right, key, value);
        }
        else
        {
            node.Value = value;
        }
        return Balance(node);
    }

    private static Node Remove(Node node, TKey key)
    {
        if (key.CompareTo(node.Key) < 0)
        {
            if (!IsRed(node.Left) && !IsRed(node.Left.Left))
            {
                node = MoveRedLeft(node);
            }
            node.Left = Remove(node.Left, key);
            return Balance(node);
        }
        if (IsRed(node.Left))
        {
            node = RotateRight(node);
        }
        if (key.CompareTo(node.Key) == 0 && node.Right == null)
        {
            return null;
        }
        if (!IsRed(node.Right) && !IsRed(node.Right.Left))
        {
            node = MoveRedRight(node);
        }
        if (key.CompareTo(node.Key) == 0)
        {
            Node next = node.Right;
            while (next.Left != null)
            {
                next = next.Left;
            }
            (node.Key, node.Value) = (next.Key, next.Value);
            node.Right = RemoveFirst(node.Right);
        }
        else
        {
            node.Right = Remove(node.Right, key);
        }
        return Balance(node);
    }

    private static Node RemoveFirst(Node node)
    {
        if (node.Left == null)
        {
            return null;
        }
        if (!IsRed(node.Left) && !IsRed(node.Left.Left))
        {
            node = MoveRedLeft(node);
        }
        node.Left = RemoveFirst(node.Left);
        return Balance(node);
    }

    private static bool IsRed(Node node)
    {
        return node != null && node.IsRed;
    }

    private static Node Balance(Node node)
    {
        if (IsRed(node.Right) && !IsRed(node.Left))
        {
            node = RotateLeft(node);
        }
        if (IsRed(node.Left) && IsRed(node.Left.Left))
        {
            node = RotateRight(node);
        }
        if (IsRed(node.Left) && IsRed(node.Right))
        {
            Flip(node);
        }
        return node;
    }

    private static Node MoveRedLeft(Node node)
    {
        Flip(node);
        if (IsRed(node.Right.Left))
        {
            node.Right = RotateRight(node.Right);
            node = RotateLeft(node);
            Flip(node);
        }
        return node;
    }

    private static Node MoveRedRight(Node node)
    {
        Flip(node);
        if (IsRed(node.Left.Left))
        {
            node = RotateRight(node);
            Flip(node);
        }
        return node;
    }

    private static Node RotateLeft(Node node)
    {
        Node up = node.Right;
        node.Right = up.Left;
        up.Left = node;
        up.IsRed = node.IsRed;
        node.IsRed = true;
        return up;
    }

    private static Node RotateRight(Node node)
    {
        Node up = node.Left;
        node.Left = up.Right;
        up.Right = node;
        up.IsRed = node.IsRed;
        node.IsRed = true;
        return up;
    }

    private static void Flip(Node node)
    {
        node.IsRed = !node.IsRed;
        node.Left.IsRed = !node.Left.IsRed;
        node.Right.IsRed = !node.Right.IsRed;
    }
}
