// A condition to be turned round from outside: `ceq` in IsNothing becomes `cgt.un` in place.
using System;
using System.Runtime.CompilerServices;

internal static class Program
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool IsNothing(object thing) => thing == null;

    private static void Main()
    {
        Console.WriteLine(IsNothing(null) ? "null is nothing" : "null is something");
        Console.WriteLine(IsNothing("text") ? "text is nothing" : "text is something");
    }
}
