// Has the JIT compile many methods, its own and those of the framework, and says what the runtime knows of that. With the argument
// `threads`, four threads do that before.
using System.Runtime;
using System.Runtime.CompilerServices;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace Compiled;

internal static class Early
{
    public static readonly int Made = Program.Twice(21); // its static constructor runs while a caller is compiled, or before it

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Get() => Made;
}

internal static class Program
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static int Twice(int number) => number * 2;

    private static string Serialized()
    {
        var rows = new List<object>();
        for (int i = 0; i < 50; i++)
        {
            rows.Add(new { Number = i, Name = "x" + i, Items = new[] { 1.5 * i } });
        }
        return JsonSerializer.Serialize(rows);
    }

    private static int Matches(string text) => new Regex(@"x(\d+)", RegexOptions.Compiled).Matches(text).Count;

    private static void Main(string[] arguments)
    {
        if (arguments is ["threads"])
        {
            Console.WriteLine($"sum {Work.RunThreads()}");
        }
        string text = Serialized();
        Console.WriteLine($"{Matches(text)} matches, {Early.Get()}");
        Console.Error.WriteLine($"{JitInfo.GetCompiledMethodCount()} {JitInfo.GetCompilationTime().Ticks * 100}");
    }
}
