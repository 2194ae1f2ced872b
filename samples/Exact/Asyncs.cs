// Async methods: the call that starts one, and each run of its body. Yield always suspends, a finished task never does, so
// the number of runs is known. Streams, value tasks, exceptions into tasks, async lambdas, async void.
using System.Runtime.CompilerServices;

namespace Exact;

internal static class Asyncs
{
    public static void Run()
    {
        Count.Hit("Exact.Asyncs.Run()");
        Console.WriteLine($"sum {Sum(10).GetAwaiter().GetResult()}");
        Console.WriteLine($"finished {Finished(3).Result} {FinishedValue(4).Result}");
        Console.WriteLine($"tree {Tree(5).GetAwaiter().GetResult()}");
        Faults().GetAwaiter().GetResult();
        Streams().GetAwaiter().GetResult();
        Together().GetAwaiter().GetResult();
        Lambdas().GetAwaiter().GetResult();
        Voids();
    }

    private static async Task<int> Sum(int count)
    {
        Count.Hit("Exact.Asyncs.Sum(int)");
        Count.Hit("Exact.Asyncs.Sum(int) (async)");
        int sum = 0;
        for (int i = 0; i < count; i++)
        {
            await Task.Yield();
            Count.Hit("Exact.Asyncs.Sum(int) (async)");
            sum += i;
        }
        return sum;
    }

    private static async Task<int> Finished(int n)
    {
        Count.Hit("Exact.Asyncs.Finished(int)");
        Count.Hit("Exact.Asyncs.Finished(int) (async)");
        return n + await Task.FromResult(1) + await FinishedValue(n);
    }

    private static async ValueTask<int> FinishedValue(int n)
    {
        Count.Hit("Exact.Asyncs.FinishedValue(int)");
        Count.Hit("Exact.Asyncs.FinishedValue(int) (async)");
        await Task.CompletedTask;
        return n;
    }

    // Always suspends, even if the task has already ended, and continues on the pool.
    private readonly struct Always(Task task) : INotifyCompletion
    {
        private readonly Task task = task;

        public Always GetAwaiter()
        {
            Count.Hit("Exact.Asyncs.Always.GetAwaiter()");
            return this;
        }

        public bool IsCompleted
        {
            get
            {
                Count.Hit("Exact.Asyncs.Always.IsCompleted.get()");
                return false;
            }
        }

        public void OnCompleted(Action goOn)
        {
            Count.Hit("Exact.Asyncs.Always.OnCompleted(Action)");
            task.ContinueWith(_ =>
            {
                Count.Hit("Exact.Asyncs.Always.OnCompleted.lambda#1(Task)");
                goOn();
            });
        }

        public void GetResult()
        {
            Count.Hit("Exact.Asyncs.Always.GetResult()");
        }
    }

    // The halves run at the same time on any threads; the last one continues with the parent.
    private static async Task<int> Tree(int depth)
    {
        Count.Hit("Exact.Asyncs.Tree(int)");
        Count.Hit("Exact.Asyncs.Tree(int) (async)");
        if (depth == 0)
        {
            await Task.Yield();
            Count.Hit("Exact.Asyncs.Tree(int) (async)");
            return 1;
        }
        Task<int> left = Tree(depth - 1);
        Task<int> right = Tree(depth - 1);
        Count.Add("Exact.Asyncs.Always..ctor(Task)", 1);
        await new Always(Task.WhenAll(left, right));
        Count.Hit("Exact.Asyncs.Tree(int) (async)");
        return left.Result + right.Result;
    }

    // A fault goes into the task: no activation is left by an exception.
    private static async Task<int> Fail(bool late)
    {
        Count.Hit("Exact.Asyncs.Fail(bool)");
        Count.Hit("Exact.Asyncs.Fail(bool) (async)");
        if (late)
        {
            await Task.Yield();
            Count.Hit("Exact.Asyncs.Fail(bool) (async)");
        }
        return Refuse(late);
    }

    private static int Refuse(bool late)
    {
        Count.Hit("Exact.Asyncs.Refuse(bool)");
        Count.Thrown("Exact.Asyncs.Refuse(bool)");
        throw new InvalidOperationException(late ? "late" : "early");
    }

    private static async Task Faults()
    {
        Count.Hit("Exact.Asyncs.Faults()");
        Count.Hit("Exact.Asyncs.Faults() (async)");
        for (int i = 0; i < 2; i++)
        {
            try
            {
                Task<int> failing = Fail(i == 1);
                ((IAsyncResult)failing).AsyncWaitHandle.WaitOne();
                await failing;
            }
            catch (InvalidOperationException problem)
            {
                Console.WriteLine($"fault {problem.Message}");
            }
            finally
            {
                await Task.Yield();
                Count.Hit("Exact.Asyncs.Faults() (async)");
            }
        }
    }

    private static async IAsyncEnumerable<int> Stream(int count)
    {
        Count.Hit("Exact.Asyncs.Stream(int) (async iterator)");
        try
        {
            for (int i = 0; i < count; i++)
            {
                await Task.CompletedTask;
                yield return i;
                Count.Hit("Exact.Asyncs.Stream(int) (async iterator)");
            }
        }
        finally
        {
            await Task.CompletedTask;
        }
    }

    private static async IAsyncEnumerable<int> Slow(int count)
    {
        Count.Hit("Exact.Asyncs.Slow(int) (async iterator)");
        for (int i = 0; i < count; i++)
        {
            await Task.Yield();
            Count.Hit("Exact.Asyncs.Slow(int) (async iterator)");
            yield return i;
            Count.Hit("Exact.Asyncs.Slow(int) (async iterator)");
        }
    }

    private static async Task Streams()
    {
        Count.Hit("Exact.Asyncs.Streams()");
        Count.Hit("Exact.Asyncs.Streams() (async)");
        Count.Add("Exact.Asyncs.Stream(int)", 1);
        Count.Add("Exact.Asyncs.Slow(int)", 1);
        int sum = 0;
        await foreach (int n in Stream(5))
        {
            sum += n;
        }
        IAsyncEnumerator<int> slow = Slow(5).GetAsyncEnumerator();
        while (slow.MoveNextAsync().AsTask().Result)
        {
            sum += slow.Current;
        }
        slow.DisposeAsync().AsTask().Wait();
        Console.WriteLine($"streams {sum}");
    }

    private static async Task<int> Work(int n)
    {
        Count.Hit("Exact.Asyncs.Work(int)");
        Count.Hit("Exact.Asyncs.Work(int) (async)");
        await Task.Yield();
        Count.Hit("Exact.Asyncs.Work(int) (async)");
        return Square(n);
    }

    private static int Square(int n)
    {
        Count.Hit("Exact.Asyncs.Square(int)");
        return n * n;
    }

    private static async Task Together()
    {
        Count.Hit("Exact.Asyncs.Together()");
        Count.Hit("Exact.Asyncs.Together() (async)");
        var works = new Task<int>[200];
        for (int i = 0; i < works.Length; i++)
        {
            works[i] = Work(i);
        }
        Task.WaitAll(works);
        int[] results = await Task.WhenAll(works);
        Console.WriteLine($"together {results.Sum()}");
    }

    private static async Task Lambdas()
    {
        Count.Hit("Exact.Asyncs.Lambdas()");
        Count.Hit("Exact.Asyncs.Lambdas() (async)");
        Func<int, Task<int>> later = async n =>
        {
            Count.Hit("Exact.Asyncs.Lambdas.lambda#1(int)");
            Count.Hit("Exact.Asyncs.Lambdas.lambda#1(int) (async)");
            await Task.Yield();
            Count.Hit("Exact.Asyncs.Lambdas.lambda#1(int) (async)");
            return n + 1;
        };

        async Task<int> Local(int n)
        {
            Count.Hit("Exact.Asyncs.Lambdas.Local(int)");
            Count.Hit("Exact.Asyncs.Lambdas.Local(int) (async)");
            await Task.Yield();
            Count.Hit("Exact.Asyncs.Lambdas.Local(int) (async)");
            return n + 2;
        }

        int sum = later(1).Result + later(2).Result + Local(3).Result;
        await Task.CompletedTask;
        Console.WriteLine($"lambdas {sum}");
    }

    private static async void Fire(ManualResetEventSlim done)
    {
        Count.Hit("Exact.Asyncs.Fire(ManualResetEventSlim)");
        Count.Hit("Exact.Asyncs.Fire(ManualResetEventSlim) (async)");
        await Task.Yield();
        Count.Hit("Exact.Asyncs.Fire(ManualResetEventSlim) (async)");
        done.Set();
    }

    private static void Voids()
    {
        Count.Hit("Exact.Asyncs.Voids()");
        using var done = new ManualResetEventSlim();
        Fire(done);
        done.Wait();
        Console.WriteLine("void");
    }
}
