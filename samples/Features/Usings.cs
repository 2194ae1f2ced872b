// Which objects are disposed of, when, and in which order.
namespace Features;

internal static class Usings
{
    private static string log = "";

    private sealed class Resource(string name) : IDisposable
    {
        public void Dispose()
        {
            log += name;
        }
    }

    public static void Run()
    {
        using (var outer = new Resource("outer "))
        {
            using var inner = new Resource("inner ");
            log += "body ";
        }
        Console.WriteLine(log);
    }
}
