// Programs whose every call is known. `Exact NAME` runs one part, `Exact all` all parts that run on one thread.
using Exact;

Count.Hit("Program.Main(string[])");
string part = args.Length > 0 ? args[0] : "all";
string plugin = args.Length > 1 ? args[1] : null;
switch (part)
{
    case "calls": Calls.Run(); break;
    case "objects": Objects.Run(); break;
    case "generics": Generics.Run(); break;
    case "structs": Structs.Run(); break;
    case "iterators": Iterators.Run(); break;
    case "asyncs": Asyncs.Run(); break;
    case "exceptions": Exceptions.Run(); break;
    case "statics": Statics.Run(); break;
    case "loops": Loops.Run(); break;
    case "threads": Threads.Run(); break;
    case "tails": Tails.Run(); break;
    case "deep": Deep.Run(); break;
    case "native": Native.Run(); break;
    case "loading": Loading.Run(plugin); break;
    case "all":
        Calls.Run();
        Objects.Run();
        Generics.Run();
        Structs.Run();
        Iterators.Run();
        Asyncs.Run();
        Exceptions.Run();
        Statics.Run();
        Loops.Run();
        Native.Run();
        break;
    default:
        Console.Error.WriteLine($"no part named {part}");
        return 1;
}
Count.Write();
Console.WriteLine($"{part}: success");
return 0;
