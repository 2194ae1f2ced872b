// Behaviour that an agent in the process could change: stack, lifetimes, heap, exceptions. `Guest PART [ARGUMENT...]`.
namespace Guest;

internal static class Program
{
    private static readonly Dictionary<string, Func<string[], string>> Parts = new()
    {
        ["depth"] = _ => Depth.Run(),
        ["list"] = arguments => Recursion.List(int.Parse(arguments[0])),
        ["dive"] = arguments => Recursion.Dive(int.Parse(arguments[0])),
        ["frames"] = _ => Frames.Run(),
        ["lifetimes"] = _ => Lifetimes.Run(),
        ["collections"] = _ => Heap.Collections(),
        ["lists"] = _ => Heap.Lists(),
        ["small"] = _ => Stacks.Small(),
        ["ensure"] = _ => Stacks.Ensure(),
        ["overflow"] = arguments => Stacks.Overflow(int.Parse(arguments[0])),
        ["ways"] = _ => Stacks.Ways(),
        ["bodies"] = _ => Bodies.Run(),
        ["reuse"] = arguments => Reuse.Run(arguments[0], int.Parse(arguments[1])),
    };

    private static int Main(string[] args)
    {
        if (args.Length == 0 || !Parts.TryGetValue(args[0], out Func<string[], string>? part))
        {
            Console.Error.WriteLine($"usage: Guest {string.Join('|', Parts.Keys)} [ARGUMENT...]");
            return 2;
        }
        Console.WriteLine(part(args[1..]));
        Console.WriteLine($"{args[0]}: success");
        return 0;
    }
}
