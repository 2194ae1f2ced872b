// Compiles every non-generic method of the assemblies in the folders given, without running any of them, and says what the
// JIT refused. Recorded with everything in scope, it shows that the JIT accepts every woven body.
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

    private static int Main(string[] folders)
    {
        int assemblies = 0, prepared = 0;
        foreach (string path in folders.SelectMany(f => Directory.GetFiles(f, "*.dll")).OrderBy(p => p, StringComparer.Ordinal))
        {
            Assembly? assembly = Load(path);
            if (assembly is null)
            {
                continue;
            }
            assemblies++;
            foreach (MethodBase method in MethodsOf(assembly))
            {
                prepared += Prepare(method) ? 1 : 0;
            }
        }
        Console.WriteLine($"{assemblies} assemblies, {prepared} methods prepared");
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

    private static bool Prepare(MethodBase method)
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
            string where = e is InvalidProgramException ? $" {method.DeclaringType}.{method.Name}" : "";
            string reason = e.GetType().Name + where;
            Refused[reason] = Refused.GetValueOrDefault(reason) + 1;
            return false;
        }
    }
}
