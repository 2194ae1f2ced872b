// Recursion far deeper than `--depth` keeps, with many events after each call: an activation must continue correctly,
// whatever its callees did.
using System.Runtime.CompilerServices;

namespace Guest;

internal static class Depth
{
    private sealed class Box(int value)
    {
        public int Value = value;
        public Box? Next;
    }

    private readonly record struct Pair(int First, int Second);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int F(int n) { int x = n; if (n == 0) return 0; int y = F(n - 1); return x - n + y; }

    /// Twenty statements and values of several sizes behind the call.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long Much(int n)
    {
        if (n == 0)
        {
            return 0;
        }
        long below = Much(n - 1);
        int a = n;
        long b = a + below;
        double c = a * 0.5;
        decimal d = a;
        string e = "text";
        Box f = new(n);
        Pair g = new(a, n);
        byte h = (byte)n;
        f.Value = h;
        f.Next = f;
        a++;
        b++;
        c += 1;
        d += 1;
        e += a > 0 ? "" : "never";
        g = g with { First = a };
        h++;
        a += f.Next.Value;
        b += g.First + g.Second;
        return b - b + a - a + (long)(c - c) + (long)(d - d) + e.Length + h - h;
    }

    /// Two calls in each activation: the second begins where the first has been.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Tree(int n)
    {
        int before = n;
        if (n < 2)
        {
            return n;
        }
        int left = Tree(n - 1);
        int between = before;
        int right = Tree(n - 2);
        int after = between;
        return left + right + before - after;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Even(int n)
    {
        int x = n;
        int y = n == 0 ? 1 : Odd(n - 1);
        x += y;
        return x - n;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Odd(int n)
    {
        int x = n;
        int y = n == 0 ? 0 : Even(n - 1);
        x += y;
        return x - n;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Throwing(int n)
    {
        int x = n;
        try
        {
            if (n == 0)
            {
                throw new InvalidOperationException("at the bottom");
            }
            x += Throwing(n - 1);
        }
        catch (InvalidOperationException) when (n % 50 == 0)
        {
            x = 0;
        }
        finally
        {
            x += 1;
        }
        int y = x;
        return y;
    }

    private static async Task<int> Waiting(int n)
    {
        int x = n;
        if (n == 0)
        {
            await Task.Yield();
            return 0;
        }
        int y = await Waiting(n - 1);
        int z = x - n;
        return y + z;
    }

    private static IEnumerable<int> Nested(int n)
    {
        int x = n;
        yield return x;
        if (n > 0)
        {
            foreach (int each in Nested(n - 1))
            {
                int y = each;
                yield return y;
            }
        }
    }

    private static string All()
    {
        int sum = 0;
        foreach (int each in Nested(60))
        {
            sum += each;
        }
        return $"{F(500)} {Much(500)} {Tree(15)} {Even(400)} {Throwing(300)} {Waiting(200).GetAwaiter().GetResult()} {sum} {F(500)}";
    }

    /// On the first thread, then on several at once, then once more, so that memory that one corrupts is used by another.
    public static string Run()
    {
        List<string> told = [All()];
        for (int round = 0; round < 3; round++)
        {
            string[] results = new string[6];
            Thread[] threads = Enumerable.Range(0, results.Length).Select(i => new Thread(() => results[i] = All())).ToArray();
            Array.ForEach(threads, thread => thread.Start());
            Array.ForEach(threads, thread => thread.Join());
            told.AddRange(results);
        }
        told.Add(All());
        return string.Join('\n', told.Distinct()) + $"\n{told.Count} times";
    }
}
