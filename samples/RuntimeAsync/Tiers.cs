using System.Runtime;

namespace RuntimeAsync;

/// With RUNTIME_ASYNC_WARM, parts first run until their methods are in the last tier: until the runtime compiles nothing more.
internal sealed class Tiers
{
    public static readonly bool AreAwaited = Environment.GetEnvironmentVariable("RUNTIME_ASYNC_WARM") != null;

    private long compiled;
    private int turnsWithoutMore;

    /// To be called after each turn, which calls each method more often than a tier takes.
    public bool Settled()
    {
        Thread.Sleep(200);
        long before = compiled;
        compiled = JitInfo.GetCompiledMethodCount();
        turnsWithoutMore = compiled == before ? turnsWithoutMore + 1 : 0;
        return turnsWithoutMore == 3;
    }
}
