// Async methods whose every logical call, run and wait is known: `Logical PART [THREADS [storm]]`. Each part runs on THREADS
// threads (1); with `storm`, another thread collects garbage all the time. See Oracle.cs for how the program counts.
using System.Reflection;
using System.Runtime.CompilerServices;
using Outside;

namespace Logical;

internal static class Program
{
    private static readonly Dictionary<string, Func<Task>> parts = new()
    {
        ["tasks"] = Tasks.All,
        ["pooled"] = Tasks.AllPooled,
        ["builders"] = Builders.All,
        ["voids"] = Builders.Voids,
        ["lambdas"] = Functions.Lambdas,
        ["generics"] = Functions.Generics,
        ["between"] = Functions.Between,
        ["streams"] = Streams.All,
        ["together"] = Children.Together,
        ["started"] = Children.Started,
        ["later"] = Children.Later,
        ["deep"] = Children.Deep,
        ["abyss"] = Children.Abyss,
        ["marked"] = Marks.All,
        ["inline"] = Children.Inline,
        ["crowd"] = Children.Crowd,
        ["many"] = Children.Many,
        ["killed"] = Children.Killed,
        ["callbacks"] = Callbacks.All,
        ["failures"] = Ends.Failures,
        ["cancelled"] = Ends.Cancelled,
        ["blocks"] = Ends.Blocks,
        ["kinds"] = Kinds.All,
        ["mixed"] = Mixed.All,
    };

    public static int Main(string[] arguments)
    {
        Frame frame = Oracle.Enter();
        if (arguments is ["list"])
        {
            Console.WriteLine(string.Join("\n", parts.Keys));
            return 0;
        }
        if (arguments is ["methods"])
        {
            Methods();
            return 0;
        }
        if (arguments.Contains("storm"))
        {
            Storm.Begin();
        }
        Pump.Run(arguments.Length > 1 ? int.Parse(arguments[1]) : 1, parts[arguments[0]]);
        frame.End();
        Oracle.Write();
        Console.WriteLine("logical: success");
        return 0;
    }

    // How each async method of the program and its libraries is compiled: `machine` or `runtime`, then its type and name.
    private static void Methods()
    {
        const BindingFlags all = BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
        foreach (Type type in new[] { typeof(Program), typeof(Relay.Relays), typeof(Oracle) }.SelectMany(one => one.Assembly.GetTypes()))
        {
            foreach (MethodInfo method in type.GetMethods(all))
            {
                bool machine = method.IsDefined(typeof(StateMachineAttribute)) && !method.IsDefined(typeof(IteratorStateMachineAttribute));
                if (machine || ((int)method.MethodImplementationFlags & 0x2000) != 0)
                {
                    Console.WriteLine($"{type.Assembly.GetName().Name} {(machine ? "machine" : "runtime")} {type.Name}.{method.Name}");
                }
            }
        }
    }
}
