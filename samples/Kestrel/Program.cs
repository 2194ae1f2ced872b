// A web application on a loopback port of the system's choice that sends itself a bounded load and checks every answer.
using System.Net;

namespace KestrelSample;

internal static class Program
{
    private const int Requests = 400;
    private const int AtOnce = 8;

    private static async Task<int> Main()
    {
        Count.Add("KestrelSample.Program.Main.entry()", 1);
        Count.Hit("KestrelSample.Program.Main()");
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        await using WebApplication application = builder.Build();
        application.MapGet("/add/{a:int}/{b:int}", Add);
        application.MapGet("/json/{name}", Describe);
        application.MapPost("/echo", Echo);
        application.MapGet("/fail", Fail);
        await application.StartAsync();
        int right = Load(new Uri(application.Urls.First()));
        await application.StopAsync();
        Console.WriteLine($"right {right} of {Requests}");
        Count.Write();
        Console.WriteLine(right == Requests ? "kestrel: success" : "kestrel: failure");
        return right == Requests ? 0 : 1;
    }

    private static string Add(int a, int b)
    {
        Count.Hit("KestrelSample.Program.Add(int, int)");
        return (a + b).ToString();
    }

    private static IResult Describe(string name)
    {
        Count.Hit("KestrelSample.Program.Describe(string)");
        return Results.Text($"{{\"name\":\"{name}\",\"length\":{name.Length}}}", "application/json");
    }

    private static async Task Echo(HttpContext context)
    {
        Count.Hit("KestrelSample.Program.Echo(HttpContext)");
        using var reader = new StreamReader(context.Request.Body);
        string text = await reader.ReadToEndAsync();
        await context.Response.WriteAsync(Reverse(text));
    }

    private static string Reverse(string text)
    {
        Count.Hit("KestrelSample.Program.Reverse(string)");
        char[] characters = text.ToCharArray();
        Array.Reverse(characters);
        return new string(characters);
    }

    private static IResult Fail()
    {
        Count.Hit("KestrelSample.Program.Fail()");
        return Results.StatusCode(503);
    }

    private static int Load(Uri root)
    {
        Count.Hit("KestrelSample.Program.Load(Uri)");
        using var client = new HttpClient { BaseAddress = root, Timeout = TimeSpan.FromSeconds(60) };
        int next = -1;
        int right = 0;
        var threads = new Thread[AtOnce];
        for (int i = 0; i < threads.Length; i++)
        {
            threads[i] = new Thread(() =>
            {
                Count.Hit("KestrelSample.Program.Load.lambda#1()");
                for (int n = Interlocked.Increment(ref next); n < Requests; n = Interlocked.Increment(ref next))
                {
                    Interlocked.Add(ref right, Ask(client, n) ? 1 : 0);
                }
            });
            threads[i].Start();
        }
        foreach (Thread thread in threads)
        {
            thread.Join();
        }
        return right;
    }

    private static bool Ask(HttpClient client, int n)
    {
        Count.Hit("KestrelSample.Program.Ask(HttpClient, int)");
        switch (n % 4)
        {
            case 0:
                return client.GetStringAsync($"/add/{n}/{n + 1}").Result == (2 * n + 1).ToString();
            case 1:
                return client.GetStringAsync($"/json/n{n}").Result == $"{{\"name\":\"n{n}\",\"length\":{n.ToString().Length + 1}}}";
            case 2:
                string text = new string('x', 20 * n) + n;
                using (HttpResponseMessage answer = client.PostAsync("/echo", new StringContent(text)).Result)
                {
                    return answer.Content.ReadAsStringAsync().Result == Reverse(text);
                }
            default:
                using (HttpResponseMessage answer = client.GetAsync("/fail").Result)
                {
                    return answer.StatusCode == HttpStatusCode.ServiceUnavailable;
                }
        }
    }
}
