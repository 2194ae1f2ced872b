// Fails before Main, or as it begins, at the point that the variable EARLY names: `module`, `type`, `main`; otherwise ends
// with 3. `resolver` loads Companion from the folder "apart". Each of these points throws and catches an exception first.
//
// test/sample/early makes the methods after Main the entry point: do not change their order, and leave Main before them.
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;

namespace Early;

internal class Program
{
    static Program() => Place.Reach("type");

    private static int Main()
    {
        Place.Reach("main");
        Console.WriteLine("early: success");
        return Companion.Base.Answer();
    }

    // No entry point can be one of these.
    private void Instance() => Console.WriteLine(this);

    private static void Generic<T>() => Console.WriteLine(typeof(T));

    private static void Arguments(string[] first, string[] second) => Console.WriteLine(first.Length + second.Length);

    private static string Text() => "not an exit status";
}

// An entry point in a class that does not load without Companion.
internal class Derived : Companion.Base
{
    private static int Start() => Answer();
}

internal static class Place
{
    private static readonly string? Wanted = Environment.GetEnvironmentVariable("EARLY");

    internal static void Reach(string name)
    {
        try
        {
            Throw(name);
        }
        catch (InvalidOperationException)
        {
        }
        if (name == Wanted)
        {
            Throw(name);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Throw(string name) => throw new InvalidOperationException($"from {name}");
}

internal static class Initializer
{
    [ModuleInitializer]
    internal static void Run()
    {
        Place.Reach("module");
        AssemblyLoadContext.Default.Resolving += Resolve;
    }

    private static Assembly? Resolve(AssemblyLoadContext context, AssemblyName name)
    {
        Place.Reach("resolver of " + name.Name);
        string path = Path.Combine(AppContext.BaseDirectory, "apart", name.Name + ".dll");
        return File.Exists(path) ? context.LoadFromAssemblyPath(path) : null;
    }
}
