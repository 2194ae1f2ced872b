// The order in which an object comes to be.
namespace Features;

internal static class Constructors
{
    private class Base
    {
        protected int first = 1;

        protected Base(int start)
        {
            first += start;
        }
    }

    private sealed class Derived : Base
    {
        private readonly int second = 2;

        public Derived() : this(10)
        {
            second++;
        }

        private Derived(int start) : base(start)
        {
            second += first;
        }

        public int Sum => first + second;
    }

    public static void Run()
    {
        var derived = new Derived();
        Console.WriteLine(derived.Sum);
    }
}
