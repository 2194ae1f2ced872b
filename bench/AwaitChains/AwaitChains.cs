// Measures awaits: nanoseconds, and the bytes that the measuring thread allocates, of a call or of each level of a chain of ten calls
// that await each other. Prints the shortest of many short repetitions, so other load on the machine changes little.
// Usage: AwaitChains REPETITIONS
using System.Diagnostics;
using System.Runtime.CompilerServices;

#pragma warning disable CS1998 // some go on at once

// Something to wait for that opens when the program says so.
sealed class Gate : INotifyCompletion
{
    Action? waiting;

    public Gate GetAwaiter() => this;
    public bool IsCompleted => false;
    public void GetResult() { }
    public void OnCompleted(Action continuation) => waiting = continuation;

    public void Open()
    {
        Action continuation = waiting!;
        waiting = null;
        continuation();
    }
}

static class AwaitChains
{
    const int Deep = 10;

    static readonly Task done = Task.CompletedTask;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Add(int a, int b) => a + b;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static async Task<int> AwaitNothing(int a) => a + 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static async Task<int> AwaitDone(int a)
    {
        await done;
        return a + 1;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static async Task<int> GoDown(int levels) => levels == 1 ? 1 : await GoDown(levels - 1) + 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static async Task<int> Wait(Gate gate)
    {
        await gate;
        return 1;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static async Task<int> GoDownAndWait(int levels, Gate gate) =>
        levels == 2 ? await Wait(gate) + 1 : await GoDownAndWait(levels - 1, gate) + 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static async Task<int> Fail(Gate gate)
    {
        await gate;
        throw new InvalidOperationException();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static async Task<int> GoDownAndFail(int levels, Gate gate) =>
        levels == 2 ? await Fail(gate) : await GoDownAndFail(levels - 1, gate);

    static int Call(int calls)
    {
        int sum = 0;
        for (int i = 0; i < calls; i++)
        {
            sum = Add(sum, i);
        }
        return sum;
    }

    static async Task<int> CallNothing(int calls)
    {
        int sum = 0;
        for (int i = 0; i < calls; i++)
        {
            sum = await AwaitNothing(sum);
        }
        return sum;
    }

    static async Task<int> CallDone(int calls)
    {
        int sum = 0;
        for (int i = 0; i < calls; i++)
        {
            sum = await AwaitDone(sum);
        }
        return sum;
    }

    static async Task<int> CallDown(int calls)
    {
        int sum = 0;
        for (int i = 0; i < calls; i++)
        {
            sum += await GoDown(Deep);
        }
        return sum;
    }

    static int CallAndWait(int calls, Func<Gate, Task<int>> start)
    {
        var gate = new Gate();
        int waited = 0;
        for (int i = 0; i < calls; i++)
        {
            Task<int> task = start(gate);
            gate.Open();
            waited += task.IsCompleted ? 1 : 0;
        }
        return waited;
    }

    static void Measure(string name, int repetitions, int calls, int levels, Func<int, int> work)
    {
        work(calls);
        double best = double.MaxValue, bytes = 0;
        for (int i = 0; i < repetitions; i++)
        {
            long allocated = GC.GetAllocatedBytesForCurrentThread();
            var watch = Stopwatch.StartNew();
            work(calls);
            best = Math.Min(best, watch.Elapsed.TotalNanoseconds / calls / levels);
            bytes = (double)(GC.GetAllocatedBytesForCurrentThread() - allocated) / calls / levels;
        }
        Console.WriteLine(FormattableString.Invariant($"{name}_ns {best:F3}"));
        Console.WriteLine(FormattableString.Invariant($"{name}_bytes {bytes:F3}"));
    }

    static void Main(string[] arguments)
    {
        int repetitions = int.Parse(arguments[0]);
        Measure("call", repetitions, 500_000, 1, Call);
        Measure("nothing", repetitions, 200_000, 1, calls => CallNothing(calls).Result);
        Measure("done", repetitions, 200_000, 1, calls => CallDone(calls).Result);
        Measure("deep", repetitions, 20_000, Deep, calls => CallDown(calls).Result);
        Measure("waits", repetitions, 10_000, 1, calls => CallAndWait(calls, Wait));
        Measure("deep_waits", repetitions, 2_000, Deep, calls => CallAndWait(calls, gate => GoDownAndWait(Deep, gate)));
        Measure("fails", repetitions, 100, 1, calls => CallAndWait(calls, Fail));
        Measure("deep_fails", repetitions, 20, Deep, calls => CallAndWait(calls, gate => GoDownAndFail(Deep, gate)));
    }
}
