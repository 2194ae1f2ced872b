// What a recorder might do to the program's heap. `Heap start`: what had been allocated before Main, and in which
// generations objects end up. `Heap listen`: the runtime's events still reach a listener of the program's own.
// `Heap garbage`: variables that hold no reference, though their type says so.
using System;

internal static class Program
{
    private static int Main(string[] arguments)
    {
        switch (arguments.Length == 1 ? arguments[0] : "")
        {
            case "start":
                Start.Run();
                break;
            case "listen":
                Listen.Run();
                break;
            case "garbage":
                Garbage.Run();
                break;
            default:
                Console.Error.WriteLine("usage: Heap start|listen|garbage");
                return 2;
        }
        Console.WriteLine("heap: success");
        return 0;
    }
}
