using System.Collections.Concurrent;

namespace Thrown;

// Throws in many ways, counts itself, and prints what it has counted:
//   type NAME COUNT                         by FirstChanceException, which the runtime raises for each throw
//   place TYPE|THROWN|CAUGHT COUNT          by the handlers; a name with "below " is of the recorded method below which it was
public static class Program
{
    private static readonly ConcurrentDictionary<string, int[]> Types = new();

    public static int Main(string[] arguments)
    {
        if (arguments.Length > 1)
        {
            Endings.End(arguments[1]);
        }
        int rounds = arguments.Length > 0 ? int.Parse(arguments[0]) : 10;
        AppDomain.CurrentDomain.FirstChanceException += (_, thrown) => Count(Types, NameOf(thrown.Exception.GetType()), 1);
        var threads = new Thread[4];
        for (int i = 0; i < threads.Length; i++)
        {
            threads[i] = new Thread(() => Parts.All(rounds)) { Name = "thrower " + i };
            threads[i].Start();
        }
        foreach (Thread thread in threads)
        {
            thread.Join();
        }
        Waiting.All(rounds).GetAwaiter().GetResult();
        foreach (var (type, count) in Types.OrderBy(pair => pair.Key, StringComparer.Ordinal))
        {
            Console.WriteLine($"type {type} {count[0]}");
        }
        foreach (var (place, count) in Places.Counted.OrderBy(pair => pair.Key, StringComparer.Ordinal))
        {
            Console.WriteLine($"place {place} {count[0]}");
        }
        return 0;
    }

    private static string NameOf(Type type)
    {
        return type.IsGenericType ? $"{type.FullName[..type.FullName.IndexOf('`')]}<{string.Join(",", type.GetGenericArguments().Select(NameOf))}>"
                                  : type.FullName;
    }

    internal static void Count(ConcurrentDictionary<string, int[]> counts, string key, int by)
    {
        Interlocked.Add(ref counts.GetOrAdd(key, _ => new int[1])[0], by);
    }
}

public static class Places
{
    public static readonly ConcurrentDictionary<string, int[]> Counted = new();

    // Exceptions of one type were thrown in a method and caught in one; "" is nowhere.
    public static void Note(string type, string thrown, string caught, int count)
    {
        Program.Count(Counted, $"{type}|{thrown}|{caught}", count);
    }
}

public sealed class DirectException(string message) : Exception(message);
public sealed class AgainException() : Exception("again");
public sealed class FilteredException() : Exception(null);
public sealed class SwallowedException() : Exception("in a filter");
public sealed class ReplacedException() : Exception("replaced");
public sealed class ReplacingException() : Exception("replacing");
public sealed class InnerException<T>() : Exception("in a finally of " + typeof(T).Name);
public sealed class OuterException() : Exception("goes on");
public sealed class InvokedException() : Exception("through reflection");
public sealed class LateException(int number) : Exception($"late {number}");
public sealed class EarlyException() : Exception("early");
