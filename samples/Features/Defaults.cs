// Optional and named arguments; arguments from the caller's source position.
using System.Runtime.CompilerServices;

namespace Features;

internal static class Defaults
{
    public static void Run()
    {
        string text = Describe(1);
        text += Describe(third: true, first: 2);
        Console.WriteLine(text);
    }

    private static string Describe(int first, string second = "usual", bool third = false, [CallerMemberName] string caller = "")
    {
        return $"[{first} {second} {third} {caller}]";
    }
}
