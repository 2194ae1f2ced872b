// Activations that say who they are: their number, that of the one which called them, and behind which await they are. A recording
// that has lost events can be compared with these values, which are among its events. Nothing is counted here.
using System.Runtime.CompilerServices;
using Outside;

namespace Logical;

internal static class Marks
{
    private const int AtStart = 0, BehindTurn = 1, BehindCall = 2;
    private static int s_numbers;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Mark(int number, int caller, int place)
    {
    }

    private static async Task Marked(int number, int caller, int levels)
    {
        Mark(number, caller, AtStart);
        for (int i = 0; i < 3; i++)
        {
            await Pump.Turn();
            Mark(number, caller, BehindTurn);
            if (levels > 0)
            {
                await Marked(Interlocked.Increment(ref s_numbers), number, levels - 1);
                Mark(number, caller, BehindCall);
            }
        }
    }

    // Until the file that the variable names is there, at least once.
    public static async Task All()
    {
        string? until = Environment.GetEnvironmentVariable("MARKS_UNTIL");
        for (bool more = true; more; more = until != null && !File.Exists(until))
        {
            var together = new Task[16];
            for (int i = 0; i < together.Length; i++)
            {
                together[i] = Marked(Interlocked.Increment(ref s_numbers), 0, 3);
            }
            await Task.WhenAll(together);
        }
    }
}
