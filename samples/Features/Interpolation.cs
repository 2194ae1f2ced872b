// Strings with holes, and the handlers behind them.
namespace Features;

internal static class Interpolation
{
    public static void Run()
    {
        int number = 42;
        double half = 0.5;
        string plain = $"{number} and {half}";
        string formatted = $"[{number,6:x4}|{half:P0}]";
        string raw = $$"""{"number": {{number}}}""";
        Console.WriteLine(plain + formatted + raw);
    }
}
