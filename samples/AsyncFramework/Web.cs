// Kestrel on a loopback port of the system's choice, and HttpClient, which sends it requests of five kinds.
using System.Net.Http.Json;

namespace AsyncFramework;

internal static class Web
{
    private const int Times = 60;

    public static async Task<string> Requests()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        await using WebApplication application = builder.Build();
        application.Use(Timed);
        application.MapGet("/add/{a:int}/{b:int}", async (int a, int b) =>
        {
            await Task.Yield();
            return (a + b).ToString();
        });
        application.MapPost("/bytes", Bytes);
        application.MapGet("/stream/{count:int}", Stream);
        application.MapGet("/slow", async (HttpContext context) => await Task.Delay(Timeout.Infinite, context.RequestAborted));
        application.MapGet("/fail", Fail);
        await application.StartAsync();
        string result = await Load(new Uri(application.Urls.First()));
        await application.StopAsync();
        return result;
    }

    private static async Task Timed(HttpContext context, RequestDelegate next)
    {
        try
        {
            await next(context);
        }
        catch (InvalidOperationException)
        {
            context.Response.StatusCode = 503;
            await context.Response.WriteAsync("failed");
        }
    }

    private static async Task Bytes(HttpContext context)
    {
        var buffer = new byte[1000];
        long sum = 0;
        for (int read; (read = await context.Request.Body.ReadAsync(buffer)) > 0;)
        {
            for (int i = 0; i < read; i++)
            {
                sum += buffer[i];
            }
        }
        await context.Response.WriteAsync(sum.ToString());
    }

    private static async Task Stream(HttpContext context, int count)
    {
        for (int i = 0; i < count; i++)
        {
            await context.Response.WriteAsync($"{i}\n");
            await context.Response.Body.FlushAsync();
        }
    }

    private static async Task Fail(HttpContext context)
    {
        await Task.Yield();
        throw new InvalidOperationException("fail");
    }

    private static async Task<string> Load(Uri root)
    {
        using var client = new HttpClient { BaseAddress = root, Timeout = TimeSpan.FromSeconds(120) };
        using var atOnce = new SemaphoreSlim(8);
        long[][] answers = await Task.WhenAll(Enumerable.Range(0, Times).Select(async n =>
        {
            await atOnce.WaitAsync();
            try
            {
                return new[] { await Added(client, n), await Posted(client, n), await Streamed(client, n), await Failed(client), await Aborted(client) };
            }
            finally
            {
                atOnce.Release();
            }
        }));
        long[] sums = Enumerable.Range(0, 5).Select(kind => answers.Sum(answer => answer[kind])).ToArray();
        return $"added {sums[0]}, bytes {sums[1]}, lines {sums[2]}, {sums[3]} failed, {sums[4]} aborted";
    }

    private static async Task<long> Added(HttpClient client, int n) => await client.GetFromJsonAsync<int>($"/add/{n}/{n + 1}");

    private static async Task<long> Posted(HttpClient client, int n)
    {
        using var content = new ByteArrayContent(Enumerable.Range(0, n * 200).Select(i => (byte)i).ToArray());
        using HttpResponseMessage answer = await client.PostAsync("/bytes", content);
        return long.Parse(await answer.Content.ReadAsStringAsync());
    }

    private static async Task<long> Streamed(HttpClient client, int n)
    {
        using HttpResponseMessage answer = await client.GetAsync($"/stream/{n}", HttpCompletionOption.ResponseHeadersRead);
        using var reader = new StreamReader(await answer.Content.ReadAsStreamAsync());
        long sum = 0;
        while (await reader.ReadLineAsync() is string line)
        {
            sum += int.Parse(line);
        }
        return sum;
    }

    private static async Task<long> Failed(HttpClient client)
    {
        using HttpResponseMessage answer = await client.GetAsync("/fail");
        return (int)answer.StatusCode == 503 && await answer.Content.ReadAsStringAsync() == "failed" ? 1 : 0;
    }

    private static async Task<long> Aborted(HttpClient client)
    {
        using var source = new CancellationTokenSource(20);
        try
        {
            await client.GetStringAsync("/slow", source.Token);
            return 0;
        }
        catch (OperationCanceledException)
        {
            return 1;
        }
    }
}
