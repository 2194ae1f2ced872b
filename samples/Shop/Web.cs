// What a request passes: two middlewares, then an endpoint.
using Outside;

namespace Shop;

internal sealed class NotFoundException(string what) : Exception(what);

internal sealed class ErrorPages(RequestDelegate next)
{
    public async Task InvokeAsync(HttpContext context)
    {
        using Frame call = Oracle.EnterAsyncRoot("ErrorPages.InvokeAsync");
        try
        {
            await next(context);
        }
        catch (NotFoundException problem)
        {
            context.Response.StatusCode = StatusCodes.Status404NotFound;
            await context.Response.WriteAsync(problem.Message);
        }
    }
}

// Finds out whose request it is before anything else works on it.
internal sealed class Recognition(RequestDelegate next, Sessions sessions)
{
    public async Task InvokeAsync(HttpContext context)
    {
        using Frame call = Oracle.EnterAsync("Recognition.InvokeAsync");
        context.Items["customer"] = await sessions.Customer(context.Request.Headers["Session"].ToString());
        await next(context);
    }
}

internal static class Endpoints
{
    public static async Task<string> GetProduct(int id, Catalog catalog)
    {
        using Frame call = Oracle.EnterAsync("Endpoints.GetProduct");
        Product product = await catalog.Find(id);
        return $"{product.Name} {product.Price}";
    }

    public static async Task ListProducts(HttpResponse response, Catalog catalog)
    {
        using Frame call = Oracle.EnterAsync("Endpoints.ListProducts");
        await using var writer = new StreamWriter(response.Body);
        await foreach (Product product in catalog.All())
        {
            await writer.WriteLineAsync($"{product.Name};{product.Price}");
        }
    }

    public static async Task<string> ImportPrices(Stream body)
    {
        using Frame call = Oracle.EnterAsync("Endpoints.ImportPrices");
        using var reader = new StreamReader(body);
        int lines = 0;
        long sum = 0;
        while (await reader.ReadLineAsync() is string line)
        {
            lines++;
            sum += long.Parse(line.AsSpan(line.IndexOf(';') + 1));
        }
        return $"{lines} prices, {sum} in all";
    }

    public static async Task<string> PlaceOrder(NewOrder order, Orders orders, HttpContext context)
    {
        using Frame call = Oracle.EnterAsync("Endpoints.PlaceOrder");
        long total = await orders.Place(order, (string)context.Items["customer"]!);
        return $"order {order.Number} of {context.Items["customer"]}: {total}";
    }

    public static async Task<string> GetCheckout(int first, Checkout checkout)
    {
        using Frame call = Oracle.EnterAsync("Endpoints.GetCheckout");
        return $"to pay: {await checkout.Total(Enumerable.Range(first, 8))}";
    }

    // Stands for a service elsewhere, which takes its time.
    public static async Task<string> GetDiscount(int product)
    {
        using Frame call = Oracle.EnterAsync("Endpoints.GetDiscount");
        await Task.Delay(3);
        return $"{product % 5}";
    }
}
