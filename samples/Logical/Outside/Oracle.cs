// The oracle of logical calls. Each method of namespace Logical says as its first statement that it was called, and the oracle
// counts it below its logical caller, which an AsyncLocal carries: calls, runs, how they ended, how long they took by a
// stopwatch that is read first and last, and how often each await suspended. The program writes these counts at its end into
// the file that ORACLE_OUT names; without that variable it counts nothing. Namespace Outside is not to be recorded.
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Text.Json;

namespace Outside;

public enum Kind
{
    Method,
    Async,
    Iterator, // the body of an async iterator
}

// One logical path.
public sealed class Node(Node? parent, string method, Kind kind)
{
    private readonly ConcurrentDictionary<(string, Kind), Node> children = new();
    private readonly ConcurrentDictionary<(string, int), int> places = new(); // by file and line: waits
    private readonly ConcurrentDictionary<(string, int), int> unseen = new(); // of these: those that the method itself cannot see
    private readonly ConcurrentDictionary<string, int> ends = new(); // by kind
    private readonly ConcurrentQueue<long> latencies = new();
    private long calls, runs, completed, faulted, cancelled, ended, sum, longest, shortest = long.MaxValue;

    public readonly Kind Kind = kind;

    public Node Child(string name, Kind of) => children.GetOrAdd((name, of), static (key, above) => new Node(above, key.Item1, key.Item2), this);

    public void Called()
    {
        Interlocked.Increment(ref calls);
    }

    public void Ran()
    {
        Interlocked.Increment(ref runs);
    }

    public void Ran(string file, int line)
    {
        Ran();
        places.AddOrUpdate((file, line), 1, static (_, count) => count + 1);
    }

    public void RanUnseen(string file, int line)
    {
        Ran(file, line);
        unseen.AddOrUpdate((file, line), 1, static (_, count) => count + 1);
    }

    public void Completed(long ticks)
    {
        Interlocked.Increment(ref completed);
        Took(ticks);
    }

    public void Faulted(long ticks, string end)
    {
        Interlocked.Increment(ref faulted);
        ends.AddOrUpdate(end, 1, static (_, count) => count + 1);
        Took(ticks);
    }

    public void Cancelled(long ticks, string end)
    {
        Interlocked.Increment(ref cancelled);
        ends.AddOrUpdate(end, 1, static (_, count) => count + 1);
        Took(ticks);
    }

    // How is not known.
    public void Ended(long ticks)
    {
        Interlocked.Increment(ref ended);
        latencies.Enqueue(ticks);
        Took(ticks);
    }

    private void Took(long ticks)
    {
        Interlocked.Add(ref sum, ticks);
        for (long seen = shortest; ticks < seen;)
        {
            long now = Interlocked.CompareExchange(ref shortest, ticks, seen);
            seen = now == seen ? ticks : now;
        }
        for (long seen = longest; ticks > seen;)
        {
            long now = Interlocked.CompareExchange(ref longest, ticks, seen);
            seen = now == seen ? ticks : now;
        }
    }

    // Writes all paths below this one; a path names the number of the path above it.
    public void Write(Utf8JsonWriter json)
    {
        var waiting = new Queue<(Node, int)>();
        waiting.Enqueue((this, -1));
        json.WriteStartArray();
        for (int number = 0; waiting.TryDequeue(out var next); number++)
        {
            next.Item1.WriteOne(json, next.Item2);
            foreach (Node child in next.Item1.children.Values)
            {
                waiting.Enqueue((child, number));
            }
        }
        json.WriteEndArray();
    }

    private void WriteOne(Utf8JsonWriter json, int above)
    {
        json.WriteStartObject();
        json.WriteNumber("above", above);
        json.WriteString("method", method + Kind switch { Kind.Async => " (async)", Kind.Iterator => " (async iterator)", _ => "" });
        json.WriteNumber("calls", calls);
        json.WriteNumber("runs", runs);
        json.WriteNumber("completed", completed);
        json.WriteNumber("faulted", faulted);
        json.WriteNumber("cancelled", cancelled);
        json.WriteNumber("ended", ended);
        json.WriteNumber("latency_ns", sum);
        json.WriteNumber("latency_min_ns", shortest);
        json.WriteNumber("latency_max_ns", longest);
        json.WriteStartArray("latencies_ns");
        foreach (long latency in latencies)
        {
            json.WriteNumberValue(latency);
        }
        json.WriteEndArray();
        WritePlaces(json, "waits", places);
        WritePlaces(json, "unseen", unseen);
        json.WriteStartObject("ends");
        foreach (var (end, count) in ends)
        {
            json.WriteNumber(end, count);
        }
        json.WriteEndObject();
        json.WriteEndObject();
    }

    private static void WritePlaces(Utf8JsonWriter json, string name, ConcurrentDictionary<(string, int), int> of)
    {
        json.WriteStartObject(name);
        foreach (var ((file, line), count) in of)
        {
            json.WriteNumber($"{file}:{line}", count);
        }
        json.WriteEndObject();
    }

    public Node? Parent => parent;
}

// What an activation holds.
public readonly struct Frame(Node? node, long start) : IDisposable
{
    // For `using`: the activation ends, by an exception or not. Its latency is kept.
    public void Dispose()
    {
        long ticks = Oracle.Now() - start;
        node?.Ended(ticks);
        Oracle.Left(node);
    }

    // The statement after an await that has suspended, on the await's line.
    public void Ran([CallerLineNumber] int line = 0, [CallerFilePath] string file = "") => node?.Ran(file, line);

    // The same some lines after the await.
    public void RanAbove(int lines = 1, [CallerLineNumber] int line = 0, [CallerFilePath] string file = "") => node?.Ran(file, line - lines);

    // An async iterator runs again because its caller asked for the next item, or disposed of it.
    public void Asked()
    {
        node?.Ran();
        Oracle.Goes(node);
    }

    // The activation is about to end.
    public void End()
    {
        long ticks = Oracle.Now() - start;
        node?.Completed(ticks);
        Oracle.Left(node);
    }

    // An exception is about to leave the activation: the kind of this end. Returns false, for filters.
    public bool Faults(string end = Ending.Own)
    {
        long ticks = Oracle.Now() - start;
        node?.Faulted(ticks, end);
        Oracle.Left(node);
        return false;
    }

    public bool Cancels(string end = Ending.Own)
    {
        long ticks = Oracle.Now() - start;
        node?.Cancelled(ticks, end);
        Oracle.Left(node);
        return false;
    }

    // The same after an await on this line that has suspended.
    public bool FaultsAfter(int line, string end, [CallerFilePath] string file = "")
    {
        node?.Ran(file, line);
        return Faults(end);
    }

    // The statement before an await, on its line, that is going to suspend and then to end the activation by an exception, without
    // another statement of it. The method may not run again for this.
    public void Dies(string end, bool cancelled = false, [CallerLineNumber] int line = 0, [CallerFilePath] string file = "")
    {
        node?.RanUnseen(file, line);
        _ = cancelled ? Cancels(end) : Faults(end);
    }
}

// How an activation ends by an exception.
public static class Ending
{
    public const string
        Own = "thrown by itself",
        AtOnce = "callee, before a suspension",
        Callee = "callee, no try",
        CalleeCatch = "callee, catch",
        CalleeFinally = "callee, finally",
        CalleeFilter = "callee, filter",
        CalleeOther = "callee, catch that does not match",
        CalleeEmpty = "callee, finally that is empty or removable",
        TaskCancelled = "Task cancelled, no try",
        TaskTimedOut = "Task timed out, no try",
        TaskFailed = "Task failed, no try",
        TaskCatch = "Task failed, catch",
        TaskFinally = "Task failed, finally",
        ValueFailed = "ValueTask failed, no try",
        SourceFailed = "IValueTaskSource failed, no try",
        SourceCatch = "IValueTaskSource failed, catch",
        IoFailed = "I/O failed, no try",
        IoCatch = "I/O failed, catch",
        AwaiterFailed = "GetResult of an awaiter throws, no try";
}

public static class Oracle
{
    private static readonly string? file = Environment.GetEnvironmentVariable("ORACLE_OUT");
    private static readonly Node root = new(null, "", Kind.Method);
    private static readonly AsyncLocal<Node?> current = new();

    // In nanoseconds, as the recording's clock.
    public static long Now() => file == null ? 0 : Stopwatch.GetTimestamp() * (1_000_000_000 / Stopwatch.Frequency);

    public static Frame Enter([CallerMemberName] string method = "") => Begin(Now(), current.Value, method, Kind.Method);

    // The body of an async method has begun. The runtime restores its caller's AsyncLocals.
    public static Frame EnterAsync([CallerMemberName] string method = "") => Begin(Now(), current.Value, method, Kind.Async);

    public static Frame EnterIterator([CallerMemberName] string method = "") => Begin(Now(), current.Value, method, Kind.Iterator);

    // What a thread of the pool runs has no caller, although AsyncLocals reach it.
    public static Frame EnterRoot(string method) => Begin(Now(), null, method, Kind.Method);

    public static Frame EnterAsyncRoot(string method) => Begin(Now(), null, method, Kind.Async);

    // The line of an await that is followed by its Ran() elsewhere.
    public static int Here([CallerLineNumber] int line = 0) => line;

    // The caller is about to call an async iterator, whose body begins later.
    public static void Calls(string method)
    {
        if (file != null)
        {
            (current.Value ?? root).Child(method, Kind.Method).Called();
        }
    }

    private static Frame Begin(long start, Node? caller, string method, Kind kind)
    {
        if (file == null)
        {
            return default;
        }
        Node node = (caller ?? root).Child(method, kind);
        node.Called();
        if (kind != Kind.Method)
        {
            node.Ran();
        }
        current.Value = node;
        return new Frame(node, start);
    }

    public static void Goes(Node? node)
    {
        if (node != null)
        {
            current.Value = node;
        }
    }

    // A synchronous method restores its caller itself.
    public static void Left(Node? node)
    {
        if (node is { Kind: Kind.Method })
        {
            current.Value = node.Parent;
        }
    }

    public static void Write()
    {
        if (file != null)
        {
            using FileStream stream = File.Create(file);
            using var json = new Utf8JsonWriter(stream);
            root.Write(json);
        }
    }
}
