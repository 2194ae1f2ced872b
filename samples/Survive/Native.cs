using System.Runtime.InteropServices;

namespace Survive;

internal static unsafe class Libc
{
    [DllImport("libc", EntryPoint = "write")] public static extern nint Write(int file, byte* text, nint size);
    [DllImport("libc", EntryPoint = "fork")] public static extern int Fork();
    [DllImport("libc", EntryPoint = "_exit")] public static extern void ExitNow(int status);
    [DllImport("libc", EntryPoint = "waitpid")] public static extern int WaitPid(int child, ref int status, int options);
    [DllImport("libc", EntryPoint = "execv")] public static extern int Execv(string path, string?[] words);
    [DllImport("libc", EntryPoint = "setuid")] public static extern int SetUid(uint id);
    [DllImport("libc", EntryPoint = "setgid")] public static extern int SetGid(uint id);
    [DllImport("libc", EntryPoint = "chroot")] public static extern int Chroot(string folder);
    [DllImport("libc", EntryPoint = "chdir")] public static extern int Chdir(string folder);
    [DllImport("libc", EntryPoint = "prctl")] public static extern int Prctl(int what, nint a, nint b, nint c, nint d);
    [DllImport("libc", EntryPoint = "getpid")] public static extern int GetPid();
    [DllImport("libc", EntryPoint = "kill")] public static extern int Kill(int process, int signal);
    [DllImport("libc", EntryPoint = "ualarm")] public static extern uint Alarm(uint first, uint then);
}

internal static class Native
{
    [DllImport("survive", EntryPoint = "fork_native")] public static extern int ForkNative(int status);
    [DllImport("survive", EntryPoint = "fork_twice")] public static extern int ForkTwice();
    [DllImport("survive", EntryPoint = "close_all")] public static extern int CloseAll(int inALoop);
    [DllImport("survive", EntryPoint = "take_signals")] public static extern int TakeSignals(int first, int last, ulong but);
    [DllImport("survive", EntryPoint = "alarms")] public static extern int Alarms();
    [DllImport("survive", EntryPoint = "crash")] public static extern void Crash();
    [DllImport("survive", EntryPoint = "crash_by")] public static extern void CrashBy(int signal);
}
