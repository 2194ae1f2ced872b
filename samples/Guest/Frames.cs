// Measures stack bytes per activation, for kinds of methods: each calls itself, and the innermost one reports its address.
using System.Runtime.CompilerServices;

namespace Guest;

internal static class Frames
{
    private const int Near = 10, Far = 60;

    private static long Bottom;
    private static object Shared = new();

    /// The innermost call of every measured method. The rest of the stack is the same for each.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static unsafe int Here()
    {
        int here;
        Bottom = (long)&here;
        return 0;
    }

    public static long BytesOf(Action<int> recurse)
    {
        recurse(Near);
        long near = Bottom;
        recurse(Far);
        return (near - Bottom) / (Far - Near);
    }

    private static int One(int n) => n == 0 ? Here() : n + One(n - 1);

    private static int Ifs20(int n, bool f)
    {
        int i = 0;
        if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++;
        if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++;
        return n == 0 ? i + Here() : i + Ifs20(n - 1, f);
    }

    public static int Ifs200(int n, bool f)
    {
        int i = 0;
        if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++;
        if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++;
        if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++;
        if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++;
        if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++;
        if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++;
        if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++;
        if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++;
        if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++;
        if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++;
        if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++;
        if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++;
        if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++;
        if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++;
        if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++;
        if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++;
        if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++;
        if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++;
        if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++;
        if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++; if (f) i++;
        return n == 0 ? i + Here() : i + Ifs200(n - 1, f);
    }

    /// Twenty locals of all kinds that live over the call.
    private static long Values20(int n, long x, double y, string z)
    {
        int a = n + 1; long b = x + a; double c = y + a; string d = z; object e = Shared;
        short f = (short)a; byte g = (byte)a; bool h = a > b; char i = (char)a; float j = a;
        int k = a + 2; long l = b + k; double m = c + k; string o = d; object p = e;
        uint q = (uint)a; ulong r = (ulong)b; decimal s = a; DateTime t = new(a); int[]? u = null;
        long below = n == 0 ? Here() : Values20(n - 1, x, y, z);
        return below + a + b + (long)c + d.Length + (e == p ? 1 : 0) + f + g + (h ? 1 : 0) + i + (long)j + k + l + (long)m
            + o.Length + q + (long)r + (long)s + t.Ticks + (u?.Length ?? 0);
    }

    private sealed class Cell
    {
        public int Number;
        public object? Thing;
        public Cell? Next;
        public Cell Self => this;
    }

    /// Chained assignments of fields and items, for which compilers duplicate the value on the stack.
    private static int Chains(int n, Cell cell, int[] items)
    {
        cell.Self.Self.Number = n; cell.Number++; cell.Self.Number += 2; items[0] = items[1] = n; items[n & 1]++;
        cell.Thing = cell.Next = cell; cell.Self.Next!.Thing ??= cell; cell.Number = items[0] = cell.Number + 1;
        cell.Self.Self.Number = n; cell.Number++; cell.Self.Number += 2; items[0] = items[1] = n; items[n & 1]++;
        cell.Thing = cell.Next = cell; cell.Self.Next!.Thing ??= cell; cell.Number = items[0] = cell.Number + 1;
        return n == 0 ? Here() : cell.Number - cell.Number + Chains(n - 1, cell, items);
    }

    private static int Calls20(int n)
    {
        int i = Two(n, 1); i += Two(i, 2); i += Two(i, 3); i += Two(i, 4); i += Two(i, 5);
        i = Two(Two(i, 6), Two(i, 7)); i = Two(Two(i, 8), Two(i, 9)); i += Two(Two(Two(i, 1), 2), 3);
        i += Two(i, i = Two(i, i)); i += Two(i, 1) > 3 ? Two(i, 2) : Two(i, 3); i += Two(i, 4);
        return n == 0 ? i + Here() : i + Calls20(n - 1);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Two(int a, int b) => a ^ b;

    private static int Handlers(int n)
    {
        int i = n;
        try
        {
            i++;
            i += n == 0 ? Here() : Handlers(n - 1);
        }
        catch (InvalidOperationException problem) when (problem.Message.Length > i)
        {
            i += problem.Message.Length;
        }
        catch (FormatException problem)
        {
            i -= problem.Message.Length;
        }
        finally
        {
            i--;
        }
        return i;
    }

    /// The call is in the handler: the runtime's own frames lie between two activations.
    private static int InFinally(int n)
    {
        int i = n;
        try
        {
            i++;
        }
        finally
        {
            i += n == 0 ? Here() : InFinally(n - 1);
        }
        return i;
    }

    private static int Generic<T>(int n, T value, List<T> values)
    {
        T other = value;
        values[0] = other;
        int i = n == 0 ? Here() : Generic(n - 1, other, values);
        return i + values.Count;
    }

    private struct Wide
    {
        public long A, B, C, D;
        public object? E;
    }

    private static Wide Structs(int n, Wide wide)
    {
        Wide other = wide;
        other.A += n;
        other.E = Shared;
        Wide result = n == 0 ? new Wide { A = Here() } : Structs(n - 1, other);
        result.B += other.A;
        return result;
    }

    /// Stores through references, of which the addresses are recorded.
    private static int References(int n, ref int at, int[] items)
    {
        ref int item = ref items[1];
        at = n; at++; at += 2; at = 3; at = n; at++; at += 2; at = 3; at = n; at++; at += 2; at = 3;
        item = n; item++; item += 2; item = 3; item = n; item++; item += 2; item = 3; item = n; item++; item += 2; item = 3;
        return n == 0 ? Here() : at - item + References(n - 1, ref item, items);
    }

    private struct Counter
    {
        private int Number;
        private object? Thing;

        public int Count(int n)
        {
            Number = n; Number++; Number += 2; Number = 3; Number = n; Number++; Number += 2; Number = 3; Thing = Shared;
            Number = n; Number++; Number += 2; Number = 3; Number = n; Number++; Number += 2; Number = 3; Thing ??= Shared;
            return n == 0 ? Here() : Number + Count(n - 1);
        }
    }

    /// Structs of the framework with references in them.
    private static int Tuples(int n, List<string> texts)
    {
        (string Name, object Thing) pair = (texts[0], Shared);
        KeyValuePair<string, object> entry = new(pair.Name, pair.Thing);
        foreach (string text in texts)
        {
            pair.Name = text;
        }
        return n == 0 ? Here() : entry.Key.Length - pair.Name.Length + Tuples(n - 1, texts);
    }

    /// Optimising compilers keep each tuple on the stack from one statement to the next.
    private static int OnStack(int n, int a, string s)
    {
        { var q = (a, s); s = q.Item2; } { var q = (a, s); s = q.Item2; } { var q = (a, s); s = q.Item2; } { var q = (a, s); s = q.Item2; }
        { var q = (a, s); s = q.Item2; } { var q = (a, s); s = q.Item2; } { var q = (a, s); s = q.Item2; } { var q = (a, s); s = q.Item2; }
        { var q = (a, s); s = q.Item2; } { var q = (a, s); s = q.Item2; } { var q = (a, s); s = q.Item2; } { var q = (a, s); s = q.Item2; }
        { var q = (a, s); s = q.Item2; } { var q = (a, s); s = q.Item2; } { var q = (a, s); s = q.Item2; } { var q = (a, s); s = q.Item2; }
        { var q = (a, s); s = q.Item2; } { var q = (a, s); s = q.Item2; } { var q = (a, s); s = q.Item2; } { var q = (a, s); s = q.Item2; }
        { var q = (a, s); s = q.Item2; } { var q = (a, s); s = q.Item2; } { var q = (a, s); s = q.Item2; } { var q = (a, s); s = q.Item2; }
        return n == 0 ? Here() : s.Length + OnStack(n - 1, a, s);
    }

    private static int Matrix(int n, int[,] items)
    {
        items[0, n & 1] = n; items[n & 1, 0] = 0; items[1, n & 1] = n; items[n & 1, 1] = 1;
        items[0, n & 1] = n; items[n & 1, 0] = 0; items[1, n & 1] = n; items[n & 1, 1] = 1;
        items[0, n & 1] = n; items[n & 1, 0] = 0; items[1, n & 1] = n; items[n & 1, 1] = 1;
        items[0, n & 1] = n; items[n & 1, 0] = 0; items[1, n & 1] = n; items[n & 1, 1] = 1;
        items[0, n & 1] = n; items[n & 1, 0] = 0; items[1, n & 1] = n; items[n & 1, 1] = 1;
        items[0, n & 1] = n; items[n & 1, 0] = 0; items[1, n & 1] = n; items[n & 1, 1] = 1;
        return n == 0 ? Here() : items[0, 0] + Matrix(n - 1, items);
    }

    private static int Loops(int n)
    {
        int i = 0;
        for (int k = 0; k < 3; k++)
        {
            i += k;
        }
        foreach (char each in "text")
        {
            i += each;
        }
        while (i > 100)
        {
            i -= 100;
        }
        return n == 0 ? Here() : i + Loops(n - 1);
    }

    private static int Locks(int n)
    {
        int i = n;
        lock (Shared)
        {
            i += n == 0 ? Here() : Locks(n - 1);
        }
        return i;
    }

    /// Runs to its end at once: each activation is the body's, the builder's and the method's own.
    private static async Task<int> Async(int n)
    {
        int i = n;
        int below = n == 0 ? Here() : await Async(n - 1);
        i += below;
        return i;
    }

    private static int Lambdas(int n)
    {
        int i = n;
        Func<int, int> next = m => { int k = m; i += k; return k == 0 ? Here() : Lambdas(k - 1); };
        return next(n) + i;
    }

    private static readonly (string Name, Action<int> Recurse)[] Kinds =
    [
        ("one", n => One(n)), ("ifs20", n => Ifs20(n, true)), ("ifs200", n => Ifs200(n, true)),
        ("values20", n => Values20(n, 1, 2, "three")), ("chains", n => Chains(n, new Cell(), new int[2])),
        ("calls20", n => Calls20(n)), ("handlers", n => Handlers(n)), ("infinally", n => InFinally(n)),
        ("generic_int", n => Generic(n, 1, [2])), ("generic_string", n => Generic(n, "one", ["two"])),
        ("structs", n => Structs(n, default)), ("references", n => { int at = 0; References(n, ref at, new int[2]); }),
        ("counter", n => new Counter().Count(n)), ("tuples", n => Tuples(n, ["one"])),
        ("onstack", n => OnStack(n, 1, "one")), ("matrix", n => Matrix(n, new int[2, 2])), ("loops", n => Loops(n)), ("locks", n => Locks(n)),
        ("async", n => Async(n).GetAwaiter().GetResult()), ("lambdas", n => Lambdas(n)),
    ];

    /// Calls until the JIT's background thread has been idle for a while.
    private static void Warm()
    {
        long compiled = 0;
        for (int round = 0, quiet = 0; quiet < 15 && round < 500; round++)
        {
            foreach ((_, Action<int> recurse) in Kinds)
            {
                recurse(30);
            }
            Thread.Sleep(20);
            long now = System.Runtime.JitInfo.GetCompiledMethodCount();
            quiet = now == compiled ? quiet + 1 : 0;
            compiled = now;
        }
    }

    /// `name bytes`, a line for each kind. With GUEST_WARM set, in the last tier.
    public static string Run()
    {
        if (Environment.GetEnvironmentVariable("GUEST_WARM") != null)
        {
            Warm();
        }
        return string.Join('\n', Kinds.Select(kind => $"{kind.Name} {BytesOf(kind.Recurse)}"));
    }
}
