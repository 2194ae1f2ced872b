// Async methods of the framework, which .NET 11 has compiled with runtime async: Kestrel with HttpClient, channels, loops in parallel,
// streams, XML, JSON, cancellation. `AsyncFramework [PART]`: each part, or one, prints sums that are the same every time.
namespace AsyncFramework;

internal static class Program
{
    private static readonly (string, Func<Task<string>>)[] parts =
    [
        ("channels", Work.Channels), ("parallel", Work.InParallel), ("cancel", Work.Cancelled),
        ("streams", Streams.Bytes), ("xml", Streams.Xml), ("json", Streams.Json), ("web", Web.Requests),
    ];

    private static async Task<int> Main(string[] arguments)
    {
        foreach (var (name, part) in parts)
        {
            if (arguments.Length == 0 || arguments[0] == name)
            {
                Console.WriteLine($"{name}: {await part()}");
            }
        }
        Console.WriteLine("async framework: success");
        return 0;
    }
}
