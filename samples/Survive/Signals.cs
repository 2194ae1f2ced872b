// Handles every signal that a program can handle: by the runtime's API if it supports the signal, otherwise by sigaction.
using System.Runtime.InteropServices;

namespace Survive;

internal static class Signals
{
    // SIGTSTP stops the process unless its handler cancels that; all handlers here do.
    private static readonly (string Name, int Number)[] Offered =
    [
        ("SIGHUP", 1), ("SIGINT", 2), ("SIGQUIT", 3), ("SIGTERM", 15), ("SIGCHLD", 17), ("SIGCONT", 18), ("SIGTSTP", 20),
        ("SIGTTIN", 21), ("SIGTTOU", 22), ("SIGWINCH", 28),
    ];

    // SIGKILL and SIGSTOP cannot be taken; 32 and 33 are libc's; SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV and
    // SIGRTMIN are the runtime's own.
    private static readonly int[] LeftAlone = [4, 5, 6, 7, 8, 9, 11, 19, 32, 33, 34];

    public static void All()
    {
        var handled = new int[65];
        var registrations = new List<PosixSignalRegistration>();
        foreach ((string name, int number) in Offered)
        {
            registrations.Add(PosixSignalRegistration.Create((PosixSignal)number, context =>
            {
                context.Cancel = true;
                Program.Quiet(100);
                Interlocked.Increment(ref handled[number]);
            }));
        }
        foreach ((string name, int number) in Offered)
        {
            _ = Libc.Kill(Libc.GetPid(), number);
            SpinWait.SpinUntil(() => Volatile.Read(ref handled[number]) > 0, 30_000);
            Console.WriteLine($"{name}: {handled[number]}");
        }
        ulong but = 0;
        Array.ForEach(LeftAlone, number => but |= 1UL << number);
        Array.ForEach(Offered, each => but |= 1UL << each.Number);
        for (int round = 0; round < 3; round++)
        {
            Console.WriteLine($"others: {Native.TakeSignals(1, 64, but)}");
            Program.Quiet(1000);
        }
        registrations.ForEach(each => each.Dispose());
    }

    // A timer that interrupts whatever the process waits in, a thousand times a second.
    public static void Storm()
    {
        ulong but = ~(1UL << 14);
        _ = Native.TakeSignals(14, 14, but);
        _ = Libc.Alarm(1000, 1000);
        int sum = 0;
        while (Native.Alarms() < 500)
        {
            sum += Program.Quiet(20_000);
        }
        _ = Libc.Alarm(0, 0);
        Console.WriteLine(sum % 20_000 == 0 ? "alarms: as expected" : $"alarms: {sum}");
    }
}
