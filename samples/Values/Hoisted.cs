// Locals of iterators and of asynchronous methods: fields of the compiler's, under their own names.
namespace Values;

internal static class Hoisted
{
    private sealed class Door : IAsyncDisposable
    {
        public int State;

        public async ValueTask DisposeAsync()
        {
            State = 1; Oracle.Field("State", State);
            await Task.Yield();
            State = 2; Oracle.Field("State", State);
        }
    }

    public static void Run()
    {
        Iterators();
        Asynchronous(3).GetAwaiter().GetResult();
        Streams().GetAwaiter().GetResult();
    }

    private static void Iterators()
    {
        int sum = 0; Oracle.Local("sum", sum);
        foreach (int n in Numbers(3)) { Oracle.Local("n", n);
            sum += n; Oracle.Local("sum", sum);
        }
        foreach (string word in Words("a", new Point(1, 2))) { Oracle.Local("word", word); }
        using IEnumerator<int> abandoned = Numbers(5).GetEnumerator(); Oracle.Local("abandoned", abandoned);
        bool moved = abandoned.MoveNext(); Oracle.Local("moved", moved);
    }

    private static IEnumerable<int> Numbers(int count)
    {
        int before = 0; Oracle.Local("before", before);
        try
        {
            int i; for (i = 1, Oracle.Local("i", i); i <= count; i++, Oracle.Local("i", i))
            {
                int between = before + i; Oracle.Local("between", between);
                yield return between;
                before = between; Oracle.Local("before", before);
            }
        }
        finally
        {
            before = -1; Oracle.Local("before", before);
        }
        count = 0; Oracle.Local("count", count);
    }

    private static IEnumerable<string> Words(string text, Point point)
    {
        point.X++; Oracle.Field("X", point.X);
        int? perhaps = null; Oracle.Local("perhaps", perhaps);
        yield return text;
        perhaps = point.X; Oracle.Local("perhaps", perhaps);
        text += perhaps; Oracle.Local("text", text);
        point = new Point(8, 9); Oracle.Local("point", point);
        yield return text;
        foreach (char letter in text) { Oracle.Local("letter", letter);
            yield return letter.ToString();
        }
        decimal money = point.Y; Oracle.Local("money", money);
        yield return null;
        money += 0.5m; Oracle.Local("money", money);
    }

    private static async Task<int> Asynchronous(int count)
    {
        int sum = 0; Oracle.Local("sum", sum);
        string text = "start"; Oracle.Local("text", text);
        Point point = new(1, 1); Oracle.Local("point", point);
        (int Low, int High) range = (0, count); Oracle.Tuple("range", range, "Low High");
        int i; for (i = 0, Oracle.Local("i", i); i < count; i++, Oracle.Local("i", i))
        {
            await Task.Yield();
            int got = await Later(i); Oracle.Local("got", got);
            sum += got; Oracle.Local("sum", sum);
            point.Y = sum; Oracle.Field("Y", point.Y);
        }
        count--; Oracle.Local("count", count);
        try
        {
            text = await Failing(count); Oracle.Local("text", text);
        }
        catch (InvalidOperationException problem) when (problem.Message == "2")
        {
            await Task.Yield();
            text = "caught"; Oracle.Local("text", text);
        }
        finally
        {
            sum = -sum; Oracle.Local("sum", sum);
        }
        range.High = sum; Oracle.Field("High", range.High);
        int[] all = await Task.WhenAll(Later(1)); Oracle.Local("all", all);
        Func<Task<int>> lambda = async () => { await Task.Yield(); sum += all[0]; Oracle.Local("sum", sum); return sum; };
        int last = await lambda(); Oracle.Local("last", last);
        return last;
    }

    private static async Task<int> Later(int n)
    {
        int twice = 2 * n; Oracle.Local("twice", twice);
        await Task.Yield();
        twice++; Oracle.Local("twice", twice);
        return twice;
    }

    private static async Task<string> Failing(int code)
    {
        await Task.Yield();
        string message = code.ToString(); Oracle.Local("message", message);
        throw new InvalidOperationException(message);
    }

    private static async Task Streams()
    {
        long total = 0; Oracle.Local("total", total);
        await foreach (long item in Stream(2)) { Oracle.Local("item", item);
            total += item; Oracle.Local("total", total);
        }
        await using (var door = new Door()) { Oracle.Local("door", door);
            total++; Oracle.Local("total", total);
        }
        double value = await Value(1.5); Oracle.Local("value", value);
    }

    private static async IAsyncEnumerable<long> Stream(int count)
    {
        long power = 1; Oracle.Local("power", power);
        while (count > 0)
        {
            await Task.Yield();
            power *= 1000; Oracle.Local("power", power);
            yield return power;
            count--; Oracle.Local("count", count);
        }
    }

    private static async ValueTask<double> Value(double input)
    {
        input *= 2; Oracle.Local("input", input);
        await Task.Yield();
        return input;
    }
}
