// A web shop that is its own load: it starts on a free loopback port, its clients send it requests of six kinds in parallel and
// check each answer, and it ends. One kind is slow, and a recording shows why. Shop [REQUESTS]
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Outside;

namespace Shop;

internal static class Program
{
    private static async Task<int> Main(string[] arguments)
    {
        using Frame call = Oracle.EnterAsync("Program.Main");
        int requests = arguments.Length > 0 ? int.Parse(arguments[0]) : 480;
        DirectoryInfo folder = Directory.CreateTempSubdirectory("shop-");
        int right;
        try
        {
            right = await Serve(folder.FullName, requests);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
        Oracle.Write();
        Console.WriteLine($"right {right} of {requests}");
        return right == requests ? 0 : 1;
    }

    private static async Task<int> Serve(string folder, int requests)
    {
        using Frame call = Oracle.EnterAsync("Program.Serve");
        await using WebApplication application = Build(new Place(folder));
        await application.Services.GetRequiredService<Storage>().Create();
        await application.StartAsync();
        int right = await Clients.Run(AddressOf(application.Services), requests);
        await application.StopAsync();
        int placed = requests / Clients.Kinds, shipped = await application.Services.GetRequiredService<Storage>().Shipped();
        if (shipped != placed)
        {
            Console.Error.WriteLine($"shipped {shipped} of {placed} orders, right {right}");
            return 0;
        }
        return right;
    }

    private static WebApplication Build(Place place)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        // Without a limit on how slowly a body may come, since a busy machine can stop all of this for seconds.
        builder.WebHost.UseUrls("http://127.0.0.1:0").ConfigureKestrel(server =>
        {
            server.Limits.MinRequestBodyDataRate = null;
            server.Limits.MinResponseDataRate = null;
        });
        builder.Services.AddSingleton(place).AddSingleton<Storage>().AddSingleton<Sessions>().AddSingleton<Queue>();
        builder.Services.AddDbContext<OrderContext>().AddScoped<OrderRepository>().AddScoped<ProductRepository>();
        builder.Services.AddScoped<Catalog>().AddScoped<Orders>().AddScoped<Checkout>();
        builder.Services.AddHttpClient<Discounts>((services, http) => http.BaseAddress = AddressOf(services));
        builder.Services.AddHostedService<Shipping>().AddHostedService<StockTaking>();
        WebApplication application = builder.Build();
        application.UseMiddleware<ErrorPages>();
        application.UseMiddleware<Recognition>();
        application.MapGet("/products/{id:int}", Endpoints.GetProduct);
        application.MapGet("/products", Endpoints.ListProducts);
        application.MapPost("/products", Endpoints.ImportPrices);
        application.MapPost("/orders", Endpoints.PlaceOrder);
        application.MapGet("/checkout/{first:int}", Endpoints.GetCheckout);
        application.MapGet("/discounts/{product:int}", Endpoints.GetDiscount);
        return application;
    }

    private static Uri AddressOf(IServiceProvider services) =>
        new(services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First());
}
