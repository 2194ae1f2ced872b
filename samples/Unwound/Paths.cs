// The oracle: where in the call tree each activation of Unwound.Inside runs, and how it ends. Each thread keeps its stack
// of names; whatever ends above a name by an exception is taken off by whoever caught it, or runs its finally.
// In a plain build (ORACLE not defined) the compiler drops all calls.
using System.Collections.Concurrent;
using System.Diagnostics;

namespace Unwound;

internal static class Paths
{
    private sealed class Row
    {
        public long Calls, Exceptions;
    }

    private const string Outside = ""; // a frame that is not recorded, and begins a part

    private static readonly ConcurrentDictionary<string, Row> rows = new();

    [ThreadStatic]
    private static Stack<string> running;

    private static Stack<string> Running => running ??= new Stack<string>();

    private static Row Of(string name)
    {
        string path = string.Join(" > ", Running.Reverse().Append(name).Where(part => part != Outside));
        return rows.GetOrAdd(path, _ => new Row());
    }

    [Conditional("ORACLE")]
    public static void Enter(string method)
    {
        Interlocked.Increment(ref Of(method).Calls);
        Running.Push(method);
    }

    [Conditional("ORACLE")]
    public static void Leave() => Running.Pop();

    // The innermost activation of this method runs again: those above it have ended by an exception.
    [Conditional("ORACLE")]
    public static void Back(string method) => EndAbove(method);

    [Conditional("ORACLE")]
    public static void Begin() => Running.Push(Outside);

    // The part has ended, and with it all that it called.
    [Conditional("ORACLE")]
    public static void End()
    {
        EndAbove(Outside);
        Running.Pop();
    }

    private static void EndAbove(string name)
    {
        while (Running.Peek() != name)
        {
            Interlocked.Increment(ref Of(Running.Pop()).Exceptions);
        }
    }

    // Writes {"A > B": [calls, exceptions, open], ...} to the file that ORACLE_OUT names.
    [Conditional("ORACLE")]
    public static void Write()
    {
        var lines = rows.OrderBy(row => row.Key, StringComparer.Ordinal)
            .Select(row => $"\"{row.Key}\": [{row.Value.Calls}, {row.Value.Exceptions}, 0]");
        File.WriteAllText(Environment.GetEnvironmentVariable("ORACLE_OUT"), $"{{\n{string.Join(",\n", lines)}\n}}\n");
    }
}
