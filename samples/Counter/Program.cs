// The smallest of the four programs of the detailed trace's paper: sums 1..10000, each addition in a method of its own, and
// prints a dot a step. `Counter [LIMIT [ROUNDS]]` sums less, or more often.
namespace Counter;

internal static class Program
{
    private static int Main(string[] args)
    {
        int limit = args.Length > 0 ? int.Parse(args[0]) : 10_000;
        int rounds = args.Length > 1 ? int.Parse(args[1]) : 1;
        for (int round = 1; round <= rounds; round++)
        {
            int sum = Sum(limit);
            Console.WriteLine();
            Console.WriteLine($"sum {sum}");
        }
        Console.WriteLine("counter: success");
        return 0;
    }

    private static int Sum(int limit)
    {
        int sum = 0;
        for (int step = 1; step <= limit; step++)
        {
            sum = Add(sum, step);
            Console.Write('.');
        }
        return sum;
    }

    private static int Add(int left, int right)
    {
        int result = left + right;
        return result;
    }
}
