// Programs that report every definition when built with Oracle=true: see Oracle/Oracle.cs. `Values PART` runs
// one part, `Values all` all of them.
namespace Values;

internal static class Program
{
    private static readonly (string Name, Action Run)[] parts =
    {
        ("scalars", Scalars.Run), ("texts", Texts.Run), ("enums", Enums.Run), ("objects", Objects.Run),
        ("nullables", Nullables.Run), ("structs", Structs.Run), ("tuples", Tuples.Run), ("vectors", Vectors.Run),
        ("spans", Spans.Run), ("refstructs", RefStructs.Run), ("pointers", Pointers.Run), ("references", References.Run),
        ("fields", Fields.Run),
        ("parameters", Parameters.Run), ("items", Items.Run), ("flow", Flow.Run), ("captured", Captured.Run),
        ("hoisted", Hoisted.Run), ("generics", Generics.Run), ("records", Records.Run),
        ("completed", Completed.Run), ("lookalikes", LookAlikes.Run),
    };

    private static int Main(string[] args)
    {
        string wanted = args.Length > 0 ? args[0] : "all";
        int run = 0;
        foreach ((string name, Action part) in parts)
        {
            if (wanted == "all" || wanted == name)
            {
                part();
                run++;
            }
        }
        if (run == 0)
        {
            Console.Error.WriteLine($"no part named {wanted}");
            return 1;
        }
        Oracle.Write();
        Console.WriteLine($"{wanted}: success");
        return 0;
    }
}
