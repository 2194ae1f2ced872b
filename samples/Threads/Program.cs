// More threads than programs usually have. The arguments determine how often each method runs.
using System.Runtime.CompilerServices;

namespace Threads;

static class Program
{
    const int Stack = 128 * 1024;

    static int Main(string[] args)
    {
        bool done = args switch
        {
            ["crowd", var live, var work] => Crowd.Run(int.Parse(live), int.Parse(work)),
            ["parade", var count, var abreast] => Parade.Run(int.Parse(count), int.Parse(abreast)),
            ["contexts", var count, var library] => Contexts.Run(int.Parse(count), library),
            _ => false,
        };
        Console.WriteLine(done ? "threads: success" : "threads: failure");
        return done ? 0 : 1;
    }

    public static Thread Start(ThreadStart body)
    {
        var thread = new Thread(body, Stack);
        thread.Start();
        return thread;
    }
}

// So many threads at once that each have called one method, and wait; then one that works, with collections meanwhile.
static class Crowd
{
    static readonly ManualResetEventSlim over = new(false, 0);
    static int arrived;
    static long sum;

    public static bool Run(int live, int work)
    {
        var threads = new Thread[live];
        for (int i = 0; i < live; i++)
            threads[i] = Program.Start(Stand);
        while (Volatile.Read(ref arrived) < live)
            Thread.Sleep(1);
        var worker = Program.Start(() => Work(work));
        while (!worker.Join(20))
            GC.Collect(0);
        over.Set();
        foreach (var thread in threads)
            thread.Join();
        return sum == work;
    }

    static void Stand()
    {
        Arrive();
        over.Wait();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Arrive() => Interlocked.Increment(ref arrived);

    static void Work(int count)
    {
        for (int i = 0; i < count; i++)
            sum += Step(i);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Step(int i) => i >= 0 ? 1 : 0;
}

// So many threads in all, a few of them at a time.
static class Parade
{
    static int passed;

    public static bool Run(int count, int abreast)
    {
        var row = new Thread[abreast];
        for (int i = 0; i < count; i++)
        {
            row[i % abreast]?.Join();
            row[i % abreast] = Program.Start(Walk);
        }
        foreach (var thread in row)
            thread?.Join();
        return passed == count;
    }

    static void Walk() => Pass();

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Pass() => Interlocked.Increment(ref passed);
}
