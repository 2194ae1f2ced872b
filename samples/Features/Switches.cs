// Switch statements and expressions over numbers, strings and types.
namespace Features;

internal static class Switches
{
    public static void Run()
    {
        string text = Name(2) + Kind("b") + Size(12);
        Console.WriteLine(text);
    }

    private static string Name(int number)
    {
        switch (number)
        {
            case 1:
                return "one";
            case 2:
            case 3:
                return "few";
            default:
                return "many";
        }
    }

    private static int Kind(string text)
    {
        return text switch
        {
            "a" => 1,
            "b" => 2,
            _ => 0,
        };
    }

    private static string Size(object thing)
    {
        return thing switch
        {
            int number when number > 10 => "large",
            int => "small",
            null => "none",
            _ => "unknown",
        };
    }
}
