// Invalid references in variables, parameters, results, fields and items of type object, as unsafe code may produce them. No
// collection may run in the meantime, since it would follow them.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

internal static unsafe class Garbage
{
    private sealed class Holder
    {
        public nint Number = 1;
        public string Text = "whole";
        public object Thing = new();
    }

    private struct Pair
    {
        public object Left;
        public long Right;
    }

    private static readonly object[] Items = new object[4];
    private static int _length;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static object Made(nint bits)
    {
        object made = Unsafe.As<nint, object>(ref bits);
        return made;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static object Passed(object passed, string text)
    {
        object kept = passed;
        string other = text;
        return other is null ? text : kept;
    }

    // The bits are written as integers, since a write barrier must not see them.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Try(nint bits)
    {
        object thing = Made(bits);
        thing = Passed(thing, Unsafe.As<object, string>(ref thing));
        Holder holder = new();
        Unsafe.As<object, nint>(ref holder.Thing) = bits;
        object field = holder.Thing;
        Pair pair = new() { Right = _length };
        Unsafe.As<object, nint>(ref pair.Left) = bits;
        Pair copy = pair;
        Unsafe.As<object, nint>(ref Items[0]) = bits;
        object item = Items[0];
        _length += (field is null ? 0 : 1) + (copy.Left is null || copy.Right < 0 ? 0 : 1) + (item is null ? 0 : 1) + (thing is null ? 0 : 1);
        Unsafe.As<object, nint>(ref Items[0]) = 0;
        Unsafe.As<object, nint>(ref holder.Thing) = 0;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static nint AddressOf(object thing) => Unsafe.As<object, nint>(ref thing);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void TryAll(Holder holder, string text, object box)
    {
        nint hole = (nint)NativeMemory.AlignedAlloc(1 << 16, 1 << 16), real = AddressOf(holder);
        NativeMemory.Clear((void*)hole, 1 << 16);
        long[] bits =
        [
            1, 8, 0x1000, -1, -8, unchecked((long)0xDDDDDDDDDDDDDDDD), 0x00007FFFFFFFFFF8, 0x0000800000000000,
            real + 1, real + 4, real + 8, real + 16, real - 8, AddressOf(text) + 8, AddressOf(box) + 8,
            (real & ~0x3FFFFF) + ((nint)1 << 30), real + ((nint)16 << 30), real - ((nint)16 << 30), hole, hole + 8, (long)&hole,
            (long)(delegate*<void>)&Run, Marshal.ReadIntPtr(real), Marshal.ReadIntPtr(real) + 8,
        ];
        foreach (long one in bits)
        {
            Try((nint)one);
        }
        // Looks like a reference to an object whose type is not mapped, is another object, or is not a type.
        long[] types = [0, 8, 0x1000, -8, real, hole + 256, AddressOf(text), (long)(delegate*<void>)&Run, unchecked((long)0xDDDDDDDDDDDDDDD8)];
        foreach (long type in types)
        {
            Marshal.WriteInt64(hole, type);
            Try(hole);
        }
        // A text that would continue beyond the end of mapped memory.
        Marshal.WriteIntPtr(hole, Marshal.ReadIntPtr(AddressOf(text)));
        Marshal.WriteInt32(hole + 8, int.MaxValue);
        Try(hole);
    }

    public static void Run()
    {
        Holder holder = new();
        object box = 4711;
        if (!GC.TryStartNoGCRegion(16 << 20))
        {
            Console.WriteLine("collections cannot be held off");
        }
        TryAll(holder, "a text", box);
        GC.EndNoGCRegion();
        Console.WriteLine($"tried {_length} {holder.Text} {box}");
    }
}
