// What the JIT did in a program: with DOTNET_STARTUP_HOOKS=JitTime.dll, its end puts that into the file JIT_TIME.
using System.Globalization;
using System.Runtime;

internal static class StartupHook
{
    public static void Initialize() => AppDomain.CurrentDomain.ProcessExit += (_, _) => Tell();

    private static void Tell()
    {
        FormattableString figures =
            $"ms {JitInfo.GetCompilationTime().TotalMilliseconds:F1}\nil_bytes {JitInfo.GetCompiledILBytes()}\nmethods {JitInfo.GetCompiledMethodCount()}\n";
        File.WriteAllText(Environment.GetEnvironmentVariable("JIT_TIME")!, FormattableString.Invariant(figures));
    }
}
