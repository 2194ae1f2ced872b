// Generics over values and references, methods and types, shared and unshared code; generic virtuals; static virtuals.
using System.Numerics;

namespace Exact;

internal static class Generics
{
    public static void Run()
    {
        Count.Hit("Exact.Generics.Run()");
        Methods();
        Types();
        Virtuals();
        StaticVirtuals();
    }

    private static T Pick<T>(bool first, T a, T b)
    {
        Count.Hit("Exact.Generics.Pick<T>(bool, T, T)");
        return first ? a : b;
    }

    private static void Swap<T>(ref T a, ref T b)
    {
        Count.Hit("Exact.Generics.Swap<T>(ref T, ref T)");
        (a, b) = (b, a);
    }

    private static int Nest<T>(int depth)
    {
        Count.Hit("Exact.Generics.Nest<T>(int)");
        return depth == 0 ? 0 : 1 + Nest<List<T>>(depth - 1);
    }

    private static void Methods()
    {
        Count.Hit("Exact.Generics.Methods()");
        int a = Pick(true, 1, 2);
        double b = Pick(false, 1.5, 2.5);
        string c = Pick(true, "one", "two");
        object d = Pick<object>(false, "x", 4);
        (int, byte) e = Pick(true, (1, (byte)2), (3, (byte)4));
        Guid f = Pick(false, Guid.Empty, new Guid(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
        string left = "left";
        string right = "right";
        Swap(ref left, ref right);
        Swap(ref a, ref a);
        Console.WriteLine(FormattableString.Invariant($"{a} {b} {c} {d} {e} {f} {left} {right} {Nest<string>(5)}"));
    }

    private class Stack<T>
    {
        private readonly List<T> items;
        private static int made;

        public Stack()
        {
            Count.Hit("Exact.Generics.Stack<T>..ctor()");
            items = new List<T>();
            made++;
        }

        public static int Made
        {
            get
            {
                Count.Hit("Exact.Generics.Stack<T>.Made.get()");
                return made;
            }
        }

        public void Push(T item)
        {
            Count.Hit("Exact.Generics.Stack<T>.Push(T)");
            items.Add(item);
        }

        public T Pop()
        {
            Count.Hit("Exact.Generics.Stack<T>.Pop()");
            T item = items[^1];
            items.RemoveAt(items.Count - 1);
            return item;
        }

        public U Fold<U>(U start, Func<U, T, U> step)
        {
            Count.Hit("Exact.Generics.Stack<T>.Fold<U>(U, Func<U, T, U>)");
            foreach (T item in items)
            {
                start = step(start, item);
            }
            return start;
        }

        public struct Cursor
        {
            private int at;

            public int Step<U>(U _)
            {
                Count.Hit("Exact.Generics.Stack<T>.Cursor.Step<U>(U)");
                return ++at;
            }
        }
    }

    private static void Types()
    {
        Count.Hit("Exact.Generics.Types()");
        var numbers = new Stack<int>();
        var words = new Stack<string>();
        var pairs = new Stack<KeyValuePair<int, string>>();
        var nested = new Stack<Stack<string>>();
        nested.Push(words);
        for (int i = 0; i < 10; i++)
        {
            numbers.Push(i);
            words.Push(i.ToString());
            pairs.Push(new KeyValuePair<int, string>(i, "v"));
        }
        int total = numbers.Fold(0, (sum, n) =>
        {
            Count.Hit("Exact.Generics.Types.lambda#1(int, int)");
            return sum + n;
        });
        string text = words.Fold("", (all, word) =>
        {
            Count.Hit("Exact.Generics.Types.lambda#2(string, string)");
            return all + word;
        });
        var cursor = new Stack<string>.Cursor();
        cursor.Step(1);
        cursor.Step("a");
        Console.WriteLine($"{numbers.Pop()} {words.Pop()} {pairs.Pop().Key} {nested.Pop() == words} {total} {text}"
            + $" {Stack<int>.Made} {Stack<string>.Made} {cursor.Step(2.0)}");
    }

    private abstract class Visitor
    {
        public abstract string Visit<T>(T value);
    }

    private sealed class Namer : Visitor
    {
        public override string Visit<T>(T value)
        {
            Count.Hit("Exact.Generics.Namer.Visit<T>(T)");
            return typeof(T).Name + value;
        }
    }

    private interface IVisitor<in T>
    {
        int Accept(T value);
    }

    private sealed class Both : IVisitor<object>, IVisitor<int>
    {
        public int Accept(object value)
        {
            Count.Hit("Exact.Generics.Both.Accept(object)");
            return 1;
        }

        public int Accept(int value)
        {
            Count.Hit("Exact.Generics.Both.Accept(int)");
            return 2;
        }
    }

    private static int Through<TVisitor, T>(TVisitor visitor, T value) where TVisitor : IVisitor<T>
    {
        Count.Hit("Exact.Generics.Through<TVisitor, T>(TVisitor, T)");
        return visitor.Accept(value);
    }

    private static void Virtuals()
    {
        Count.Hit("Exact.Generics.Virtuals()");
        Count.Add("Exact.Generics.Namer..ctor()", 1);
        Count.Add("Exact.Generics.Visitor..ctor()", 1);
        Count.Add("Exact.Generics.Both..ctor()", 1);
        Visitor visitor = new Namer();
        string names = visitor.Visit(1) + visitor.Visit("s") + visitor.Visit('c') + visitor.Visit<object>("o");
        var both = new Both();
        IVisitor<string> narrowed = both;
        int sum = Through(both, 1) + Through<Both, object>(both, "x") + narrowed.Accept("y");
        Console.WriteLine($"{names} {sum}");
    }

    private interface IZero<TSelf> where TSelf : IZero<TSelf>
    {
        static abstract TSelf Zero();

        static virtual string Describe()
        {
            Count.Hit("Exact.Generics.IZero<TSelf>.Describe()");
            return "zero";
        }
    }

    private readonly struct Metre : IZero<Metre>
    {
        public static Metre Zero()
        {
            Count.Hit("Exact.Generics.Metre.Zero()");
            return default;
        }
    }

    private sealed class Word : IZero<Word>
    {
        public static Word Zero()
        {
            Count.Hit("Exact.Generics.Word.Zero()");
            return null;
        }

        public static string Describe()
        {
            Count.Hit("Exact.Generics.Word.Describe()");
            return "no word";
        }
    }

    private static string ZeroOf<T>() where T : IZero<T>
    {
        Count.Hit("Exact.Generics.ZeroOf<T>()");
        return T.Describe() + (T.Zero() == null);
    }

    private static T Total<T>(T[] numbers) where T : INumber<T>
    {
        Count.Hit("Exact.Generics.Total<T>(T[])");
        T total = T.Zero;
        foreach (T number in numbers)
        {
            total += number;
        }
        return total;
    }

    private static void StaticVirtuals()
    {
        Count.Hit("Exact.Generics.StaticVirtuals()");
        Console.WriteLine(FormattableString.Invariant(
            $"{ZeroOf<Metre>()} {ZeroOf<Word>()} {Total([1, 2, 3])} {Total([0.5, 0.25])}"));
    }
}
