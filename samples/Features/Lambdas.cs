// Lambdas with and without captured variables, one in another.
namespace Features;

internal static class Lambdas
{
    public static void Run()
    {
        int offset = 10;
        Func<int, int> add = n => n + offset;
        offset = 20;
        int sum = add(1);
        Func<int, Func<int, int>> curried = x => y => x * y + offset;
        sum += curried(2)(3);
        Func<int, int> square = static n => n * n;
        sum += square(4);
        Console.WriteLine(sum);
    }
}
