namespace Day;

// An order of a customer. Points are given for whole euros.
sealed class Order(int id, decimal price, int count)
{
    public int Id { get; } = id;
    public decimal Price { get; } = price;
    public int Count { get; set; } = count;
    public DateTime Placed { get; init; }

    public decimal Total() => Price * Count;
}

sealed class Customer(string name)
{
    public string Name { get; } = name;
    public int Points { get; set; }
}

static class Orders
{
    public static void Run()
    {
        var customer = new Customer("Ann Ö.");
        var orders = new List<Order>
        {
            new(51, 9.50m, 2) { Placed = new DateTime(2024, 5, 1, 8, 30, 0, DateTimeKind.Utc) },
            new(52, 4.25m, 3) { Placed = new DateTime(2024, 5, 2, 17, 5, 0, DateTimeKind.Utc) },
            new(53, 100m, 1) { Placed = new DateTime(2024, 5, 3, 0, 0, 0, DateTimeKind.Utc) },
        };
        decimal sum = 0;
        foreach (Order order in orders)
        {
            decimal total = Discounted(order);
            customer.Points += (int)total;
            sum += total;
        }
        Console.WriteLine($"{customer.Name}: {sum.ToString(System.Globalization.CultureInfo.InvariantCulture)}, {customer.Points} points");
    }

    // The mistake: order 52 counts ten times.
    static decimal Discounted(Order order)
    {
        if (order.Id == 52)
        {
            order.Count *= 10;
        }
        return order.Total() > 50 ? order.Total() * 0.9m : order.Total();
    }
}
