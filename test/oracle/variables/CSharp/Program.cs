// Every way in which the C# compiler keeps a variable of the source somewhere else, and constants of every kind.
using System.Runtime.CompilerServices;

class Primary(int captured, string unused)
{
    public int Automatic { get; set; } = 3;
    public int Checked { get; set => field = value < 0 ? 0 : value; }
    public event Action? Happened;
    private int _plain = captured;
    public int Sum() => captured + _plain + Automatic + Checked + (Happened == null ? 0 : 1);
}

class Generic<T>(T first)
{
    private readonly T kept = first;
    public IEnumerable<T> Repeat(int count)
    {
        for (int i = 0; i < count; i++)
        {
            T copy = kept;
            yield return copy;
        }
    }
    public Func<T, bool> Compare(T other) => candidate => Equals(candidate, other) || Equals(candidate, kept);
    public async Task<T> After(Task<T> task)
    {
        T result = await task;
        Func<T> both = () => Equals(result, kept) ? kept : result;
        await Task.Yield();
        return both();
    }
}

unsafe struct Buffer
{
    public fixed int Numbers[4];
}

static class Program
{
    static async Task<int> Hoisted(int parameter, string text)
    {
        int local = parameter + 1;
        (int first, (string second, int), int third) tuple = (1, (text, 2), 3);
        await Task.Delay(1);
        for (int i = 0; i < 2; i++)
        {
            int inner = i * local;
            await Task.Yield();
            local += inner;
        }
        for (int i = 0; i < 2; i++) // the same name once more
        {
            await Task.Yield();
            local += i;
        }
        using var stream = new MemoryStream();
        foreach (var item in new List<int> { 1, 2 })
        {
            await Task.Yield();
            local += item;
        }
        Func<int, int> captures = z => z + local + parameter;
        await Task.Yield();
        return captures(3) + tuple.first + tuple.Item2.second.Length;
    }

    static IEnumerable<int> Iterator(int count, string name)
    {
        for (int i = 0; i < count; i++)
        {
            int square = i * i;
            yield return square + name.Length;
        }
    }

    static async IAsyncEnumerable<int> AsyncIterator(int count, [EnumeratorCancellation] CancellationToken token = default)
    {
        for (int i = 0; i < count && !token.IsCancellationRequested; i++)
        {
            await Task.Yield();
            yield return i;
        }
    }

    static async void Forgotten(int seconds)
    {
        try
        {
            await Task.Delay(seconds);
        }
        catch (Exception exception) when (exception.Message.Length > seconds)
        {
            await Task.Yield();
            Console.WriteLine(exception);
        }
        finally
        {
            await Task.Yield();
        }
    }

    static int Closures(int argument)
    {
        int outer = argument;
        Func<int> first = () =>
        {
            int middle = outer + 1;
            Func<int> second = () => outer + middle + argument;
            return second();
        };
        int Local(int value)
        {
            int sum = value + outer;
            return sum + argument;
        }
        for (int i = 0; i < 3; i++)
        {
            int each = i;
            Func<int> third = () => each + outer;
            outer += third();
        }
        return first() + Local(2);
    }

    static async Task Chained(int argument)
    {
        int outer = argument;
        foreach (int element in new[] { 1, 2 })
        {
            int inner = element;
            Func<Task<int>> lambda = async () =>
            {
                int within = outer;
                await Task.Yield();
                return within + inner;
            };
            outer = await lambda();
        }
        lock (new object())
        {
            outer++;
        }
        if ((object)outer is int pattern && pattern > 3)
        {
            Console.WriteLine(pattern);
        }
        dynamic anything = outer;
        Console.WriteLine(anything);
        await foreach (var awaited in AsyncIterator(3))
        {
            Console.WriteLine(awaited);
        }
    }

    static string Constants()
    {
        const bool yes = true;
        const char letter = 'ä';
        const sbyte tiny = -1;
        const byte small = 255;
        const short shorter = -300;
        const ushort unsignedShort = 65000;
        const int number = -70000;
        const uint unsignedNumber = 4000000000;
        const long large = -5000000000;
        const ulong largest = ulong.MaxValue;
        const float single = 1.5f;
        const double twice = -0.1;
        const decimal money = -12.34m;
        const string text = "text ✓";
        const string empty = "";
        const string? nothing = null;
        const object? nobody = null;
        const DayOfWeek day = DayOfWeek.Friday;
        {
            const int number2 = 1;
            int used = number2 + number;
            return $"{yes}{letter}{tiny}{small}{shorter}{unsignedShort}{used}{unsignedNumber}{large}{largest}{single}" +
                   $"{twice}{money}{text}{empty}{nothing}{nobody}{day}";
        }
    }

    static int OtherFiles(int start)
    {
        int here = start;
#line 10 "generated/one.g.cs"
        here += 1;
#line 20 "generated/two.g.cs"
        here += 2;
#line hidden
        here += 3;
#line (5, 3) - (7, 9) 4 "generated/three.g.cs"
        here += 4;
#line default
        return here;
    }

    static unsafe int Spans()
    {
        Span<int> span = stackalloc int[3];
        ref int place = ref span[1];
        place = 5;
        Buffer buffer = default;
        fixed (int* pointer = span)
        {
            buffer.Numbers[0] = *pointer;
        }
        (int low, (int, string high) rest)[] ranges = [(1, (2, "x"))];
        List<dynamic> loose = [ranges[0].low];
        return span[1] + buffer.Numbers[0] + loose.Count;
    }

    static async Task Main()
    {
        Console.WriteLine(await Hoisted(3, "x"));
        foreach (var value in Iterator(3, "n"))
        {
            Console.WriteLine(value);
        }
        Console.WriteLine(Closures(4));
        await Chained(2);
        Forgotten(0);
        var anonymous = new { First = 1, Second = "x" };
        Console.WriteLine(new Primary(3, "").Sum() + anonymous.First + Constants().Length + OtherFiles(1) + Spans());
        var query = from n in new[] { 1, 2, 3 } let doubled = n * 2 where doubled > 2 select new { n, doubled };
        Console.WriteLine(query.Count());
        var generic = new Generic<string>("x");
        Console.WriteLine(generic.Repeat(2).Count() + (generic.Compare("y")("z") ? 1 : 0));
        Console.WriteLine(await generic.After(Task.FromResult("w")));
    }
}
