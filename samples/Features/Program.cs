// One small part for each feature of the language, short enough that all its events fit on a page: `Features PART`, or
// `Features all`. Each part is a class in its own file, so that a change does not move lines of other parts.
namespace Features;

internal static class Program
{
    private static readonly SortedDictionary<string, Action> parts = new(StringComparer.Ordinal)
    {
        ["allocations"] = Allocations.Run, ["anonymous"] = Anonymous.Run, ["asyncs"] = Asyncs.Run, ["asynccatch"] = AsyncCatch.Run,
        ["asyncstreams"] = AsyncStreams.Run, ["chains"] = Chains.Run, ["collections"] = Collections.Run,
        ["conditions"] = Conditions.Run, ["constructors"] = Constructors.Run, ["contexts"] = Contexts.Run,
        ["defaults"] = Defaults.Run, ["delegates"] = Delegates.Run, ["directives"] = Directives.Run,
        ["dynamics"] = Dynamics.Run, ["encodings"] = Encodings.Run, ["events"] = Events.Run, ["exceptions"] = Exceptions.Run, ["extensions"] = Extensions.Run,
        ["filters"] = Filters.Run, ["finally"] = Finally.Run, ["genericmethods"] = GenericMethods.Run,
        ["generictypes"] = GenericTypes.Run, ["gotos"] = Gotos.Run, ["indexers"] = Indexers.Run, ["inheritance"] = Inheritance.Run,
        ["initialisers"] = Initialisers.Run, ["inlinearrays"] = InlineArrays.Run, ["interfaces"] = Interfaces.Run,
        ["interpolation"] = Interpolation.Run, ["items"] = Items.Run, ["iterators"] = Iterators.Run, ["lambdas"] = Lambdas.Run,
        ["linq"] = Linq.Run, ["listpatterns"] = ListPatterns.Run, ["localfunctions"] = LocalFunctions.Run, ["locks"] = Locks.Run,
        ["loops"] = Loops.Run, ["math"] = GenericMath.Run, ["nested"] = Nested.Run, ["nullables"] = Nullables.Run,
        ["operators"] = Operators.Run, ["outs"] = Outs.Run, ["patterns"] = Patterns.Run, ["pointers"] = Pointers.Run,
        ["primary"] = Primary.Run, ["properties"] = Properties.Run, ["records"] = Records.Run, ["refs"] = Refs.Run,
        ["refstructs"] = RefStructs.Run, ["rethrow"] = Rethrow.Run, ["spans"] = Spans.Run, ["statics"] = Statics.Run,
        ["strings"] = Strings.Run, ["structs"] = Structs.Run, ["switches"] = Switches.Run, ["threads"] = Threads.Run,
        ["tuples"] = Tuples.Run, ["usings"] = Usings.Run, ["writes"] = Writes.Run,
    };

    private static int Main(string[] args)
    {
        string wanted = args.Length > 0 ? args[0] : "all";
        if (wanted == "list")
        {
            Console.WriteLine(string.Join('\n', parts.Keys));
        }
        else if (wanted == "all")
        {
            foreach (Action part in parts.Values)
            {
                part();
            }
        }
        else if (parts.TryGetValue(wanted, out Action part))
        {
            part();
        }
        else
        {
            Console.Error.WriteLine($"no part named {wanted}");
            return 1;
        }
        Console.WriteLine($"{wanted}: success");
        return 0;
    }
}
