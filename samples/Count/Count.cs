// The oracle: counts that a program keeps of itself, to compare a recording with. In a plain build (ORACLE not defined)
// the compiler drops every call of Hit, Thrown, Add and Write, so that nothing of this class runs.
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

    // A method whose body cannot say so itself (compiler-made, or not yet running) is entered `times` times.
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
