// Methods of thousands of statements, each compiled and run once: Huge SHAPE SIZE [throw AT]. It prints the
// method's result, or the exception of its AT-th call with its lines; with HUGE_TIMES=1, also the thread's processor time of
// the compilation in milliseconds, on stderr.
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Huge
{
    internal sealed class Node
    {
        internal Node Next;
        internal long Count;
    }

    internal static partial class Methods
    {
        internal static bool On = true;
        internal static long Total = 1;
        internal static int Left = -1; // calls until one throws; -1: none

        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static long Next(long value)
        {
            if (Left > 0 && --Left == 0)
            {
                throw new InvalidOperationException("the call that was asked for");
            }
            return value % 5;
        }
    }

    internal static class Program
    {
        private struct Time
        {
            internal long Seconds, Nanoseconds;
        }

        [DllImport("libc", EntryPoint = "clock_gettime")]
        private static extern int GetTime(int clock, out Time time);

        private static double Milliseconds()
        {
            const int ThreadProcessorTime = 3;
            GetTime(ThreadProcessorTime, out Time time);
            return time.Seconds * 1e3 + time.Nanoseconds / 1e6;
        }

        private static int Main(string[] arguments)
        {
            MethodInfo method = typeof(Methods).GetMethod(arguments[0] + arguments[1], BindingFlags.Static | BindingFlags.NonPublic);
            Milliseconds(); // compiled before it counts
            double before = Milliseconds();
            RuntimeHelpers.PrepareMethod(method.MethodHandle);
            double taken = Milliseconds() - before;
            if (Environment.GetEnvironmentVariable("HUGE_TIMES") == "1")
            {
                Console.Error.WriteLine(taken.ToString("0.0"));
            }
            Methods.Left = arguments.Length > 3 ? int.Parse(arguments[3]) : -1;
            try
            {
                Console.WriteLine(method.CreateDelegate<Func<long>>()());
            }
            catch (InvalidOperationException problem)
            {
                Console.WriteLine(problem);
            }
            Console.WriteLine("huge: success");
            return 0;
        }
    }
}
