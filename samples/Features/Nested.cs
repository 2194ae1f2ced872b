// Classes within classes, generic ones too.
namespace Features;

internal static class Nested
{
    private sealed class Outer<T>
    {
        private readonly T value;

        public Outer(T value)
        {
            this.value = value;
        }

        public sealed class Inner
        {
            private readonly Outer<T> outer;

            public Inner(Outer<T> outer)
            {
                this.outer = outer;
            }

            public T Get()
            {
                return outer.value;
            }
        }
    }

    public static void Run()
    {
        var outer = new Outer<string>("inner text");
        var inner = new Outer<string>.Inner(outer);
        string text = inner.Get();
        Console.WriteLine(text);
    }
}
