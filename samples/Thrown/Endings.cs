namespace Thrown;

// Ends the process in the way that is asked for.
public static class Endings
{
    public static void End(string how)
    {
        switch (how)
        {
            case "main":
                Nobody();
                break;
            case "thread":
                Caught();
                var thread = new Thread(Nobody);
                thread.Start();
                thread.Join();
                break;
            case "again":
                try
                {
                    Nobody();
                }
                catch (DirectException)
                {
                    throw;
                }
                break;
            case "library":
                _ = int.Parse("nobody");
                break;
            case "fail":
                Caught();
                Environment.FailFast("stop");
                break;
            case "fail-in-handler":
                try
                {
                    Nobody();
                }
                catch (DirectException)
                {
                    Environment.FailFast("stop");
                }
                break;
            case "fail-in-filter":
                try
                {
                    Nobody();
                }
                catch (DirectException) when (Stop())
                {
                }
                break;
        }
    }

    private static void Nobody() => throw new DirectException("nobody");

    private static bool Stop()
    {
        Environment.FailFast("stop");
        return false;
    }

    private static void Caught()
    {
        try
        {
            Nobody();
        }
        catch (DirectException)
        {
        }
    }
}
