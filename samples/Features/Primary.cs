// Parameters of a class that its methods use.
namespace Features;

internal static class Primary
{
    private class Counter(int start, string name)
    {
        private int count;

        public string Name => name;

        public int Next()
        {
            start += 10;
            return count++ + start;
        }
    }

    private sealed class Named(string name) : Counter(1, name + "!");

    public static void Run()
    {
        var named = new Named("counter");
        int sum = named.Next() + named.Next();
        Console.WriteLine($"{named.Name} {sum}");
    }
}
