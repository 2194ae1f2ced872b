// A small threaded HTTP/1.1 server of its own, on loopback. `HttpServer make FOLDER` draws the site: a page with 20 pictures,
// 1.3 MB in all. `HttpServer serve FOLDER REQUESTS PORTFILE [THREADS]` serves it on a port of the system's choice, which it
// writes into PORTFILE, and ends when it has answered that many requests.
namespace HttpServer;

internal static class Program
{
    private const int PatienceMs = 120_000;

    private static int Main(string[] args)
    {
        if (args.Length == 2 && args[0] == "make")
        {
            new Painter(args[1]).Make();
        }
        else if (args.Length is 4 or 5 && args[0] == "serve")
        {
            Serve(args[1], int.Parse(args[2]), args[3], args.Length > 4 ? int.Parse(args[4]) : 4);
        }
        else
        {
            Console.Error.WriteLine("usage: HttpServer make FOLDER | serve FOLDER REQUESTS PORTFILE [THREADS]");
            return 2;
        }
        Console.WriteLine("httpserver: success");
        return 0;
    }

    private static void Serve(string folder, int requests, string portFile, int threads)
    {
        // Do not wait for ever for a client that never comes.
        using var patience = new Timer(_ => Environment.Exit(1), null, PatienceMs, Timeout.Infinite);
        var site = new Site(folder);
        var server = new Server(site, requests);
        int port = server.Start(threads);
        File.WriteAllText(portFile + ".new", port.ToString());
        File.Move(portFile + ".new", portFile, true);
        server.Run();
        Console.WriteLine($"{site.Count} files, {site.Bytes} bytes");
        foreach ((int status, int times) in server.Statuses)
        {
            Console.WriteLine($"{status} {Response.Reason(status)}: {times}");
        }
        Console.WriteLine($"{server.Answered} answers, {server.BodyBytes} bytes of bodies");
    }
}
