// Recursion that has enough stack without clew.
using System.Runtime.CompilerServices;

namespace Guest;

internal static class Recursion
{
    private sealed class Node(int value, Node? next)
    {
        public readonly int Value = value;
        public readonly Node? Next = next;
    }

    private static long Sum(Node? n) => n == null ? 0 : n.Value + Sum(n.Next);

    /// As deep as a list is long, on the stack of the first thread.
    public static string List(int nodes)
    {
        Node? head = null;
        for (int i = 1; i <= nodes; i++)
        {
            head = new Node(i, head);
        }
        return $"{Sum(head)}";
    }

    /// `depth` activations of a method of 200 statements on a thread of 1 MiB; 0: how many it takes, less a tenth.
    public static string Dive(int depth)
    {
        string told = "";
        Thread thread = new(() => told = depth > 0 ? $"{Frames.Ifs200(depth, true)}" : Reach(), 1 << 20);
        thread.Start();
        thread.Join();
        return told;
    }

    private static string Reach()
    {
        return $"{(int)(((1 << 20) - 100_000) / Frames.BytesOf(n => Frames.Ifs200(n, true)))}";
    }
}
