// Compiles every non-generic method of the assemblies in the given folders, without running any of them, and prints the
// methods that the JIT refused. Recorded with everything in scope, it shows that the JIT accepts every instrumented body. It
// searches references in all the folders. If one is missing, results depend on the order of compilation; for such assemblies
// and those that need them, only InvalidProgramException counts.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;

internal static class Program
{
    private const BindingFlags Declared = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance |
                                          BindingFlags.Static | BindingFlags.DeclaredOnly;

    private static readonly SortedDictionary<string, int> Refused = new(StringComparer.Ordinal);

    private static readonly Dictionary<string, string> Paths = new(StringComparer.OrdinalIgnoreCase); // by simple name

    private static int Main(string[] folders)
    {
        List<string> paths = folders.SelectMany(f => Directory.GetFiles(f, "*.dll").Order(StringComparer.Ordinal)).ToList();
        foreach (string path in paths)
        {
            Paths.TryAdd(Path.GetFileNameWithoutExtension(path), path);
        }
        AssemblyLoadContext.Default.Resolving += (context, name) =>
            name.Name is { } simple && Paths.TryGetValue(simple, out string? path) ? context.LoadFromAssemblyPath(path) : null;
        List<Assembly> assemblies = paths.Select(Load).OfType<Assembly>().Distinct().ToList();
        HashSet<string> lacking = Lacking(assemblies);
        int prepared = 0;
        foreach (Assembly assembly in assemblies)
        {
            bool whole = !lacking.Contains(assembly.FullName!);
            foreach (MethodBase method in MethodsOf(assembly))
            {
                prepared += Prepare(method, whole) && whole ? 1 : 0;
            }
        }
        List<string?> less = assemblies.Where(a => lacking.Contains(a.FullName!)).Select(a => a.GetName().Name).ToList();
        Console.WriteLine($"{assemblies.Count - less.Count} assemblies, {prepared} methods prepared");
        Console.WriteLine($"{less.Count} lack references: {string.Join(", ", less)}");
        foreach (var (reason, count) in Refused)
        {
            Console.WriteLine($"{reason}: {count}");
        }
        bool fine = !Refused.Keys.Any(r => r.StartsWith(nameof(InvalidProgramException), StringComparison.Ordinal));
        Console.WriteLine(fine ? "PREPARE OK" : "PREPARE FAILED");
        return fine ? 0 : 1;
    }

    private static Assembly? Load(string path)
    {
        try
        {
            AssemblyName name = AssemblyName.GetAssemblyName(path);
            try
            {
                return Assembly.Load(name);
            }
            catch (FileNotFoundException)
            {
                return AssemblyLoadContext.Default.LoadFromAssemblyPath(path);
            }
        }
        catch (Exception e) when (e is BadImageFormatException or FileLoadException)
        {
            return null;
        }
    }

    // The full names of assemblies that refer to a missing assembly, directly or not.
    private static HashSet<string> Lacking(IEnumerable<Assembly> assemblies)
    {
        Dictionary<string, List<string>> needs = [];
        HashSet<string> lacking = [];
        Stack<Assembly> rest = new(assemblies);
        while (rest.TryPop(out Assembly? assembly))
        {
            if (!needs.TryAdd(assembly.FullName!, []))
            {
                continue;
            }
            foreach (AssemblyName name in assembly.GetReferencedAssemblies())
            {
                if (Find(name) is not { } found)
                {
                    lacking.Add(assembly.FullName!);
                    continue;
                }
                needs[assembly.FullName!].Add(found.FullName!);
                rest.Push(found);
            }
        }
        int before;
        do
        {
            before = lacking.Count;
            lacking.UnionWith(needs.Where(need => need.Value.Any(lacking.Contains)).Select(need => need.Key).ToList());
        }
        while (lacking.Count > before);
        return lacking;
    }

    private static Assembly? Find(AssemblyName name)
    {
        try
        {
            return Assembly.Load(name);
        }
        catch (Exception e) when (e is FileNotFoundException or FileLoadException or BadImageFormatException)
        {
            return null;
        }
    }

    private static IEnumerable<MethodBase> MethodsOf(Assembly assembly)
    {
        Type?[] types;
        try
        {
            types = assembly.GetTypes();
        }
        catch (ReflectionTypeLoadException e)
        {
            types = e.Types;
        }
        foreach (Type? type in types)
        {
            if (type is null || type.ContainsGenericParameters)
            {
                continue;
            }
            foreach (MethodBase method in Members(type))
            {
                yield return method;
            }
        }
    }

    private static IEnumerable<MethodBase> Members(Type type)
    {
        IEnumerable<MethodBase> members = type.GetMethods(Declared);
        members = members.Concat(type.GetConstructors(Declared));
        return type.TypeInitializer is { } initializer ? members.Append(initializer).Distinct() : members;
    }

    private static bool Prepare(MethodBase method, bool whole)
    {
        if (method.IsAbstract || method.ContainsGenericParameters)
        {
            return false;
        }
        try
        {
            if (method.GetMethodBody() is null)
            {
                return false;
            }
            RuntimeHelpers.PrepareMethod(method.MethodHandle);
            return true;
        }
        catch (Exception e)
        {
            bool invalid = e is InvalidProgramException;
            if (whole || invalid)
            {
                string reason = e.GetType().Name + (invalid ? $" {method.DeclaringType}.{method.Name}" : "");
                Refused[reason] = Refused.GetValueOrDefault(reason) + 1;
            }
            return false;
        }
    }
}
