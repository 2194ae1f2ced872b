// Load contexts that are made, used and given up, one after the other.
using System.Runtime.CompilerServices;
using System.Runtime.Loader;

namespace Threads;

static class Contexts
{
    public static bool Run(int count, string library)
    {
        byte[] image = File.ReadAllBytes(library);
        var left = new List<WeakReference>();
        int sum = 0;
        for (int i = 0; i < count; i++)
        {
            sum += Use(image, left);
            if (i % 50 == 49)
                Collect(left);
        }
        for (int i = 0; i < 20 && left.Count > 0; i++)
            Collect(left);
        Console.WriteLine($"{left.Count} contexts are left");
        return sum == count && left.Count == 0;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Use(byte[] image, List<WeakReference> left)
    {
        var context = new AssemblyLoadContext("plugin", isCollectible: true);
        var assembly = context.LoadFromStream(new MemoryStream(image));
        object? result = assembly.GetType("Plugin.Worker")!.GetMethod("Work")!.Invoke(null, [3]);
        left.Add(new WeakReference(context));
        context.Unload();
        return result is 0 + 1 + 4 ? 1 : 0;
    }

    static void Collect(List<WeakReference> left)
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        left.RemoveAll(context => !context.IsAlive);
    }
}
