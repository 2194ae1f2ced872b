// Runs before Main where DOTNET_STARTUP_HOOKS names this assembly. With EARLY=hook its exception ends the program.
using System.Runtime.CompilerServices;

internal class StartupHook
{
    public static void Initialize()
    {
        try
        {
            Throw();
        }
        catch (InvalidOperationException)
        {
        }
        if (Environment.GetEnvironmentVariable("EARLY") == "hook")
        {
            Throw();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Throw() => throw new InvalidOperationException("from the start-up hook");
}
