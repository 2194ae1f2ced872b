// The same assembly in two load contexts: two modules, two sets of static fields.
using System.Reflection;
using System.Runtime.Loader;

namespace Features;

public static class Contexts
{
    private static int count;

    public static void Run()
    {
        int first = Call("first", 3);
        int second = Call("second", 1);
        Console.WriteLine($"{first} {second} {count}");
    }

    private static int Call(string name, int times)
    {
        var context = new AssemblyLoadContext(name, isCollectible: true);
        Assembly copy = context.LoadFromAssemblyPath(typeof(Contexts).Assembly.Location);
        MethodInfo method = copy.GetType("Features.Contexts").GetMethod("Count");
        object result = method.Invoke(null, new object[] { times });
        context.Unload();
        return (int)result;
    }

    public static int Count(int times)
    {
        count += times;
        return count;
    }
}
