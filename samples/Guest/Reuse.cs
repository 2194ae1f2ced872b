// Allocates large arrays one after another. The smallest sufficient heap shows how many of them are alive at once.
using System.Runtime.CompilerServices;

namespace Guest;

internal static class Reuse
{
    private sealed class Holder
    {
        public byte[]? Data;

        // Inlined, it would let the compiler do without the object.
        [MethodImpl(MethodImplOptions.NoInlining)]
        public Holder()
        {
        }
    }

    private const int Size = 16 << 20;

    private static byte[]? Root;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Local(int count)
    {
        byte[]? array = null;
        for (int i = 0; i < count; i++)
        {
            array = new byte[Size];
        }
        GC.KeepAlive(array);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Written(int count)
    {
        for (int i = 0; i < count; i++)
        {
            byte[] array = new byte[Size];
            array[i] = 1;
            array[^1] += array[i];
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Cleared(int count)
    {
        byte[]? array;
        for (int i = 0; i < count; i++)
        {
            array = new byte[Size];
            array[i] = 1;
            array = null;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void InStatic(int count)
    {
        for (int i = 0; i < count; i++)
        {
            Root = new byte[Size];
        }
        Root = null;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void InField(int count)
    {
        Holder holder = new();
        for (int i = 0; i < count; i++)
        {
            holder.Data = new byte[Size];
            holder.Data[i] = 1;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static byte[] Make() => new byte[Size];

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Made(int count)
    {
        for (int i = 0; i < count; i++)
        {
            byte[] array = Make();
            array[i] = 1;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int First(byte[] array) => array[0];

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Passed(int count)
    {
        int sum = 0;
        for (int i = 0; i < count; i++)
        {
            sum += First(new byte[Size]);
        }
        Root = new byte[sum + 1];
    }

    // `newobj` of a string is a call that returns the object.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Text(int count)
    {
        string? text;
        int sum = 0;
        for (int i = 0; i < count; i++)
        {
            text = new string('c', Size / 2);
            sum += text[i];
            text = null;
        }
        Root = new byte[sum];
    }

    public static string Run(string name, int count)
    {
        Action<int> loop = new[] { Local, Written, Cleared, InStatic, InField, Made, Passed, Text }.First(each => each.Method.Name == name);
        loop(count);
        return $"{count} arrays";
    }
}
