// Code that the runtime starts on its own: static constructors, field initialisers, module initialiser, Lazy, thread statics.
using System.Runtime.CompilerServices;

namespace Exact;

internal static class Statics
{
    private static int started;

    [ModuleInitializer]
    internal static void Begin()
    {
        Count.Hit("Exact.Statics.Begin()");
        Count.Add("Module..cctor()", 1);
        started = 41;
    }

    public static void Run()
    {
        Count.Hit("Exact.Statics.Run()");
        started++;
        int sum = 0;
        for (int i = 0; i < 1000; i++)
        {
            sum += Precise.Next();
        }
        // The field initialisers of a type without a static constructor run once, at some time before they are needed.
        Count.Add("Exact.Statics.Relaxed..cctor()", 1);
        sum += Relaxed.Value + Relaxed.Value;
        Console.WriteLine($"{started} {sum} {First.Value} {Keyed<int>.Name} {Keyed<string>.Name} {Keyed<object>.Name}");
        var lazy = new Lazy<string>(() =>
        {
            Count.Hit("Exact.Statics.Run.lambda#1()");
            return Name("lazy");
        });
        Console.WriteLine($"{lazy.Value} {lazy.Value} {lazy.Value}");
    }

    private static string Name(string name)
    {
        Count.Hit("Exact.Statics.Name(string)");
        return name;
    }

    private static class Precise
    {
        private static int next;

        static Precise()
        {
            Count.Hit("Exact.Statics.Precise..cctor()");
            next = Relaxed.Start(10);
        }

        public static int Next()
        {
            Count.Hit("Exact.Statics.Precise.Next()");
            return next++;
        }
    }

    private static class Relaxed
    {
        public static readonly int Value = Start(100);

        public static int Start(int n)
        {
            Count.Hit("Exact.Statics.Relaxed.Start(int)");
            return n;
        }
    }

    // Static constructors that need each other.
    private static class First
    {
        public static readonly int Value;

        static First()
        {
            Count.Hit("Exact.Statics.First..cctor()");
            Value = Second.Value + 1;
        }
    }

    private static class Second
    {
        public static readonly int Value;

        static Second()
        {
            Count.Hit("Exact.Statics.Second..cctor()");
            Value = First.Value + 10;
        }
    }

    private static class Keyed<T>
    {
        public static readonly string Name;

        static Keyed()
        {
            Count.Hit("Exact.Statics.Keyed<T>..cctor()");
            Name = Statics.Name(typeof(T).Name);
        }
    }
}
