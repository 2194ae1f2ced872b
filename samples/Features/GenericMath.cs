// Operators of type parameters.
using System.Numerics;

namespace Features;

internal static class GenericMath
{
    public static void Run()
    {
        int whole = Sum(1, 2);
        decimal money = Sum(1.5m, 2m);
        Console.WriteLine(FormattableString.Invariant($"{whole} {money}"));
    }

    private static T Sum<T>(T left, T right) where T : INumber<T>
    {
        T sum = left + right;
        return T.Max(sum, T.One);
    }
}
