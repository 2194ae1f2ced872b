// Threads that hand a token to and fro: each turn begins with a wait for the other one that is much longer than a tick, so that the
// recording must have the turns in their order (test/sample/order). Arguments: the way, the number of turns, and for how many
// microseconds the token is held.
using System;
using System.Diagnostics;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;

static class Program
{
    static int s_turns, s_held, s_next, s_turn;

    static int Main(string[] arguments)
    {
        s_turns = int.Parse(arguments[1]);
        s_held = int.Parse(arguments[2]);
        switch (arguments[0])
        {
            case "locks": ByLocks(); break;
            case "semaphores": BySemaphores(); break;
            case "events": ByEvents(); break;
            case "tasks": ByTasks().Wait(); break;
            case "channels": ByChannels().Wait(); break;
            case "result": ByResult(); break;
            default: return 2;
        }
        Console.WriteLine($"turns: {s_next}");
        return 0;
    }

    static void Hold()
    {
        if (s_held >= 1000)
        {
            Thread.Sleep(s_held / 1000);
            return;
        }
        long end = Stopwatch.GetTimestamp() + s_held * (Stopwatch.Frequency / 1_000_000);
        while (Stopwatch.GetTimestamp() < end)
        {
            Thread.SpinWait(20);
        }
    }

    static void InTwoThreads(Action<int> run)
    {
        Thread other = new Thread(() => run(1));
        other.Start();
        run(0);
        other.Join();
    }

    static void ByLocks()
    {
        object gate = new object();
        int whose = 0;
        InTwoThreads(me =>
        {
            for (int i = 0; i < s_turns / 2; i++)
            {
                lock (gate)
                {
                    while (whose != me)
                    {
                        Monitor.Wait(gate);
                    }
                    s_turn = s_next++;
                    Hold();
                    whose = 1 - me;
                    Monitor.Pulse(gate);
                }
            }
        });
    }

    static void BySemaphores()
    {
        SemaphoreSlim[] mine = { new SemaphoreSlim(1), new SemaphoreSlim(0) };
        InTwoThreads(me =>
        {
            for (int i = 0; i < s_turns / 2; i++)
            {
                mine[me].Wait();
                s_turn = s_next++;
                Hold();
                mine[1 - me].Release();
            }
        });
    }

    static void ByEvents()
    {
        AutoResetEvent[] mine = { new AutoResetEvent(true), new AutoResetEvent(false) };
        InTwoThreads(me =>
        {
            for (int i = 0; i < s_turns / 2; i++)
            {
                mine[me].WaitOne();
                s_turn = s_next++;
                Hold();
                mine[1 - me].Set();
            }
        });
    }

    static async Task ByTasks()
    {
        SemaphoreSlim[] mine = { new SemaphoreSlim(1), new SemaphoreSlim(0) };
        async Task Run(int me)
        {
            for (int i = 0; i < s_turns / 2; i++)
            {
                await mine[me].WaitAsync().ConfigureAwait(false);
                s_turn = s_next++;
                Hold();
                mine[1 - me].Release();
            }
        }
        await Task.WhenAll(Task.Run(() => Run(0)), Task.Run(() => Run(1)));
    }

    static async Task ByChannels()
    {
        Channel<int>[] mine = { Channel.CreateUnbounded<int>(), Channel.CreateUnbounded<int>() };
        async Task Run(int me)
        {
            for (int i = 0; i < s_turns / 2; i++)
            {
                int given = await mine[me].Reader.ReadAsync();
                s_turn = given;
                Hold();
                s_next++;
                await mine[1 - me].Writer.WriteAsync(given + 1);
            }
        }
        await mine[0].Writer.WriteAsync(0);
        await Task.WhenAll(Task.Run(() => Run(0)), Task.Run(() => Run(1)));
    }

    static async Task<int> Work(int given)
    {
        await Task.Yield();
        Hold();
        s_turn = given;
        s_next++;
        return given;
    }

    // The main thread waits for what a thread of the pool computes.
    static void ByResult()
    {
        for (int i = 0; i < s_turns / 2; i++)
        {
            s_turn = Work(2 * i).Result + 1;
            s_next++;
        }
    }
}
