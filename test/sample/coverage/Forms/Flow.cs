// Statements that leave, choose and repeat.
using System;
using System.Diagnostics.CodeAnalysis;

namespace Forms;

public static class Flow
{
    public static string Switch(object value)
    {
        switch (value)
        {
            case int n when n > 10:
                return "large";
            case int:
                return "int";
            case string { Length: 0 }:
                return "empty";
            case string s:
                return s;
            default:
                return "other";
        }
    }

    public static string Expression(Kind kind, int n) => kind switch
    {
        Kind.One => "one",
        Kind.Two when n > 5 => "many",
        Kind.Two => "two",
        _ => throw new ArgumentException("kind"),
    };

    public static int Nested(object value)
    {
        int result = value switch
        {
            int n => n > 3
                ? n
                : -n,
            string s => s switch
            {
                "a" => 1,
                _ => 2
            },
            _ => 0
        };
        return result;
    }

    public static int Loops(int n)
    {
        int sum = 0;
        for (int i = 0; i < n; i++)
        {
            if (i == 3)
                continue;
            if (i == 7)
                break;
            sum += i;
        }
        while (sum > 100) sum -= 10;
        do
        {
            sum++;
        } while (sum < 3);
        foreach (char c in "abc")
        {
            sum += c;
        }
        return sum;
    }

    public static int Try(int n)
    {
        int result = 0;
        try
        {
            result += Throws(n); result += 100;
            result += 1000;
        }
        catch (ArgumentException) when (n == 1)
        {
            result = 1;
        }
        catch (InvalidOperationException e)
        {
            result = e.Message.Length;
        }
        finally
        {
            result += 10;
        }
        return result;
    }

    private static int Throws(int n)
    {
        return n switch
        {
            1 => throw new ArgumentException(),
            2 => throw new InvalidOperationException("two"),
            _ => n
        };
    }

    [DoesNotReturn]
    private static void Fail()
    {
        throw new InvalidOperationException();
    }

    public static int AfterFail(int n)
    {
        if (n == 0)
        {
            Fail();
        }
        return n;
    }

    public static void OnlyFails()
    {
        Fail();
    }

    public static int Lock(object gate)
    {
        lock (gate)
        {
            return gate.GetHashCode() == 0 ? 1 : 2;
        }
    }

    public static int Goto(int n)
    {
        again:
        n--;
        if (n > 0)
            goto again;
        return n;
    }

    public static string? Nulls(string? a, string? b)
    {
        string? c = a ?? b;
        c ??= "c";
        return c?.Length > 3
            ? c?.ToUpperInvariant()
            : null;
    }

    public static unsafe int Fixed(int[] numbers)
    {
        checked
        {
            fixed (int* p = numbers)
            {
                return p[0] + p[1];
            }
        }
    }

    public static int Endless(int n)
    {
        while (true)
        {
            if (n++ > 5)
            {
                return n;
            }
        }
    }

    public static bool Const()
    {
        const bool off = false;
        if (off)
        {
            Console.WriteLine("never");
        }
        return !off;
    }

    public static Action<int> Returned()
    {
        int count = 0;
        return n => count += n;
    }
}
