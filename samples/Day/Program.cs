// What a new user records on the first day: a greeting, which is three methods; `walk`, a tree of names; `orders`, a sum with a
// mistake in it.
namespace Day;

static class Program
{
    static void Main(string[] words)
    {
        switch (words)
        {
            case ["walk"]:
                Walk.Run();
                break;
            case ["orders"]:
                Orders.Run();
                break;
            default:
                Greet("world");
                break;
        }
    }

    static void Greet(string name) => Console.WriteLine(Greeting(name));

    static string Greeting(string name) => "Hello, " + name + "!";
}
