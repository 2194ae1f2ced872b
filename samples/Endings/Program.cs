// Ways for a program to end other than by returning from Main. `Endings NAME`; what still runs at the end is `open`.
using System.Runtime.CompilerServices;

namespace Endings;

internal static class Program
{
    private static int Main(string[] args)
    {
        Count.Hit("Endings.Program.Main(string[])");
        string how = args.Length > 0 ? args[0] : "return";
        using var waiting = new ManualResetEventSlim();
        var other = new Thread(() => Wait(waiting)) { IsBackground = true };
        Count.Hit("Endings.Program.Main.lambda#1()");
        other.Start();
        waiting.Wait();
        if (how == "return")
        {
            StillRunning(0);
            Count.Write();
            Console.WriteLine("return: success");
            return 9;
        }
        Count.Open("Endings.Program.Main(string[])");
        Count.Open("Endings.Program.Dive(string, int)", 51);
        Dive(how, 50);
        return 1;
    }

    private static void StillRunning(int deeper)
    {
        Count.Hit("Endings.Program.StillRunning(int)");
        Count.Open("Endings.Program.Main.lambda#1()");
        Count.Open("Endings.Program.Wait(ManualResetEventSlim)");
        if (deeper > 0)
        {
            StillRunning(deeper - 1);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Wait(ManualResetEventSlim waiting)
    {
        Count.Hit("Endings.Program.Wait(ManualResetEventSlim)");
        waiting.Set();
        Thread.Sleep(Timeout.Infinite);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Dive(string how, int depth)
    {
        Count.Hit("Endings.Program.Dive(string, int)");
        if (depth > 0)
        {
            return 1 + Dive(how, depth - 1);
        }
        StillRunning(0);
        End(how);
        return 0;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void End(string how)
    {
        Count.Hit("Endings.Program.End(string)");
        Count.Open("Endings.Program.End(string)");
        Console.WriteLine($"{how}: success");
        Console.Out.Flush();
        Count.Write();
        switch (how)
        {
            case "exit":
                Environment.Exit(7);
                break;
            case "failfast":
                Environment.FailFast("the program gives up");
                break;
            case "unhandled":
                throw new InvalidOperationException("nobody catches this");
            case "kill":
                System.Diagnostics.Process.GetCurrentProcess().Kill();
                Thread.Sleep(Timeout.Infinite);
                break;
        }
    }
}
