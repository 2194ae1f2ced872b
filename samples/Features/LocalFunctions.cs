// Functions within a function: capturing, static, recursive, iterating.
namespace Features;

internal static class LocalFunctions
{
    public static void Run()
    {
        int total = 0;
        Add(2);
        Add(Factorial(3));
        foreach (int number in Twice(5))
        {
            Add(number);
        }
        Console.WriteLine(total);

        void Add(int number)
        {
            total += number;
        }

        static int Factorial(int n)
        {
            return n < 2 ? 1 : n * Factorial(n - 1);
        }

        IEnumerable<int> Twice(int number)
        {
            yield return number;
            yield return number + total;
        }
    }
}
