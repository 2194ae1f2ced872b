// Which objects of a suspended method a collection finds alive: while it is suspended, and after it continued.
using System.Runtime.CompilerServices;

namespace RuntimeAsync;

internal static class Lifetimes
{
    private static readonly List<(string, WeakReference)> watched = [];
    private static readonly bool never = Environment.TickCount64 < 0;

    private sealed class Gate : ICriticalNotifyCompletion
    {
        private Action? waiting;

        public Gate GetAwaiter() => this;

        public bool IsCompleted => false;

        public void OnCompleted(Action goOn) => waiting = goOn;

        public void UnsafeOnCompleted(Action goOn) => waiting = goOn;

        public void GetResult()
        {
        }

        public void Open()
        {
            Action goOn = waiting!;
            waiting = null;
            goOn();
        }
    }

    private sealed class Thing
    {
        public int Number;

        public Thing Self => this;
    }

    private struct Holder
    {
        public Thing One, Other;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Thing Watch(string name)
    {
        var thing = new Thing { Number = watched.Count };
        watched.Add((name, new WeakReference(thing)));
        return thing;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Use(Thing thing) => thing.Number;

    private static async Task<int> DeadBefore(Gate gate)
    {
        Thing dead = Watch("dead before the await");
        int sum = Use(dead);
        await gate;
        Show("dead before, in the method");
        return sum;
    }

    private static async Task<int> LiveAfter(Gate gate)
    {
        Thing live = Watch("live after the await");
        await gate;
        Show("live after, before its last use");
        int sum = Use(live);
        Show("live after, after its last use");
        return sum;
    }

    private static async Task<int> Argument(Gate gate, Thing dead, Thing live)
    {
        int sum = Use(dead);
        await gate;
        Show("arguments, before the last use");
        return sum + Use(live);
    }

    private static async Task<int> Temporaries(Gate gate)
    {
        int sum = Use(Watch("temporary of a call").Self) + Watch("temporary of a field").Number;
        sum += Use(Watch("on the evaluation stack")) + await Later(gate) + Use(Watch("temporary after"));
        Show("temporaries");
        return sum;
    }

    private static async Task<int> Later(Gate gate)
    {
        await gate;
        return 1;
    }

    private static async Task<int> Fields(Gate gate)
    {
        var holder = new Holder { One = Watch("field of a struct, dead"), Other = Watch("field of a struct, live") };
        int sum = Use(holder.One);
        await Later(gate);
        Show("fields of a struct");
        return sum + Use(holder.Other);
    }

    private static async Task<int> Captured(Gate gate)
    {
        Thing captured = Watch("captured");
        Func<int> later = () => Use(captured);
        int sum = later();
        await gate;
        Show("captured");
        return sum;
    }

    private static async Task<int> Cleared(Gate gate)
    {
        Thing? cleared = Watch("cleared");
        int sum = Use(cleared);
        cleared = null;
        await gate;
        Show("cleared");
        return sum + (cleared == null ? 1 : 0);
    }

    private static async Task<int> InFinally(Gate gate)
    {
        Thing kept = Watch("used in a finally"), removable = Watch("used in a removable finally");
        int sum = 0;
        try
        {
            try
            {
                await gate;
                Show("finally");
            }
            finally
            {
                if (never)
                {
                    sum += Use(removable);
                }
            }
        }
        finally
        {
            sum += Use(kept);
        }
        return sum;
    }

    private static async Task<int> Loop(Gate gate)
    {
        int sum = 0;
        for (int i = 0; i < 3; i++)
        {
            Thing round = Watch($"round {i}");
            sum += Use(round);
            await gate;
            Show($"round {i}");
        }
        return sum;
    }

    private static async ValueTask<T> Generic<T>(Gate gate, T value)
    {
        T copy = value;
        await gate;
        Show("generic");
        return copy;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Show(string where)
    {
        for (int i = 0; i < 2; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
        Console.WriteLine($"{where}: " + string.Join(", ", watched.Select(one => $"{one.Item1} {(one.Item2.IsAlive ? "lives" : "is dead")}")));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Task Started(int number, Gate gate) => number switch
    {
        0 => DeadBefore(gate),
        1 => LiveAfter(gate),
        2 => Argument(gate, Watch("argument, dead"), Watch("argument, live")),
        3 => Temporaries(gate),
        4 => Fields(gate),
        5 => Captured(gate),
        6 => Cleared(gate),
        7 => InFinally(gate),
        8 => Loop(gate),
        _ => Generic(gate, Watch("generic")).AsTask(),
    };

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void One(int number)
    {
        watched.Clear();
        var gate = new Gate();
        Task task = Started(number, gate);
        while (!task.IsCompleted)
        {
            Show("suspended");
            gate.Open();
        }
        task.GetAwaiter().GetResult();
        Show("ended");
    }

    public static string All()
    {
        if (Tiers.AreAwaited)
        {
            TextWriter output = Console.Out;
            Console.SetOut(TextWriter.Null);
            var tiers = new Tiers();
            do
            {
                for (int i = 0; i < 100; i++)
                {
                    One(i % 10);
                }
            }
            while (!tiers.Settled());
            Console.SetOut(output);
        }
        for (int i = 0; i < 10; i++)
        {
            One(i);
        }
        return "lifetimes";
    }
}
