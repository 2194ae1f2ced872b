// Iterators: the call that makes one, and each run of its body; early ends, finally blocks, nesting, generics.
namespace Exact;

internal static class Iterators
{
    public static void Run()
    {
        Count.Hit("Exact.Iterators.Run()");
        Count.Add("Exact.Iterators..cctor()", 1);
        Whole();
        Early();
        Failing();
        Console.WriteLine($"log {log}");
    }

    private static string log = "";

    private static void Say(string word)
    {
        Count.Hit("Exact.Iterators.Say(string)");
        log += word;
    }

    private static IEnumerable<int> Numbers(int count)
    {
        for (int i = 0; i < count; i++)
        {
            Count.Hit("Exact.Iterators.Numbers(int) (iterator)");
            yield return i;
        }
        Count.Hit("Exact.Iterators.Numbers(int) (iterator)");
    }

    private static IEnumerable<T> Twice<T>(IEnumerable<T> items)
    {
        foreach (T item in items)
        {
            Count.Hit("Exact.Iterators.Twice<T>(IEnumerable<T>) (iterator)");
            yield return item;
            Count.Hit("Exact.Iterators.Twice<T>(IEnumerable<T>) (iterator)");
            yield return item;
        }
        Count.Hit("Exact.Iterators.Twice<T>(IEnumerable<T>) (iterator)");
    }

    private static IEnumerable<int> Walk(int depth)
    {
        Count.Hit("Exact.Iterators.Walk(int) (iterator)");
        yield return depth;
        if (depth > 0)
        {
            Count.Add("Exact.Iterators.Walk(int)", 2);
            foreach (int left in Walk(depth - 1))
            {
                Count.Hit("Exact.Iterators.Walk(int) (iterator)");
                yield return left;
            }
            foreach (int right in Walk(depth - 1))
            {
                Count.Hit("Exact.Iterators.Walk(int) (iterator)");
                yield return right;
            }
        }
        Count.Hit("Exact.Iterators.Walk(int) (iterator)");
    }

    private static void Whole()
    {
        Count.Hit("Exact.Iterators.Whole()");
        Count.Add("Exact.Iterators.Numbers(int)", 3);
        Count.Add("Exact.Iterators.Twice<T>(IEnumerable<T>)", 2);
        Count.Add("Exact.Iterators.Walk(int)", 1);
        int sum = 0;
        foreach (int n in Numbers(10))
        {
            sum += n;
        }
        int twice = Twice(Numbers(5)).Sum();
        string words = string.Concat(Twice(new[] { "a", "b" }));
        IEnumerable<int> unused = Numbers(99);
        Console.WriteLine($"{sum} {twice} {words} {Walk(4).Count()} {unused != null}");
    }

    private static IEnumerable<string> Guarded()
    {
        Count.Hit("Exact.Iterators.Guarded() (iterator)");
        Say("[");
        try
        {
            yield return "one";
            Count.Hit("Exact.Iterators.Guarded() (iterator)");
            try
            {
                yield return "two";
                Count.Hit("Exact.Iterators.Guarded() (iterator)");
            }
            finally
            {
                Say("inner");
            }
            yield return "three";
            Count.Hit("Exact.Iterators.Guarded() (iterator)");
        }
        finally
        {
            Say("]");
        }
    }

    private static void Early()
    {
        Count.Hit("Exact.Iterators.Early()");
        Count.Add("Exact.Iterators.Guarded()", 3);
        foreach (string word in Guarded())
        {
            Say(word);
        }
        foreach (string word in Guarded())
        {
            Say(word);
            break;
        }
        Console.WriteLine(Guarded().Take(2).Last());
    }

    private static IEnumerable<int> Fails(int at)
    {
        try
        {
            for (int i = 0; ; i++)
            {
                Count.Hit("Exact.Iterators.Fails(int) (iterator)");
                if (i == at)
                {
                    Count.Thrown("Exact.Iterators.Fails(int) (iterator)");
                    throw new InvalidOperationException("at " + i);
                }
                yield return i;
            }
        }
        finally
        {
            Say("!");
        }
    }

    private static void Failing()
    {
        Count.Hit("Exact.Iterators.Failing()");
        Count.Add("Exact.Iterators.Fails(int)", 2);
        for (int at = 0; at < 4; at += 3)
        {
            try
            {
                foreach (int n in Fails(at))
                {
                    Say(n.ToString());
                }
            }
            catch (InvalidOperationException problem)
            {
                Console.WriteLine(problem.Message);
            }
        }
    }
}
