// A filter runs before anything is unwound.
namespace Features;

internal static class Filters
{
    public static void Run()
    {
        string log = "";
        for (int round = 0; round < 2; round++)
        {
            try
            {
                Throw(round);
            }
            catch (InvalidOperationException problem) when (Accept(problem.Message))
            {
                log += "accepted ";
            }
            catch (InvalidOperationException)
            {
                log += "refused ";
            }
        }
        Console.WriteLine(log);
    }

    private static bool Accept(string message)
    {
        return message == "1";
    }

    private static void Throw(int code)
    {
        throw new InvalidOperationException(code.ToString());
    }
}
