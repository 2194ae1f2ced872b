// Values whose members report it when they run. The program never runs them, and recording the values must not either.
using System.Collections;
using System.Runtime.CompilerServices;

namespace Survive;

internal static class Untouched
{
    private static int Said(string what)
    {
        Program.Say($"{what} was run");
        return 1;
    }

    private sealed class Loud : IEnumerable<int>
    {
        public int Field = 1;

        public int Property => Said("a getter");

        public override string ToString() => $"{Said("ToString")}";

        public override int GetHashCode() => Said("GetHashCode");

        public override bool Equals(object? other) => Said("Equals") == 2;

        public IEnumerator<int> GetEnumerator()
        {
            Said("an enumerator");
            yield break;
        }

        IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

        ~Loud() => Program.Quiet(1);
    }

    private sealed class Unready
    {
        public static readonly int Value;

        static Unready() => Value = Said("a static constructor");
    }

    private struct Pair
    {
        public Loud Left;
        public Unready? Right;

        public readonly int Sum => Said("a struct's getter");

        public override readonly string ToString() => $"{Said("a struct's ToString")}";
    }

    private static Loud? kept;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static object Passed(Loud loud, Unready? unready, Pair pair, IEnumerable<int> items)
    {
        Loud again = loud;
        Unready? none = unready;
        Pair copy = pair;
        object box = copy;
        copy.Left = again;
        copy.Right = none;
        kept = copy.Left;
        kept.Field = 2;
        Loud[] array = [loud, kept];
        array[1] = again;
        return items == null ? array : box;
    }

    public static void All()
    {
        for (int i = 0; i < 100; i++)
        {
            var loud = new Loud();
            GC.KeepAlive(Passed(loud, null, new Pair { Left = loud }, loud));
        }
        GC.Collect();
    }
}
