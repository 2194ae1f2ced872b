// A start-up hook (DOTNET_STARTUP_HOOKS=JitTime.dll) that writes the JIT's figures to the file JIT_TIME at the program's end.
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
