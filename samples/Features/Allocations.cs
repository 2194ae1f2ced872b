// Objects, arrays and boxes are born.
namespace Features;

internal static class Allocations
{
    private sealed class Node
    {
        public Node Next;
    }

    public static void Run()
    {
        var first = new Node();
        first.Next = new Node();
        var numbers = new int[3];
        object boxed = numbers.Length;
        string text = new('x', 3);
        Console.WriteLine($"{first.Next.Next == null} {boxed} {text}");
    }
}
