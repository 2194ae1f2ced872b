// `Unloaded COUNT LIBRARY`: runs the library in COUNT collectible contexts, one after another, and waits until each is unloaded. The last
// line says how many are not, and how many collections that took.
using System.Collections;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;

namespace Unloaded;

internal static class Program
{
    private const int TriesMax = 20;

    private static int Main(string[] arguments)
    {
        int alive = 0, collections = 0;
        for (int number = 0; number < int.Parse(arguments[0]); number++)
        {
            WeakReference context = Once(arguments[1], number);
            for (int tries = 0; context.IsAlive && tries < TriesMax; tries++)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                collections++;
            }
            alive += context.IsAlive ? 1 : 0;
        }
        Console.WriteLine($"alive: {alive}, collections: {collections}");
        return alive == 0 ? 0 : 1;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference Once(string path, int number)
    {
        var context = new AssemblyLoadContext("extension " + number, true);
        Assembly extension = context.LoadFromAssemblyPath(Path.GetFullPath(path));
        Console.WriteLine(extension.GetType("Extension.Entry").GetMethod("Run").Invoke(null, new object[] { number }));
        Type cell = extension.GetType("Extension.Cell");
        var list = (IList)Activator.CreateInstance(typeof(List<>).MakeGenericType(cell));
        list.Add(Keep(Activator.CreateInstance(cell)));
        context.Unload();
        return new WeakReference(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static T Keep<T>(T value)
    {
        T kept = value;
        return kept;
    }
}
