// Measures the cost of an ordinary call, of an async call that completes at once, of one that waits once and is resumed on the
// same thread, and of a collection while many wait. bench/run compares the times with and without clew.
// Usage: Awaits CALLS REPETITIONS
using System.Diagnostics;
using System.Runtime.CompilerServices;

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

static class Awaits
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Add(int a, int b) => a + b;

#pragma warning disable CS1998 // it completes at once
    static async ValueTask<int> AddAsync(int a, int b) => a + b;
#pragma warning restore CS1998

    static async Task<int> WaitAsync(Gate gate, int a)
    {
        await gate;
        return a;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Call(int calls)
    {
        int sum = 0;
        for (int i = 0; i < calls; i++)
        {
            sum = Add(sum, i);
        }
        return sum;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int CallAsync(int calls)
    {
        int sum = 0;
        for (int i = 0; i < calls; i++)
        {
            sum = AddAsync(sum, i).Result;
        }
        return sum;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int CallAndWait(Gate gate, int calls)
    {
        int sum = 0;
        for (int i = 0; i < calls; i++)
        {
            Task<int> task = WaitAsync(gate, i);
            gate.Open();
            sum += task.Result;
        }
        return sum;
    }

    static int Collect(int collections)
    {
        for (int i = 0; i < collections; i++)
        {
            GC.Collect(0, GCCollectionMode.Forced, blocking: true);
        }
        return collections;
    }

    static string Best(string name, int repetitions, int calls, Func<int> work)
    {
        double best = double.MaxValue;
        for (int i = 0; i < repetitions; i++)
        {
            var watch = Stopwatch.StartNew();
            work();
            best = Math.Min(best, watch.Elapsed.TotalNanoseconds / calls);
        }
        return FormattableString.Invariant($"{name} {best:F3}");
    }

    static void Main(string[] arguments)
    {
        int calls = int.Parse(arguments[0]), repetitions = int.Parse(arguments[1]);
        var gate = new Gate();
        for (int i = 0; i < 3; i++)
        {
            Call(100_000);
            CallAsync(100_000);
            CallAndWait(gate, 100_000);
            Thread.Sleep(200); // the tiers are compiled in the background
        }
        Console.WriteLine(Best("call_ns", repetitions, calls, () => Call(calls)));
        Console.WriteLine(Best("at_once_ns", repetitions, calls, () => CallAsync(calls)));
        Console.WriteLine(Best("waits_ns", repetitions, calls, () => CallAndWait(gate, calls)));
        var gates = new Gate[10_000];
        var waiting = new Task<int>[gates.Length];
        for (int i = 0; i < gates.Length; i++)
        {
            waiting[i] = WaitAsync(gates[i] = new Gate(), i);
        }
        GC.Collect();
        Console.WriteLine(Best("collection_ns", repetitions, 300, () => Collect(300)));
        GC.KeepAlive(waiting);
    }
}
