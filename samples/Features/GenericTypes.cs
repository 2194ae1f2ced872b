// A generic type has static fields for each of its types.
namespace Features;

internal static class GenericTypes
{
    private sealed class Stack<T>
    {
        private static int made;
        private T[] items = new T[1];
        private int count;

        public Stack()
        {
            made++;
        }

        public int Made => made;

        public void Push(T item)
        {
            if (count == items.Length)
            {
                Array.Resize(ref items, 2 * count);
            }
            items[count++] = item;
        }

        public T Pop()
        {
            return items[--count];
        }
    }

    public static void Run()
    {
        var numbers = new Stack<int>();
        numbers.Push(1);
        numbers.Push(2);
        int number = numbers.Pop();
        var words = new Stack<string>();
        words.Push("word");
        string word = words.Pop();
        Console.WriteLine($"{number} {word} {numbers.Made} {words.Made}");
    }
}
