// Loaded into one collectible context after another by Unloaded: values of its own types, in generic code of its own and of the core
// library, in static fields, on the heap and in ref structs.
namespace Extension;

public sealed class Failure(string text) : Exception(text)
{
}

public struct Cell
{
    public string Name;
    public int Count;
    public object Extra;
}

public sealed class Node
{
    public static int Made;
    public static string Last = "none";
    public Node Next;
    public Cell Cell;
}

public ref struct View<T>
{
    public T First;
    public Span<T> Rest;
}

public static class Entry
{
    private static readonly Dictionary<string, Cell> cells = new();
    private static int calls;

    public static string Run(int number)
    {
        calls++;
        string text = "run " + number;
        var cell = new Cell { Name = text, Count = number, Extra = new Node() };
        cells[text] = cell;
        Cell[] row = new Cell[2];
        row[1] = cell;
        row[1].Count = number + 1;
        var node = new Node { Cell = row[1] };
        node.Next = (Node)cell.Extra;
        Node.Made += 2;
        Node.Last = text;
        var list = new List<Cell> { cell };
        list.Add(row[1]);
        Cell kept = Pick(list, 1);
        Node same = Pick(new List<Node> { node }, 0);
        (Cell One, Node Two) pair = (kept, same);
        object box = cell;
        View<Cell> view = new View<Cell> { First = cell, Rest = row };
        View<string> words = Wrap(text);
        string caught = "";
        try
        {
            Throw(number);
        }
        catch (Failure problem)
        {
            caught = problem.Message;
        }
        int sum = 0;
        foreach (Cell each in list)
        {
            sum += each.Count;
        }
        return $"{kept.Name} {kept.Count} {pair.Two.Next.Cell.Count} {((Cell)box).Count} {view.First.Count} {view.Rest.Length} {words.First} " +
               $"{caught} {sum} {calls} {Node.Made} {Node.Last} {cells.Count}";
    }

    private static T Pick<T>(List<T> from, int at)
    {
        T picked = from[at];
        return picked;
    }

    private static View<T> Wrap<T>(T value)
    {
        var made = new View<T> { First = value };
        return made;
    }

    private static void Throw(int number)
    {
        throw new Failure("failed " + number);
    }
}
