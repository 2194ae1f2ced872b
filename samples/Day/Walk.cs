namespace Day;

// A binary tree of words, which is filled, walked in order and asked for its depth.
sealed class Node(string word)
{
    public string Word { get; } = word;
    public Node? Left { get; private set; }
    public Node? Right { get; private set; }

    public void Add(string word)
    {
        int order = string.CompareOrdinal(word, Word);
        if (order < 0)
        {
            if (Left == null)
            {
                Left = new Node(word);
            }
            else
            {
                Left.Add(word);
            }
        }
        else if (order > 0)
        {
            if (Right == null)
            {
                Right = new Node(word);
            }
            else
            {
                Right.Add(word);
            }
        }
    }

    public int Depth() => 1 + Math.Max(Left?.Depth() ?? 0, Right?.Depth() ?? 0);

    public IEnumerable<string> InOrder()
    {
        if (Left != null)
        {
            foreach (string word in Left.InOrder())
            {
                yield return word;
            }
        }
        yield return Word;
        if (Right != null)
        {
            foreach (string word in Right.InOrder())
            {
                yield return word;
            }
        }
    }
}

static class Walk
{
    public static void Run()
    {
        var root = new Node("m");
        foreach (string word in "f t b h p w a c g k n r u z".Split(' '))
        {
            root.Add(word);
        }
        Console.WriteLine(string.Join(' ', root.InOrder()) + ", depth " + root.Depth());
    }
}
