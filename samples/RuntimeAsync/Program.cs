// Methods of runtime async: they are suspended inside an await, and continue on any thread of the pool. `RuntimeAsync PART`, or
// `RuntimeAsync accept CALLS`.
using System.Runtime.CompilerServices;

namespace RuntimeAsync;

internal static class Program
{
    private static int leaves, handled;

    private static async Task<int> Main(string[] arguments)
    {
        string result = arguments[0] switch
        {
            "slow" => await Slow(),
            "stress" => await Stress(),
            "clients" => await Clients(),
            "accept" => Accept(arguments.Length > 1 ? int.Parse(arguments[1]) : 20_000),
            "thread" => EndedThread(),
            "generic" => await Generic("x") + await Generic(1) + await Generic((1, "y")) + Work(1),
            "refused" => Refusals.Refused(),
            "thrown" => await Thrown.All(),
            "lifetimes" => Lifetimes.All(),
            "entries" => await Entries.All(),
            "synchronous" => await Forward(3) + " " + await Guarded(4),
            _ => throw new ArgumentException(arguments[0]),
        };
        Console.WriteLine(result);
        Console.WriteLine("runtime async: success");
        return 0;
    }

    // Work is called after the method was suspended, and Main waits meanwhile.
    private static async Task<string> Slow()
    {
        await Task.Yield();
        Thread.Sleep(100);
        return Work(1);
    }

    private static string Work(int n)
    {
        int twice = n * 2;
        return twice.ToString();
    }

    private static async Task<int> Leaf(int k)
    {
        await Task.Yield();
        Interlocked.Increment(ref leaves);
        return k;
    }

    private static async Task<int> Middle(int k)
    {
        int sum = 0;
        for (int i = 0; i < 4; i++)
        {
            sum += await Leaf(k + i);
        }
        return sum;
    }

    private static async Task Bad(int k)
    {
        await Leaf(k);
        throw new InvalidOperationException("bad");
    }

    private static async Task<int> Caller()
    {
        int sum = 0;
        for (int i = 0; i < 200; i++)
        {
            sum += await Middle(i) & 15;
            try
            {
                await Bad(i);
            }
            catch (InvalidOperationException) when (Work(i).Length > 0)
            {
                sum++;
            }
        }
        return sum;
    }

    private static async Task<string> Stress()
    {
        int[] sums = await Task.WhenAll(Enumerable.Range(0, 16).Select(_ => Caller()));
        return $"{sums.Sum()} {leaves}";
    }

    private static async Task Client()
    {
        int sum = 0;
        for (int i = 0; i < 1000; i++)
        {
            sum += await Leaf(i);
        }
        Console.WriteLine(sum == 499_500 ? Work(sum) : "wrong");
    }

    private static async Task<string> Clients()
    {
        await Task.WhenAll(Enumerable.Range(0, 16).Select(_ => Task.Run(Client)));
        return "done";
    }

    private static async Task Handle(int k)
    {
        await Leaf(k);
        Note();
    }

    private static void Note() => Interlocked.Increment(ref handled);

    // One thread starts all calls; each is suspended and ends in the pool. At most 5,000 wait at once.
    private static string Accept(int count)
    {
        for (int left = count; left > 0; left -= 5000)
        {
            var all = new Task[Math.Min(left, 5000)];
            for (int i = 0; i < all.Length; i++)
            {
                all[i] = Handle(i);
            }
            Task.WaitAll(all);
        }
        if (Environment.GetEnvironmentVariable("PEAK_OUT") is string file)
        {
            File.WriteAllLines(file, File.ReadLines("/proc/self/status").Where(line => line.StartsWith("VmHWM")));
        }
        return $"{leaves} {handled}";
    }

    private static async Task Delayed()
    {
        await Task.Delay(50);
        int one = 1;
        one++;
        Console.WriteLine(Work(one));
    }

    // The thread that calls Delayed has ended when it continues.
    private static string EndedThread()
    {
        Task delayed = Task.CompletedTask;
        var thread = new Thread(() => delayed = Delayed());
        thread.Start();
        thread.Join();
        delayed.Wait();
        return "ended";
    }

    private static async Task<string> Generic<T>(T value)
    {
        await Task.Yield();
        T copy = value;
        return $"{copy}";
    }

    // Synchronous methods that return a task: awaited directly, the runtime compiles them as async methods, too.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Task<int> Forward(int k) => Leaf(k);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Task<int> Guarded(int k)
    {
        try
        {
            return Forward(k);
        }
        finally
        {
            Console.WriteLine(Work(k));
        }
    }
}
