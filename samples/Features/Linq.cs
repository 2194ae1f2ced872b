// A query is calls and lambdas.
namespace Features;

internal static class Linq
{
    public static void Run()
    {
        int[] numbers = { 3, 1, 2 };
        var query = from number in numbers where number > 1 orderby number select number * 10;
        int first = query.First();
        int count = numbers.Count(n => n < 3);
        Console.WriteLine($"{first} {count}");
    }
}
