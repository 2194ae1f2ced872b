// The program that the tests of the command line record. Its first argument chooses what it does.
using System;
using System.Diagnostics;
using System.IO;
using System.Runtime.InteropServices;
using System.Threading;

static class App
{
    static int Fib(int n) => n < 2 ? n : Fib(n - 1) + Fib(n - 2);

    static void Spin(int ms)
    {
        var watch = Stopwatch.StartNew();
        while (watch.ElapsedMilliseconds < ms) { }
    }

    static void Sleep(int ms) => Thread.Sleep(ms);

    static void Kernel(int ms)
    {
        var watch = Stopwatch.StartNew();
        var buffer = new byte[1 << 16];
        using var zero = File.OpenRead("/dev/zero");
        while (watch.ElapsedMilliseconds < ms)
        {
            zero.ReadExactly(buffer);
        }
    }

    static void Crowd(int count)
    {
        var threads = new Thread[count];
        using var all = new Barrier(count);
        for (int i = 0; i < count; i++)
        {
            threads[i] = new Thread(() => { Fib(10); all.SignalAndWait(); });
            threads[i].Start();
        }
        foreach (var thread in threads)
        {
            thread.Join();
        }
    }

    static void OneByOne(int count)
    {
        for (int i = 0; i < count; i++)
        {
            var thread = new Thread(() => Fib(8));
            thread.Start();
            thread.Join();
        }
    }

    static int Interrupted()
    {
        using var heard = new ManualResetEventSlim();
        Console.CancelKeyPress += (_, e) => { e.Cancel = true; heard.Set(); };
        Console.WriteLine("ready");
        heard.Wait(20000);
        Console.WriteLine("handled");
        return 5;
    }

    static int Terminated()
    {
        using var heard = new ManualResetEventSlim();
        using var handler = PosixSignalRegistration.Create(PosixSignal.SIGTERM, c => { c.Cancel = true; heard.Set(); });
        Console.WriteLine("ready");
        heard.Wait(20000);
        Console.WriteLine("handled");
        return 6;
    }

    static void StartAgain(string arguments, bool wait)
    {
        using var child = Process.Start(Environment.ProcessPath!, $"{Environment.GetCommandLineArgs()[0]} {arguments}");
        if (wait)
        {
            child!.WaitForExit();
        }
        else
        {
            Thread.Sleep(700);
        }
    }

    static int SignIn(int password, int pin)
    {
        int apiKey = password * pin;
        int sum = apiKey + pin;
        return sum * apiKey - sum; // each is used twice, so that it is a variable in optimised code too
    }

    static string Captured(int count)
    {
        int total = 0;
        Action add = () => total += count;
        for (int i = 0; i < count; i++)
        {
            add();
        }
        var text = new string[count];
        return "sum\t" + total + text.Length;
    }

    static int Main(string[] words)
    {
        int number = words.Length > 1 ? int.Parse(words[1]) : 0;
        switch (words.Length > 0 ? words[0] : "")
        {
            case "fib": Console.WriteLine(Fib(number)); return 0;
            case "repeat": for (int i = 0; i < number; i++) { Fib(15); } return 0;
            case "exit": Fib(5); Environment.Exit(number); return 0;
            case "cpu": Spin(number); Sleep(number); Kernel(number); return 0;
            case "wait": Fib(5); Console.WriteLine("ready"); Thread.Sleep(number); return 0;
            case "later": Console.WriteLine("ready"); Thread.Sleep(number); Fib(5); return 3;
            case "interrupted": return Interrupted();
            case "terminated": return Terminated();
            case "killed": Fib(10); Process.GetCurrentProcess().Kill(); Thread.Sleep(10000); return 0;
            case "failfast": Fib(10); Environment.FailFast("on purpose"); return 0;
            case "crowd": Crowd(number); return 0;
            case "onebyone": OneByOne(number); return 0;
            case "parent": StartAgain("fib 10", true); return 0;
            case "leaver": StartAgain("wait 60000", false); return 0;
            case "secret": SignIn(4711, number); return 0;
            case "captured": Captured(number); return 0;
            case "echo": Console.Write(Console.In.ReadToEnd()); Console.Error.Write("on stderr"); return 0;
        }
        Console.WriteLine("hi");
        return 0;
    }
}
