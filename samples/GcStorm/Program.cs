// Passes and returns every kind of value while another thread forces compacting collections. If a probe hid a reference from
// the garbage collector, the reference would be wrong, and the sums would differ. `GcStorm SECONDS` runs all parts, after a
// test of exception lifetimes; `GcStorm SECONDS filters` only throws through filters, also objects that are no exceptions.
using System;
using System.Diagnostics;
using System.Runtime;
using System.Runtime.CompilerServices;
using System.Threading;

internal sealed class Box
{
    public int Value;
    public Box? Next;
    public Box(int value) => Value = value;
}

internal struct Pair { public Box A; public Box B; }
internal struct Triple { public Box A; public int N; public Box C; }
internal struct Large { public Box A, B, C, D; public long E; }
internal struct Mixed { public double D; public Box A; }
internal struct Tiny { public byte B; }
internal ref struct View { public Span<int> Numbers; public ref int First; }

internal static class Program
{
    private static volatile bool done;
    private static int stale;
    private static readonly int[] Shared = new int[64];

    [MethodImpl(MethodImplOptions.NoInlining)] private static Box One(int n) => new(n);
    [MethodImpl(MethodImplOptions.NoInlining)] private static Pair Two(int n) => new() { A = new Box(n), B = new Box(n + 1) };
    [MethodImpl(MethodImplOptions.NoInlining)] private static Triple Three(int n) => new() { A = new Box(n), N = n, C = new Box(n) };
    [MethodImpl(MethodImplOptions.NoInlining)] private static Mixed Floating(int n) => new() { D = n * 0.5, A = new Box(n) };
    [MethodImpl(MethodImplOptions.NoInlining)] private static Tiny Small(int n) => new() { B = (byte)n };
    [MethodImpl(MethodImplOptions.NoInlining)] private static Large Four(int n) =>
        new() { A = new Box(n), B = new Box(n), C = new Box(n), D = new Box(n), E = n };
    [MethodImpl(MethodImplOptions.NoInlining)] private static ref int Place(int[] array, int n) => ref array[n & 63];
    [MethodImpl(MethodImplOptions.NoInlining)] private static Span<int> Part(int[] array, int n) => array.AsSpan(n & 31, 8);
    [MethodImpl(MethodImplOptions.NoInlining)] private static View Look(int[] array, int n) =>
        new() { Numbers = array.AsSpan(n & 31), First = ref array[n & 31] };
    [MethodImpl(MethodImplOptions.NoInlining)] private static T Same<T>(T value) => value;
    [MethodImpl(MethodImplOptions.NoInlining)] private static string Text(int n) => string.Concat("n", n.ToString());
    [MethodImpl(MethodImplOptions.NoInlining)] private static decimal Money(int n) => n * 1.25m;
    [MethodImpl(MethodImplOptions.NoInlining)] private static (Box, string) Named(int n) => (new Box(n), "x" + n);
    [MethodImpl(MethodImplOptions.NoInlining)] private static Box? Maybe(int n) => n % 3 == 0 ? null : new Box(n);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Many(Box a, int b, Box c, Pair d, double e, Box f, Triple g, Span<int> h, in Large i, ref Box j, string k) =>
        a.Value + b + c.Value + d.A.Value + d.B.Value + (int)e + f.Value + g.C.Value + h.Length + i.D.Value + j.Value + k.Length;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Thrown(int n)
    {
        Box kept = new(n);
        try
        {
            if (n % 2 == 0)
            {
                throw new InvalidOperationException(Text(n));
            }
            return Same(kept).Value;
        }
        catch (InvalidOperationException e) when (Same(e.Message).Length == Text(n).Length)
        {
            return kept.Value + e.Message.Length;
        }
        finally
        {
            kept.Next = new Box(n);
        }
    }

    private static long Round(int n)
    {
        int[] own = new int[64];
        for (int i = 0; i < own.Length; i++)
        {
            own[i] = n + i;
        }
        Box box = One(n);
        Pair pair = Two(n);
        Triple triple = Three(n);
        Large large = Four(n);
        ref int place = ref Place(own, n);
        place += 7;
        Span<int> part = Part(own, n);
        View view = Look(own, n);
        Box other = One(n + 5);
        long sum = box.Value + pair.A.Value + pair.B.Value + triple.A.Value + triple.C.Value + large.A.Value + large.D.Value;
        sum += place + part[0] + part[7] + view.First + view.Numbers[3] + (long)Floating(n).D + Floating(n).A.Value + Small(n).B;
        sum += Same(box).Value + Same(pair).B.Value + Same(triple).N + Same(large).E + (long)Money(n) + Same(n) + Same<object>(n).GetHashCode();
        var (first, second) = Named(n);
        sum += first.Value + second.Length + (Maybe(n)?.Value ?? 3) + Thrown(n) + Filtered(n);
        sum += Many(box, n, other, pair, n * 0.5, One(n), triple, part, large, ref other, Text(n));
        return sum;
    }

    // Compares the object that the filter receives with the same object in a place that the garbage collector updates.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool IsAnother(object given, object thrown)
    {
        if (ReferenceEquals(given, thrown))
        {
            return false;
        }
        Interlocked.Increment(ref stale);
        return true;
    }

    private static void Compare(object given, object thrown) => IsAnother(given, thrown);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Filtered(int n)
    {
        InvalidOperationException thrown = new(Text(n));
        try
        {
            throw thrown;
        }
        catch (InvalidOperationException e) when (IsAnother(e, thrown))
        {
            return -1;
        }
        catch (InvalidOperationException e) when (!IsAnother(e, thrown) && Same(e).Message.Length > 1)
        {
            return e.Message.Length;
        }
    }

    private static long Work(int rounds, Func<int, long> round)
    {
        long sum = 0;
        for (int n = 0; n < rounds; n++)
        {
            sum = unchecked(sum * 31 + round(n & 1023));
        }
        return sum;
    }

    private static int Main(string[] arguments)
    {
        double seconds = double.Parse(arguments[0], System.Globalization.CultureInfo.InvariantCulture);
        Func<int, long> round = arguments.Length > 1 ? n => Filtered(n) + Wrapped.Round(n, Compare) : Round;
        if (arguments.Length == 1)
        {
            Lives.Run();
        }
        long expected = Work(200, round);
        int collections = 0;
        Thread storm = new(() =>
        {
            while (!done)
            {
                GCSettings.LargeObjectHeapCompactionMode = GCLargeObjectHeapCompactionMode.CompactOnce;
                GC.Collect(collections % 3, GCCollectionMode.Forced, blocking: true, compacting: true);
                collections++;
                Thread.SpinWait(2000); // the others must get on
            }
        });
        storm.Start();
        Stopwatch watch = Stopwatch.StartNew();
        int wrong = 0, runs = 0;
        while (watch.Elapsed.TotalSeconds < seconds || runs < 10 || Volatile.Read(ref collections) < 20)
        {
            wrong += Work(200, round) == expected ? 0 : 1;
            runs++;
        }
        done = true;
        storm.Join();
        Console.WriteLine($"{wrong} wrong of many runs, {stale} stale exceptions");
        bool fine = wrong == 0 && stale == 0 && Shared.Length == 64;
        Console.WriteLine($"storm: {(fine ? "success" : "failure")}");
        return fine ? 0 : 1;
    }
}
