// The oracle of calls: a program counts its own calls, to compare them with a recording. In a plain build (ORACLE not
// defined) the compiler drops every call of Hit, Thrown, Add and Write, so nothing of this class runs.
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Text;

internal static class Count
{
    private sealed class Row
    {
        public long Calls, Exceptions, Open;
    }

    private static readonly ConcurrentDictionary<string, Row> rows = new();

    // A method has been entered.
    [Conditional("ORACLE")]
    public static void Hit(string method) => Interlocked.Increment(ref Of(method).Calls);

    // Counts `times` calls of a method that cannot count itself (it is compiler-generated, or its body has not begun).
    [Conditional("ORACLE")]
    public static void Add(string method, long times) => Interlocked.Add(ref Of(method).Calls, times);

    // An exception is about to leave this activation of the method.
    [Conditional("ORACLE")]
    public static void Thrown(string method, long times = 1) => Interlocked.Add(ref Of(method).Exceptions, times);

    // The program ends while this activation still runs.
    [Conditional("ORACLE")]
    public static void Open(string method, long times = 1) => Interlocked.Add(ref Of(method).Open, times);

    // Writes {"method": [calls, exceptions, open], ...} to the file that ORACLE_OUT names.
    [Conditional("ORACLE")]
    public static void Write()
    {
        string path = Environment.GetEnvironmentVariable("ORACLE_OUT");
        if (path == null)
        {
            return;
        }
        var text = new StringBuilder("{");
        foreach (var (name, row) in rows.OrderBy(row => row.Key, StringComparer.Ordinal))
        {
            text.Append(text.Length > 1 ? ",\n" : "\n");
            text.Append($"\"{name}\": [{row.Calls}, {row.Exceptions}, {row.Open}]");
        }
        File.WriteAllText(path, text.Append("\n}\n").ToString());
    }

    private static Row Of(string method) => rows.GetOrAdd(method, _ => new Row());
}
