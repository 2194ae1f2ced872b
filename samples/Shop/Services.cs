// What the endpoints are made of, and what runs beside them.
using System.Threading.Channels;
using Outside;

namespace Shop;

internal sealed record NewOrder(int Number, int[] Products);

// Where the shop keeps its files.
internal sealed record Place(string Folder);

internal sealed class Sessions(Place place)
{
    private readonly SemaphoreSlim gate = new(4);

    public async Task<string> Customer(string session)
    {
        using Frame call = Oracle.EnterAsync("Sessions.Customer");
        await gate.WaitAsync();
        try
        {
            using var file = new StreamReader(Path.Combine(place.Folder, "sessions"));
            while (await file.ReadLineAsync() is string line)
            {
                if (line.StartsWith(session + " "))
                {
                    return line[(session.Length + 1)..];
                }
            }
            return "nobody";
        }
        finally
        {
            gate.Release();
        }
    }
}

internal sealed class Catalog(ProductRepository products)
{
    public async Task<Product> Find(int id)
    {
        using Frame call = Oracle.EnterAsync("Catalog.Find");
        return await products.Find(id) ?? throw new NotFoundException($"no product {id}");
    }

    public IAsyncEnumerable<Product> All() => products.All();
}

internal sealed class Orders(Catalog catalog, OrderRepository orders, Queue placed)
{
    public async Task<long> Place(NewOrder order, string customer)
    {
        using Frame call = Oracle.EnterAsync("Orders.Place");
        long total = 0;
        foreach (int id in order.Products)
        {
            total += (await catalog.Find(id)).Price;
        }
        await orders.Add(new Order { Id = order.Number, Customer = customer, Total = total });
        await placed.Writer.WriteAsync(order.Number);
        return total;
    }
}

internal sealed class Checkout(Catalog catalog, Discounts discounts)
{
    // Asks for one discount after the other: this is what makes it slow.
    public async Task<long> Total(IEnumerable<int> products)
    {
        using Frame call = Oracle.EnterAsync("Checkout.Total");
        long total = 0;
        foreach (int id in products)
        {
            Product product = await catalog.Find(id);
            total += product.Price * (100 - await discounts.Percent(id));
        }
        return total / 100;
    }
}

internal sealed class Discounts(HttpClient http)
{
    public async Task<int> Percent(int product)
    {
        using Frame call = Oracle.EnterAsync("Discounts.Percent");
        return int.Parse(await http.GetStringAsync($"/discounts/{product}"));
    }
}

internal sealed class Queue
{
    private readonly Channel<int> orders = Channel.CreateBounded<int>(100);

    public ChannelWriter<int> Writer => orders.Writer;

    public ChannelReader<int> Reader => orders.Reader;
}

// Ships the orders that were placed, one after the other.
internal sealed class Shipping(Queue placed, IServiceScopeFactory scopes) : BackgroundService
{
    protected override async Task ExecuteAsync(CancellationToken stopping)
    {
        using Frame call = Oracle.EnterAsync("Shipping.ExecuteAsync");
        await foreach (int order in placed.Reader.ReadAllAsync(CancellationToken.None))
        {
            await Ship(order);
        }
    }

    public override async Task StopAsync(CancellationToken token)
    {
        using Frame call = Oracle.EnterAsync("Shipping.StopAsync");
        placed.Writer.Complete();
        await ExecuteTask!;
    }

    private async Task Ship(int order)
    {
        using Frame call = Oracle.EnterAsync("Shipping.Ship");
        await using AsyncServiceScope scope = scopes.CreateAsyncScope();
        await scope.ServiceProvider.GetRequiredService<OrderRepository>().Ship(order);
    }
}

internal sealed class StockTaking(Storage storage) : BackgroundService
{
    protected override async Task ExecuteAsync(CancellationToken stopping)
    {
        using Frame call = Oracle.EnterAsync("StockTaking.ExecuteAsync");
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(20));
        while (!stopping.IsCancellationRequested && await timer.WaitForNextTickAsync(CancellationToken.None))
        {
            await Take();
        }
    }

    private async Task Take()
    {
        using Frame call = Oracle.EnterAsync("StockTaking.Take");
        await storage.Shipped();
    }
}
