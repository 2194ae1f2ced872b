// Measures the cost of statements and definitions: bench/run compares the times with and without clew, and divides them by
// the events of a round. Usage: Statements WORK ROUNDS REPETITIONS THREADS; WORK: a method of class Work
using System.Diagnostics;
using System.Globalization;
using System.Runtime.CompilerServices;

class Node
{
    public Node Next = null!;
    public int Weight;
}

public static class Work
{
    static readonly byte[] text = MakeText();
    static readonly Node ring = MakeRing();

    static byte[] MakeText()
    {
        var random = new Random(1);
        var made = new byte[4096];
        for (int i = 0; i < made.Length; i++)
        {
            made[i] = (byte)"aeiou  12.+x"[random.Next(12)];
        }
        return made;
    }

    static Node MakeRing()
    {
        var nodes = new Node[64];
        for (int i = 0; i < nodes.Length; i++)
        {
            nodes[i] = new Node { Weight = i };
        }
        for (int i = 0; i < nodes.Length; i++)
        {
            nodes[i].Next = nodes[(i + 1) % nodes.Length];
        }
        return nodes[0];
    }

    // Nothing but statements one after the other.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Tight(int rounds)
    {
        int a = 1, b = 2, c = 3, d = 4;
        for (int i = 0; i < rounds; i++)
        {
            a += i;
            b ^= a;
            c = c * 5 + b;
            d -= c;
            a ^= d >> 3;
            b += 7;
            c ^= d;
            d += a;
        }
        return a + b + c + d;
    }

    // Branches depend on data, as in a scanner.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Branchy(int rounds)
    {
        int words = 0, numbers = 0, others = 0, at = 0;
        for (int i = 0; i < rounds; i++)
        {
            byte one = text[at];
            if (one == ' ')
            {
                words++;
            }
            else if (one >= '0' && one <= '9')
            {
                numbers = numbers * 10 + one;
                if (numbers > 1000)
                {
                    numbers = 0;
                }
            }
            else if (one == 'x')
            {
                others ^= i;
            }
            at = (at + 1) & 4095;
        }
        return words + numbers + others;
    }

    // Values as most code has them: counters, sums, conditions, parts of texts, a length, an average.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Scalars(int rounds)
    {
        int at = 0, kept = 0;
        long sum = 0;
        double average = 0;
        for (int i = 0; i < rounds; i++)
        {
            byte one = text[at];
            bool letter = one >= 'a';
            char upper = letter ? (char)(one - 32) : (char)one;
            sum += upper;
            kept += letter ? 1 : 0;
            average += 0.5;
            at = (at + 1) & 4095;
        }
        return (int)sum + kept + (int)average;
    }

    // Random values.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Noise(int rounds)
    {
        int a = 1, b = 2, c = 3;
        for (int i = 0; i < rounds; i++)
        {
            a = a * 1664525 + 1013904223;
            b = b * 22695477 + a;
            c = c * 1103515245 + b;
        }
        return a ^ b ^ c;
    }

    // References to objects that have been seen before.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int References(int rounds)
    {
        Node node = ring, before = ring;
        for (int i = 0; i < rounds; i++)
        {
            before = node;
            node = node.Next;
        }
        return node.Weight + before.Weight;
    }
}

public static class Program
{
    const int WarmUps = 42, WarmUpRounds = 2000;

    // Seconds until all threads have done it.
    static double Run(Func<int, int> work, int rounds, int threads)
    {
        var watch = Stopwatch.StartNew();
        var others = new Thread[threads - 1];
        for (int i = 0; i < others.Length; i++)
        {
            others[i] = new Thread(() => work(rounds));
            others[i].Start();
        }
        work(rounds);
        foreach (var other in others)
        {
            other.Join();
        }
        return watch.Elapsed.TotalSeconds;
    }

    static void WarmUp(Func<int, int> work)
    {
        for (int i = 0; i < WarmUps; i++)
        {
            if (i == WarmUps - 2)
            {
                Thread.Sleep(300); // the tiers are compiled in the background
            }
            work(WarmUpRounds);
        }
    }

    static string PeakKib() =>
        File.ReadLines("/proc/self/status").First(line => line.StartsWith("VmHWM:")).Split(' ', StringSplitOptions.RemoveEmptyEntries)[1];

    // The output of Main, one line each: ns per round of the fastest repetition, rounds of all repetitions, peak memory.
    public static string Measure(string name, int rounds, int repetitions, int threads)
    {
        var work = typeof(Work).GetMethod(name)!.CreateDelegate<Func<int, int>>();
        WarmUp(work);
        Run(work, rounds, threads); // fills the memory that streams wait in: from here on they go as fast as they are drained
        double best = double.MaxValue;
        for (int i = 0; i < repetitions; i++)
        {
            best = Math.Min(best, Run(work, rounds, threads));
        }
        long all = (long)WarmUps * WarmUpRounds + (long)rounds * (repetitions + 1) * threads;
        return string.Create(CultureInfo.InvariantCulture, $"round_ns {best * 1e9 / rounds:F4}\nrounds {all}\npeak_kib {PeakKib()}\n");
    }

    public static void Main(string[] arguments) =>
        Console.Write(Measure(arguments[0], int.Parse(arguments[1]), int.Parse(arguments[2]), int.Parse(arguments[3])));
}
