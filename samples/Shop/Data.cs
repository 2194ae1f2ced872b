// SQLite: products by ADO.NET, orders by Entity Framework.
using System.Data.Common;
using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore;
using Outside;

namespace Shop;

internal sealed record Product(string Name, long Price);

internal sealed class Order
{
    public int Id { get; set; }
    public required string Customer { get; set; }
    public long Total { get; set; }
    public bool Shipped { get; set; }
}

internal sealed class Storage(Place place)
{
    public const int Products = 200;
    public const int Customers = 100;

    // One writer at a time, as SQLite wants it.
    public SemaphoreSlim Writer { get; } = new(1);

    public string Connection => $"Data Source={Path.Combine(place.Folder, "shop.db")}";

    public async Task Create()
    {
        using Frame call = Oracle.EnterAsync("Storage.Create");
        IEnumerable<string> sessions = Enumerable.Range(0, Customers).Select(n => $"s{n} customer {n}");
        await File.WriteAllLinesAsync(Path.Combine(place.Folder, "sessions"), sessions);
        await Execute("PRAGMA journal_mode = wal; CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, price INTEGER);"
            + "CREATE TABLE orders (Id INTEGER PRIMARY KEY, Customer TEXT, Total INTEGER, Shipped INTEGER);"
            + $"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {Products - 1}) "
            + "INSERT INTO products SELECT i, 'thing ' || i, 100 + 7 * i FROM n");
    }

    public async Task<int> Shipped()
    {
        using Frame call = Oracle.EnterAsync("Storage.Shipped");
        return (int)(long)(await Execute("SELECT count(*) FROM orders WHERE Shipped"))!;
    }

    private async Task<object?> Execute(string sql)
    {
        using Frame call = Oracle.EnterAsync("Storage.Execute");
        await using var connection = new SqliteConnection(Connection);
        await connection.OpenAsync();
        await using var command = new SqliteCommand(sql, connection);
        return await command.ExecuteScalarAsync();
    }
}

internal sealed class ProductRepository(Storage storage)
{
    public async Task<Product?> Find(int id)
    {
        using Frame call = Oracle.EnterAsync("ProductRepository.Find");
        await using var connection = new SqliteConnection(storage.Connection);
        await connection.OpenAsync();
        await using var command = new SqliteCommand("SELECT name, price FROM products WHERE id = $id", connection);
        command.Parameters.AddWithValue("$id", id);
        await using DbDataReader reader = await command.ExecuteReaderAsync();
        return await reader.ReadAsync() ? new Product(reader.GetString(0), reader.GetInt64(1)) : null;
    }

    public async IAsyncEnumerable<Product> All()
    {
        await using var connection = new SqliteConnection(storage.Connection);
        await connection.OpenAsync();
        await using var command = new SqliteCommand("SELECT name, price FROM products ORDER BY id", connection);
        await using DbDataReader reader = await command.ExecuteReaderAsync();
        while (await reader.ReadAsync())
        {
            yield return new Product(reader.GetString(0), reader.GetInt64(1));
        }
    }
}

internal sealed class OrderContext(Storage storage) : DbContext
{
    public DbSet<Order> Orders => Set<Order>();

    protected override void OnConfiguring(DbContextOptionsBuilder options) => options.UseSqlite(storage.Connection);

    protected override void OnModelCreating(ModelBuilder model) => model.Entity<Order>().ToTable("orders");
}

internal sealed class OrderRepository(OrderContext context, Storage storage)
{
    public async Task Add(Order order)
    {
        using Frame call = Oracle.EnterAsync("OrderRepository.Add");
        context.Orders.Add(order);
        await Save();
    }

    public async Task Ship(int id)
    {
        using Frame call = Oracle.EnterAsync("OrderRepository.Ship");
        Order order = await context.Orders.SingleAsync(order => order.Id == id);
        order.Shipped = true;
        await Save();
    }

    private async Task Save()
    {
        using Frame call = Oracle.EnterAsync("OrderRepository.Save");
        await storage.Writer.WaitAsync();
        try
        {
            await context.SaveChangesAsync();
        }
        finally
        {
            storage.Writer.Release();
        }
    }
}
