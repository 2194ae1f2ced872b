// Implicit, explicit and default implementations; static abstract ones.
namespace Features;

internal static class Interfaces
{
    private interface IShape
    {
        static abstract string Kind { get; }

        int Area();

        int Twice()
        {
            return 2 * Area();
        }
    }

    private sealed class Square(int side) : IShape, IComparable
    {
        public static string Kind => "square";

        public int Area()
        {
            return side * side;
        }

        int IComparable.CompareTo(object other)
        {
            return side;
        }
    }

    public static void Run()
    {
        IShape shape = new Square(3);
        int twice = shape.Twice();
        int order = ((IComparable)shape).CompareTo(null);
        string kind = KindOf<Square>();
        Console.WriteLine($"{twice} {order} {kind}");
    }

    private static string KindOf<T>() where T : IShape
    {
        return T.Kind;
    }
}
