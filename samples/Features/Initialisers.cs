// Object, collection and index initialisers; required and init members.
namespace Features;

internal static class Initialisers
{
    private sealed class Settings
    {
        public required string Name { get; init; }

        public int Size { get; set; } = 1;

        public List<int> Values { get; } = new();

        public Dictionary<string, int> Map { get; } = new();
    }

    public static void Run()
    {
        var settings = new Settings { Name = "n", Size = 2, Values = { 3, 4 }, Map = { ["five"] = 5 } };
        int sum = settings.Size + settings.Values[1] + settings.Map["five"];
        Console.WriteLine($"{settings.Name} {sum}");
    }
}
