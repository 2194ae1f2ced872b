// Effects that an agent could have on the program's heap. `Heap start`: the bytes allocated before Main, and the
// generations of objects. `Heap listen`: the runtime's events must still reach the program's own listener.
// `Heap garbage`: variables of type object with invalid references.
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
