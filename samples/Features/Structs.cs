// Values that are copied, and methods that change them in place.
namespace Features;

internal static class Structs
{
    private struct Counter
    {
        public int Count;

        public void Add(int number)
        {
            Count += number;
        }

        public readonly Counter Doubled()
        {
            Counter copy = this;
            copy.Count *= 2;
            return copy;
        }
    }

    public static void Run()
    {
        Counter first = default;
        first.Add(3);
        Counter second = first;
        second.Add(4);
        first = second.Doubled();
        Console.WriteLine($"{first.Count} {second.Count}");
    }
}
