// Variables that statements declare: of loops, using, catch, patterns, deconstruction, local functions; same names in scopes.
using System.Runtime.CompilerServices;

namespace Values;

internal static class Flow
{
    private sealed class Resource : IDisposable
    {
        public int Number { get; set; }

        public void Dispose()
        {
            Number = -1;
        }
    }

    private sealed class Refused : Exception
    {
        public Refused(string message, int code) : base(message)
        {
            Code = code; Oracle.Field("Code", Code);
        }

        public int Code { get; }
    }

    private record Shape(int Sides);

    private sealed record Square(int Side) : Shape(4);

    private ref struct Scope
    {
        public int Depth;

        public void Dispose()
        {
            Depth--; Oracle.Field("Depth", Depth);
        }
    }

    public static void Run()
    {
        Loops();
        Enumerations();
        Using();
        Catching();
        Filters();
        Finally();
        Patterns();
        Switches(3);
        Deconstruction();
        LocalFunctions();
        Scopes();
        Locks();
    }

    private static void Loops()
    {
        int i; for (i = 0, Oracle.Local("i", i); i < 3; i++, Oracle.Local("i", i))
        {
            int square = i * i; Oracle.Local("square", square);
        }
        int j, k; for (j = 0, k = 10, Said(j, k); j < k; j += 4, k -= 3, Said(j, k))
        {
            i = j; Oracle.Local("i", i);
        }
        while (i > 0)
        {
            i -= 3; Oracle.Local("i", i);
        }
        do
        {
            i += 2; Oracle.Local("i", i);
        }
        while (i < 4);
        again: i++; Oracle.Local("i", i);
        if (i < 8)
        {
            goto again;
        }
    }

    private static void Said(int j, int k, [CallerLineNumber] int line = 0)
    {
        Oracle.Local("j", j, line); Oracle.Local("k", k, line);
    }

    private static void Enumerations()
    {
        int[] numbers = { 1, 2 }; Oracle.Local("numbers", numbers);
        foreach (int number in numbers) { Oracle.Local("number", number); }
        var words = new List<string> { "a", null, "c" }; Oracle.Local("words", words);
        foreach (string word in words) { Oracle.Local("word", word); }
        foreach (char letter in "xy") { Oracle.Local("letter", letter); }
        var map = new SortedDictionary<int, string> { [1] = "one", [2] = "two" }; Oracle.Local("map", map);
        foreach (KeyValuePair<int, string> entry in map) { Oracle.Local("entry", entry); }
        foreach ((int key, string value) in map) { Oracle.Local("key", key); Oracle.Local("value", value); }
        foreach (object thing in new object[] { 1, "b", null }) { Oracle.Local("thing", thing); }
        foreach (Point point in new[] { new Point(1, 2), default }) { Oracle.Local("point", point); }
        foreach (int odd in numbers.Where(n => n % 2 == 1)) { Oracle.Local("odd", odd); }
    }

    private static void Using()
    {
        using (var resource = new Resource { Number = 1 }) { Oracle.Local("resource", resource);
            int number = resource.Number; Oracle.Local("number", number);
        }
        using var late = new Resource(); Oracle.Local("late", late);
        using (Resource none = null) { Oracle.Local("none", none);
        }
        using Scope scope = new() { Depth = 3 };
        int depth = scope.Depth; Oracle.Local("depth", depth);
    }

    private static void Catching()
    {
        try
        {
            throw new Refused("first", 1);
        }
        catch (Refused refused) { Oracle.Local("refused", refused);
            int code = refused.Code; Oracle.Local("code", code);
        }
        try
        {
            object nothing = null; Oracle.Local("nothing", nothing);
            nothing.ToString();
        }
        catch (Exception any) { Oracle.Local("any", any);
            string message = any.GetType().Name; Oracle.Local("message", message);
        }
        int n = 0; Oracle.Local("n", n);
        try
        {
            n = 1; Oracle.Local("n", n);
            n = Throwing(n); Oracle.Local("n", n);
        }
        catch (Refused)
        {
            n += 10; Oracle.Local("n", n);
        }
    }

    // The store that would follow the call is never reached.
    private static int Throwing(int n)
    {
        n++; Oracle.Local("n", n);
        throw new Refused("thrown", n);
    }

    private static void Filters()
    {
        for (int round = 0; round < 3; round++)
        {
            try
            {
                throw new Refused("filtered", round);
            }
            catch (Refused zero) when (Tell(zero, zero.Code == 0)) {
                int result = 100; Oracle.Local("result", result);
            }
            catch (Refused other) when (other.Code is int code and > 1) {
                int result = 200 + code; Oracle.Local("result", result);
            }
            catch (Refused) when (round == 1)
            {
                int result = 300; Oracle.Local("result", result);
            }
        }
    }

    private static bool Tell(Refused exception, bool answer)
    { Oracle.Argument("exception", exception); Oracle.Argument("answer", answer);
        Oracle.Result(answer); return answer;
    }

    private static void Finally()
    {
        int state = 0; Oracle.Local("state", state);
        try
        {
            try
            {
                state = 1; Oracle.Local("state", state);
                throw new Refused("inner", 5);
            }
            finally
            {
                state += 10; Oracle.Local("state", state);
            }
        }
        catch (Refused)
        {
            state += 100; Oracle.Local("state", state);
        }
        state = Early(true); Oracle.Local("state", state);
        state = Early(false); Oracle.Local("state", state);
    }

    private static int Early(bool early)
    {
        int result = 0; Oracle.Local("result", result);
        try
        {
            if (early)
            {
                return 1;
            }
            result = 2; Oracle.Local("result", result);
        }
        finally
        {
            result += 5; Oracle.Local("result", result);
        }
        return result;
    }

    private static void Patterns()
    {
        object[] things = { 5, "text", null, new Square(3), new[] { 1, 2, 3 }, 2.5 }; Oracle.Local("things", things);
        foreach (object thing in things)
        {
            if (thing is int number) { Oracle.Local("number", number); }
            if (thing is string text) { Oracle.Local("text", text); }
            if (thing is Square { Side: var side } square) { Oracle.Local("side", side); Oracle.Local("square", square); }
            if (thing is Shape(var sides)) { Oracle.Local("sides", sides); }
            if (thing is int[] and [var first, .., var last]) { Oracle.Local("first", first); Oracle.Local("last", last); }
            if (thing is int[] and [_, .. var rest]) { Oracle.Local("rest", rest); }
            if (thing is not (null or string) and var other) { Oracle.Local("other", other); }
        }
        var pair = (1, "one"); Oracle.Local("pair", pair);
        if (pair is (> 0, var word)) { Oracle.Local("word", word); }
        bool matches = pair is { Item1: 1 } and { Item2.Length: var length } && length == 3; Oracle.Local("matches", matches);
    }

    private static void Switches(object thing)
    {
        string kind = thing switch { int n when n > 2 => "large", int => "small", _ => "other" }; Oracle.Local("kind", kind);
        switch (thing)
        {
            case int number when number > 5:
                kind = "more"; Oracle.Local("kind", kind);
                break;
            case int number:
                kind += number; Oracle.Local("kind", kind);
                break;
            case string:
                kind = "text"; Oracle.Local("kind", kind);
                break;
        }
        switch (kind)
        {
            case "large3":
                kind = "third"; Oracle.Local("kind", kind);
                goto case "third";
            case "third":
                kind = "done"; Oracle.Local("kind", kind);
                break;
            default:
                kind = "unknown"; Oracle.Local("kind", kind);
                break;
        }
        int value = kind switch { "done" => 1, "third" => 2, _ => throw new InvalidOperationException() }; Oracle.Local("value", value);
        Colour colour = value switch { < 0 => Colour.Red, 1 => Colour.Blue, _ => Colour.Green }; Oracle.Local("colour", colour);
    }

    private static void Deconstruction()
    {
        var square = new Square(7); Oracle.Local("square", square);
        square.Deconstruct(out int side); Oracle.Local("side", side);
        (int x, int y) = new Vector(3, 4); Oracle.Local("x", x); Oracle.Local("y", y);
        (x, var rest) = (y, "rest"); Oracle.Local("x", x); Oracle.Local("rest", rest);
        int[] numbers = new int[2]; Oracle.Local("numbers", numbers);
        (numbers[0], numbers[1]) = (x, y + 1); Oracle.Item("[0]", numbers[0]); Oracle.Item("[1]", numbers[1]);
        (_, int only) = (1, 2); Oracle.Local("only", only);
        (string a, (int b, bool c)) = ("a", (1, true)); Oracle.Local("a", a); Oracle.Local("b", b); Oracle.Local("c", c);
    }

    private readonly struct Vector(int x, int y)
    {
        public void Deconstruct(out int first, out int second)
        {
            first = x; Oracle.Through("first", first);
            second = y; Oracle.Through("second", second);
        }
    }

    private static void LocalFunctions()
    {
        int outer = 1; Oracle.Local("outer", outer);
        int added = Add(2); Oracle.Local("added", added);
        static int Twice(int n)
        { Oracle.Argument("n", n);
            int twice = n + n; Oracle.Local("twice", twice);
            return twice;
        }
        int doubled = Twice(added); Oracle.Local("doubled", doubled);
        Change();

        int Add(int n)
        { Oracle.Argument("n", n);
            int sum = outer + n; Oracle.Local("sum", sum);
            return sum;
        }

        void Change()
        {
            outer += 10; Oracle.Local("outer", outer);
        }
    }

    private static void Scopes()
    {
        {
            int same = 1; Oracle.Local("same", same);
        }
        {
            string same = "one"; Oracle.Local("same", same);
        }
        for (int round = 0; round < 2; round++)
        {
            int fresh; if (round == 0)
            {
                fresh = 5; Oracle.Local("fresh", fresh);
            }
            else
            {
                fresh = 6; Oracle.Local("fresh", fresh);
            }
        }
        int one = 1, two = 2, three = one + two; Oracle.Local("one", one); Oracle.Local("two", two); Oracle.Local("three", three);
    }

    private static void Locks()
    {
        var gate = new object(); Oracle.Local("gate", gate);
        int inside = 0; Oracle.Local("inside", inside);
        lock (gate)
        {
            inside++; Oracle.Local("inside", inside);
        }
        checked { inside += 5; Oracle.Local("inside", inside); }
        unchecked { inside *= int.MaxValue; Oracle.Local("inside", inside); }
        int conditional = inside > 0 ? 1 : inside < 0 ? -1 : 0; Oracle.Local("conditional", conditional);
    }
}
