// Clients that send requests of all kinds and check each answer.
using System.Net;
using Outside;

namespace Shop;

internal sealed class Clients(HttpClient http)
{
    public const int Kinds = 6;
    private const int AtOnce = 8;

    private static int Price(int product) => 100 + 7 * product;

    // Returns how many answers were right.
    public static async Task<int> Run(Uri address, int requests)
    {
        using Frame call = Oracle.EnterAsync("Clients.Run");
        using var http = new HttpClient { BaseAddress = address };
        var clients = new Clients(http);
        int right = 0, next = 0;
        // The first of each kind alone, since most of its time is that of the compiler.
        for (; next < Math.Min(Kinds, requests); next++)
        {
            right += await clients.Ask(next) ? 1 : 0;
        }
        var running = new Task<int>[AtOnce];
        for (int i = 0; i < AtOnce; i++)
        {
            running[i] = clients.AskMany(next + i, requests);
        }
        return right + (await Task.WhenAll(running)).Sum();
    }

    private async Task<int> AskMany(int first, int requests)
    {
        using Frame call = Oracle.EnterAsync("Clients.AskMany");
        int right = 0;
        for (int n = first; n < requests; n += AtOnce)
        {
            right += await Ask(n) ? 1 : 0;
        }
        return right;
    }

    private Task<bool> Ask(int n) => (n % Kinds) switch
    {
        0 => GetProduct(n % Storage.Products),
        1 => GetMissingProduct(Storage.Products + n),
        2 => ListProducts(),
        3 => ImportPrices(n),
        4 => PlaceOrder(n),
        _ => GetCheckout(n % 100),
    };

    private async Task<bool> GetProduct(int id)
    {
        using Frame call = Oracle.EnterAsync("Clients.GetProduct");
        return await http.GetStringAsync($"/products/{id}") == $"thing {id} {Price(id)}";
    }

    private async Task<bool> GetMissingProduct(int id)
    {
        using Frame call = Oracle.EnterAsync("Clients.GetMissingProduct");
        using HttpResponseMessage answer = await http.GetAsync($"/products/{id}");
        return answer.StatusCode == HttpStatusCode.NotFound && await answer.Content.ReadAsStringAsync() == $"no product {id}";
    }

    private async Task<bool> ListProducts()
    {
        using Frame call = Oracle.EnterAsync("Clients.ListProducts");
        using var reader = new StreamReader(await http.GetStreamAsync("/products"));
        int id = 0;
        bool right = true;
        for (; await reader.ReadLineAsync() is string line; id++)
        {
            right &= line == $"thing {id};{Price(id)}";
        }
        return right && id == Storage.Products;
    }

    private async Task<bool> ImportPrices(int lines)
    {
        using Frame call = Oracle.EnterAsync("Clients.ImportPrices");
        var prices = new StringContent(string.Concat(Enumerable.Range(0, 20 * lines).Select(n => $"thing {n};{n}\n")));
        using HttpResponseMessage answer = await http.PostAsync("/products", prices);
        long sum = 20L * lines * (20 * lines - 1) / 2;
        return await answer.Content.ReadAsStringAsync() == $"{20 * lines} prices, {sum} in all";
    }

    private async Task<bool> PlaceOrder(int number)
    {
        using Frame call = Oracle.EnterAsync("Clients.PlaceOrder");
        int id = number % (Storage.Products - 2), customer = number % Storage.Customers;
        using var request = new HttpRequestMessage(HttpMethod.Post, "/orders");
        request.Headers.Add("Session", $"s{customer}");
        request.Content = JsonContent.Create(new NewOrder(number, [id, id + 1, id + 2]));
        using HttpResponseMessage answer = await http.SendAsync(request);
        return await answer.Content.ReadAsStringAsync() == $"order {number} of customer {customer}: {3 * Price(id + 1)}";
    }

    private async Task<bool> GetCheckout(int first)
    {
        using Frame call = Oracle.EnterAsync("Clients.GetCheckout");
        long total = Enumerable.Range(first, 8).Sum(id => (long)Price(id) * (100 - id % 5));
        return await http.GetStringAsync($"/checkout/{first}") == $"to pay: {total / 100}";
    }
}
