// The same exception again, another one around it, and one out of a finally.
namespace Features;

internal static class Rethrow
{
    public static void Run()
    {
        string log = "";
        try
        {
            Around();
        }
        catch (InvalidOperationException outer)
        {
            log = $"{outer.Message} around {outer.InnerException.Message}";
        }
        Console.WriteLine(log);
    }

    private static void Around()
    {
        try
        {
            Again();
        }
        catch (ArgumentException inner)
        {
            throw new InvalidOperationException("outer", inner);
        }
    }

    private static void Again()
    {
        try
        {
            throw new ArgumentException("inner");
        }
        catch (ArgumentException)
        {
            throw;
        }
    }
}
