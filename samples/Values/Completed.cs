// What asynchronous methods return: at once or after a wait, through every builder.
using System.Runtime.CompilerServices;

namespace Values;

internal static class Completed
{
    private enum Colour : short { Red = 1, Blue = 300 }

    private struct Large
    {
        public long A, B, C, D;
        public string Name;
    }

    public static void Run()
    {
        foreach (bool waits in new[] { false, true })
        {
            All(waits).GetAwaiter().GetResult();
            Several(waits).GetAwaiter().GetResult();
            Generic<int>.Kept(7, waits).GetAwaiter().GetResult();
            Generic<string>.Kept("kept", waits).GetAwaiter().GetResult();
            Generic<Point>.Kept(new Point(3, 4), waits).GetAwaiter().GetResult();
            Generic<int?>.Kept(null, waits).GetAwaiter().GetResult();
            Pooled(waits).AsTask().GetAwaiter().GetResult();
            Lazy(waits).Value();
        }
        try
        {
            Fails(true).GetAwaiter().GetResult();
        }
        catch (InvalidOperationException)
        {
        }
    }

    private static async Task All(bool waits)
    {
        await Truth(waits);
        await Letter(waits);
        await Small(waits);
        await Whole(waits);
        await Long(waits);
        await Unsigned(waits);
        await Single(waits);
        await Double(waits);
        await Money(waits);
        await Text(waits);
        await Nothing(waits);
        await Moment(waits);
        await Member(waits);
        await Struct(waits);
        await LargeStruct(waits);
        await Array(waits);
        await Boxed(waits);
        await Tuple(waits);
        await Perhaps(waits);
        await None(waits);
        await List(waits);
        await Echo(waits, 5L);
        await Echo(waits, "echo");
        await Echo(waits, (1, "two"));
        Func<int, Task<int>> lambda = async n => { await Pause(waits); Oracle.Result(n + 1); return n + 1; };
        await lambda(3);
        int inner = await Inner(4); Oracle.Local("inner", inner);
        async Task<int> Inner(int n) { await Pause(waits); Oracle.Result(n * n); return n * n; }
    }

    private static async Task Pause(bool waits)
    {
        if (waits)
        {
            await Task.Yield();
        }
    }

    private static async Task<bool> Truth(bool waits) { await Pause(waits); Oracle.Result(true); return true; }
    private static async Task<char> Letter(bool waits) { await Pause(waits); Oracle.Result('x'); return 'x'; }
    private static async Task<sbyte> Small(bool waits) { await Pause(waits); Oracle.Result((sbyte)-5); return -5; }
    private static async Task<int> Whole(bool waits) { await Pause(waits); Oracle.Result(int.MinValue); return int.MinValue; }
    private static async Task<long> Long(bool waits) { await Pause(waits); Oracle.Result(1L << 40); return 1L << 40; }
    private static async ValueTask<ulong> Unsigned(bool waits) { await Pause(waits); Oracle.Result(ulong.MaxValue); return ulong.MaxValue; }
    private static async Task<float> Single(bool waits) { await Pause(waits); Oracle.Result(1.5f); return 1.5f; }
    private static async ValueTask<double> Double(bool waits) { await Pause(waits); Oracle.Result(-0.1); return -0.1; }
    private static async Task<decimal> Money(bool waits) { await Pause(waits); Oracle.Result(12.50m); return 12.50m; }
    private static async Task<string> Text(bool waits) { await Pause(waits); Oracle.Result("text"); return "text"; }
    private static async ValueTask<string> Nothing(bool waits) { await Pause(waits); Oracle.Result<string>(null); return null; }
    private static async Task<DateTime> Moment(bool waits) { await Pause(waits); Oracle.Result(DateTime.UnixEpoch); return DateTime.UnixEpoch; }
    private static async Task<Colour> Member(bool waits) { await Pause(waits); Oracle.Result(Colour.Blue); return Colour.Blue; }
    private static async Task<Point> Struct(bool waits) { await Pause(waits); Point point = new(1, 2); Oracle.Result(point); return point; }
    private static async Task<int[]> Array(bool waits) { await Pause(waits); int[] all = [1, 2]; Oracle.Result(all); return all; }
    private static async Task<object> Boxed(bool waits) { await Pause(waits); object box = 9; Oracle.Result(box); return box; }
    private static async Task<int?> Perhaps(bool waits) { await Pause(waits); Oracle.Result<int?>(6); return 6; }
    private static async ValueTask<double?> None(bool waits) { await Pause(waits); Oracle.Result<double?>(null); return null; }
    private static async Task<List<int>> List(bool waits) { await Pause(waits); List<int> list = [8]; Oracle.Result(list); return list; }
    private static async Task<T> Echo<T>(bool waits, T value) { await Pause(waits); Oracle.Result(value); return value; }

    private static async Task<Large> LargeStruct(bool waits)
    {
        await Pause(waits);
        Large large = new() { A = 1, B = 2, C = 3, D = 4, Name = "large" };
        Oracle.Result(large); return large;
    }

    private static async Task<(int Count, string Name)> Tuple(bool waits)
    {
        await Pause(waits);
        Oracle.Tuple("return", (2, "b"), "Count Name"); return (2, "b");
    }

    // Two statements return.
    private static async Task<int> Several(bool waits)
    {
        if (!waits)
        {
            Oracle.Result(1); return 1;
        }
        await Pause(waits);
        Oracle.Result(2); return 2;
    }

    private static async Task<int> Fails(bool waits)
    {
        await Pause(waits);
        throw new InvalidOperationException();
    }

    private static class Generic<T>
    {
        public static async Task<T> Kept(T value, bool waits) { await Pause(waits); Oracle.Result(value); return value; }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private static async ValueTask<string> Pooled(bool waits) { await Pause(waits); Oracle.Result("pooled"); return "pooled"; }

    private static async Later<short> Lazy(bool waits) { await Pause(waits); Oracle.Result((short)77); return 77; }

    // A task of the program's own.
    [AsyncMethodBuilder(typeof(LaterBuilder<>))]
    private readonly struct Later<T>(Task<T> task)
    {
        public T Value() => task.GetAwaiter().GetResult();
    }

    private struct LaterBuilder<T>
    {
        private AsyncTaskMethodBuilder<T> within;

        public Later<T> Task => new(within.Task);

        public static LaterBuilder<T> Create() => new() { within = AsyncTaskMethodBuilder<T>.Create() };

        public void Start<TMachine>(ref TMachine machine) where TMachine : IAsyncStateMachine => within.Start(ref machine);

        public void SetStateMachine(IAsyncStateMachine machine) => within.SetStateMachine(machine);

        public void SetResult(T result) => within.SetResult(result);

        public void SetException(Exception exception) => within.SetException(exception);

        public void AwaitOnCompleted<TAwaiter, TMachine>(ref TAwaiter awaiter, ref TMachine machine)
            where TAwaiter : INotifyCompletion where TMachine : IAsyncStateMachine => within.AwaitOnCompleted(ref awaiter, ref machine);

        public void AwaitUnsafeOnCompleted<TAwaiter, TMachine>(ref TAwaiter awaiter, ref TMachine machine)
            where TAwaiter : ICriticalNotifyCompletion where TMachine : IAsyncStateMachine => within.AwaitUnsafeOnCompleted(ref awaiter, ref machine);
    }
}
