// Functions within functions, and statements of several lines that contain others.
using System;
using System.Collections.Generic;
using System.Linq;

namespace Forms;

public static class Functions
{
    private static readonly Func<int, int> Kept = x => x + 1;
    private static readonly Func<int, int> NeverCalled = x =>
    {
        return x + 2;
    };

    public static int Lambdas(int limit)
    {
        int captured = 3;
        return Enumerable.Range(0, limit)
            .Where(x =>
            {
                if (x > 1000)
                {
                    return false;
                }
                return x % 2 == 0;
            })
            .Select(x => x * captured)
            .Sum();
    }

    public static int NeverWithin()
    {
        Func<int, int> never = x =>
        {
            return x;
        };
        Action<string> neither = delegate(string s)
        {
            Console.WriteLine(s);
        };
        return never is null || neither is null ? 1 : Kept(2);
    }

    public static int Local(int n)
    {
        return Fact(n) + Static(n);

        int Fact(int k)
        {
            if (k <= 1)
            {
                return n > 0 ? 1 : 0;
            }
            return k * Fact(k - 1);
        }

        static int Static(int k) => k + 1;

        int Unused(int k)
        {
            return k - n;
        }
    }

    public static string Long(
        string first,
        string second)
    {
        return string.Concat(
            first,
            "-",
            second.Length > 0
                ? second
                : "none");
    }

    public static List<int> Query(int[] numbers)
    {
        var query = from n in numbers
                    where n > 1
                    orderby n descending
                    select n * 2;
        return query.ToList();
    }

    public static Dictionary<string, int> Initialiser()
    {
        return new Dictionary<string, int>
        {
            ["one"] = 1,
            ["two"] = 2,
        };
    }
}
