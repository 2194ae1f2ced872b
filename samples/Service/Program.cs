// A service: a web application on a loopback port of the system's choice that runs until SIGTERM. With a word it is a program that
// says what it can see of its own process: what a recorder might have left there.
using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Service;

internal static class Program
{
    private static async Task<int> Main(string[] words)
    {
        switch (words.FirstOrDefault())
        {
            case "greet": return Greet(words);
            case "work": return Work(int.Parse(words[1])).Length > 0 ? 0 : 1; // and nothing else before the end
            case "look": return Look();
            case "wait": return WaitForAny();
            case "start": return Start(int.Parse(words[1]));
        }
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        await using WebApplication application = builder.Build();
        application.MapGet("/work/{times:int}", Work);
        await application.StartAsync();
        Console.WriteLine($"listening {new Uri(application.Urls.First()).Port}");
        await application.WaitForShutdownAsync();
        Console.WriteLine("stopped");
        return 7;
    }

    private static string Work(int times)
    {
        long sum = 0;
        for (int i = 0; i < times; i++)
        {
            sum += Step(i);
        }
        return sum.ToString();
    }

    private static int Step(int value) => value % 3 == 0 ? value : Half(value);

    private static int Half(int value) => value / 2;

    // A child: says that it ran, and whether a runtime in it would load a profiler.
    private static int Greet(string[] words)
    {
        string profiling = Environment.GetEnvironmentVariable("CORECLR_ENABLE_PROFILING") ?? "unset";
        Console.WriteLine($"hello from {string.Join(' ', words)}, profiling {profiling}, {Work(10)}");
        return 0;
    }

    // What is open, which children there are, and which signals are blocked or ignored, in the process's own eyes.
    private static int Look()
    {
        foreach (string file in Directory.GetFiles("/proc/self/fd").OrderBy(file => int.Parse(Path.GetFileName(file))))
        {
            string target = new FileInfo(file).LinkTarget ?? "gone";
            Console.WriteLine($"open {Path.GetFileName(file)} {target.Split(':')[0]}");
        }
        foreach (string line in File.ReadLines("/proc/self/status").Where(line => line.StartsWith("Sig") || line.StartsWith("Shd")))
        {
            Console.WriteLine(line.StartsWith("SigQ") ? "" : line);
        }
        Console.WriteLine($"children [{string.Concat(Directory.GetDirectories("/proc/self/task").Select(task => File.ReadAllText(task + "/children")))}]");
        Console.WriteLine($"wait for any: {Libc.WaitPid(-1, out _, Libc.NoHang)}, error {Marshal.GetLastPInvokeError()}");
        return 0;
    }

    // Starts a child by posix_spawn and waits for any child until there is none.
    private static int WaitForAny()
    {
        string[] command = ["/bin/true", null];
        int failed = Libc.PosixSpawn(out int child, command[0], 0, 0, command, ["PATH=/bin", null]);
        int waited = 0, last;
        while ((last = Libc.WaitPid(-1, out int status, 0)) > 0)
        {
            waited++;
            Console.WriteLine($"child {(last == child ? "is ours" : "is foreign")}, status {status}");
        }
        Console.WriteLine($"started {failed == 0}, waited for {waited}, error {Marshal.GetLastPInvokeError()}");
        return 0;
    }

    // Starts children of its own kind, eight at a time.
    private static int Start(int children)
    {
        int right = 0;
        Parallel.For(0, children, new ParallelOptions { MaxDegreeOfParallelism = 8 }, number =>
        {
            var start = new ProcessStartInfo(Environment.ProcessPath) { RedirectStandardOutput = true };
            if (Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet")
            {
                start.ArgumentList.Add(typeof(Program).Assembly.Location);
            }
            start.ArgumentList.Add("greet");
            start.ArgumentList.Add(number.ToString());
            using Process process = Process.Start(start);
            string said = process.StandardOutput.ReadToEnd();
            process.WaitForExit();
            if (process.ExitCode == 0 && said.StartsWith($"hello from greet {number}, "))
            {
                Interlocked.Increment(ref right);
            }
        });
        Console.WriteLine($"{right} of {children} children");
        return right == children ? 0 : 1;
    }
}

internal static class Libc
{
    public const int NoHang = 1;

    [DllImport("libc", EntryPoint = "waitpid", SetLastError = true)] public static extern int WaitPid(int child, out int status, int options);
    [DllImport("libc", EntryPoint = "posix_spawn")]
    public static extern int PosixSpawn(out int child, string path, nint actions, nint attributes, string[] words, string[] environment);
}
