// Things that programs do to themselves, and so to an agent in them: `Survive PART [ARGUMENT]`. Each part prints the same every
// time. Between its steps it makes a known number of calls: `Step` prints how many calls of Leaf there were.
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Survive;

internal static partial class Program
{
    private static int steps;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Leaf(int n) => n + 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Steps(int count)
    {
        int sum = 0;
        for (int i = 0; i < count; i++)
        {
            sum = Leaf(sum);
        }
        return sum;
    }

    private static void Step(string what)
    {
        steps += Steps(1000);
        Say($"{what}: {steps} steps");
    }

    public static int Quiet(int count) => Steps(count);

    // Parts that close their descriptors or fork avoid the console's locks and buffers.
    public static unsafe void Say(string text)
    {
        byte[] bytes = System.Text.Encoding.UTF8.GetBytes(text + "\n");
        fixed (byte* start = bytes)
        {
            _ = Libc.Write(1, start, bytes.Length);
        }
    }

    private static int Main(string[] args)
    {
        Step("begin");
        switch (args[0])
        {
            case "nothing": break;
            case "busy": Busy.UntilTheEndOfInput(); break;
            case "fork-native": ForkNative(); break;
            case "fork-managed": ForkManaged(); break;
            case "daemon": return Daemon(args[1]);
            case "exec": Exec(args); break;
            case "close": Close(args[1] == "loop"); break;
            case "user": User(uint.Parse(args[1])); break;
            case "chroot": Chroot(args[1]); break;
            case "undumpable": Undumpable(); break;
            case "signals": Signals.All(); break;
            case "alarms": Signals.Storm(); break;
            case "crash": Endings.Crash(args[1]); break;
            case "overflow": return Endings.Overflow(0);
            case "failfast-finalizer": Endings.FailFastInFinalizer(); break;
            case "exit-static": Endings.ExitInStaticConstructor(); break;
            case "exit-everywhere": Endings.ExitEverywhere(); break;
            case "initializer": Endings.Wait(); break;
            case "untouched": Untouched.All(); break;
            case "memory": Memory.Hold(int.Parse(args[1])); break;
            default: return 64;
        }
        Step("end");
        Say($"{args[0]}: success");
        return 3;
    }

    private static void ForkNative()
    {
        var others = new Thread[2];
        bool done = false;
        for (int i = 0; i < others.Length; i++)
        {
            others[i] = new Thread(() => { while (!Volatile.Read(ref done)) { Steps(100); } });
            others[i].Start();
        }
        for (int i = 0; i < 20; i++)
        {
            Say($"child: {Native.ForkNative(i)}");
            Steps(1000);
        }
        Volatile.Write(ref done, true);
        Array.ForEach(others, thread => thread.Join());
    }

    // The child continues in managed code, which works while it needs no other thread: it leaves its parent's frames, by
    // exceptions and otherwise, collects garbage, and compiles new methods.
    private static void ForkManaged()
    {
        int child = 1;
        try
        {
            child = Dive(30);
        }
        catch (InvalidOperationException) when (Steps(10) == 10)
        {
            var list = new List<string>();
            for (int i = 0; i < 1000; i++)
            {
                list.Add($"{i}");
            }
            GC.Collect();
            Libc.ExitNow(Steps(5000) == 5000 && list.Count == 1000 ? 11 : 12);
        }
        int status = 0;
        _ = Libc.WaitPid(child, ref status, 0);
        Say($"child: {status >> 8}");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Dive(int depth)
    {
        if (depth > 0)
        {
            try
            {
                return Dive(depth - 1);
            }
            finally
            {
                Steps(depth % 2);
            }
        }
        int child = Libc.Fork();
        return child != 0 ? child : throw new InvalidOperationException();
    }

    private static int Daemon(string file)
    {
        int parent = Native.ForkTwice();
        if (parent != 0)
        {
            Step("parent");
            return parent + 1;
        }
        File.WriteAllText(file + ".new", $"daemon: {Steps(5000)} steps\n");
        File.Move(file + ".new", file);
        Libc.ExitNow(0);
        return 0;
    }

    private static void Exec(string[] args)
    {
        int left = args.Length > 1 ? int.Parse(args[1]) : 3;
        if (left > 0)
        {
            string?[] words = [.. File.ReadAllText("/proc/self/cmdline").TrimEnd('\0').Split('\0').TakeWhile(word => word != "exec"),
                "exec", (left - 1).ToString(), null];
            Say($"exec: {left}");
            _ = Libc.Execv("/proc/self/exe", words);
        }
    }

    private static void Close(bool inALoop)
    {
        Say($"closed: {Native.CloseAll(inALoop ? 1 : 0)}");
        Steps(1000);
    }

    private static void User(uint id)
    {
        Say($"setgid: {Libc.SetGid(id)}, setuid: {Libc.SetUid(id)}");
        new Thread(() => Steps(1000)).Start();
        Step("as another");
        GC.Collect();
    }

    private static void Chroot(string folder)
    {
        Say($"chroot: {Libc.Chroot(folder)}, {Libc.Chdir("/")}");
        new Thread(() => Steps(1000)).Start();
        Step("inside");
        GC.Collect();
        Say($"{Directory.GetFileSystemEntries("/").Length} entries");
    }

    private static void Undumpable()
    {
        const int setDumpable = 4;
        Say($"prctl: {Libc.Prctl(setDumpable, 0, 0, 0, 0)}");
        new Thread(() => Steps(1000)).Start();
        Step("undumpable");
        Thread.Sleep(300); // time for a few of the collector's passes over its threads
    }
}
