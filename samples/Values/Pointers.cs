// Pointers, and everything that can be written through one.
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Values;

internal static unsafe class Pointers
{
    private struct Buffer
    {
        public fixed int Numbers[4];
        public fixed byte Bytes[3];
        public int Last;
    }

    private struct Node
    {
        public int Number;
        public Node* Next;
    }

    private static int* kept;

    public static void Run()
    {
        Addresses();
        Widths();
        char* letters = stackalloc char[2]; Oracle.Pointer("letters", letters);
        Declared(letters);
        Structs();
        Buffers();
        Functions();
        Native();
    }

    private static void Addresses()
    {
        int* none = null; Oracle.Pointer("none", none);
        int* fake = (int*)0x1234; Oracle.Pointer("fake", fake);
        void* untyped = (void*)16; Oracle.Pointer("untyped", untyped);
        int number = 5; Oracle.Local("number", number);
        int* pointer = &number; Oracle.Pointer("pointer", pointer);
        *pointer = 6; Oracle.Through("pointer", *pointer);
        *pointer += 10; Oracle.Through("pointer", *pointer);
        (*pointer)++; Oracle.Through("pointer", *pointer);
        int** twice = &pointer; Oracle.Pointer("twice", twice);
        **twice = 7; Oracle.Through("twice", **twice);
        *twice = null; Oracle.Pointer("*twice", *twice);
        kept = &number; Oracle.Pointer(".kept", kept);
        *kept = 8; Oracle.Through("kept", *kept);
        kept = null; Oracle.Pointer(".kept", kept);
        fake++; Oracle.Pointer("fake", fake);
        fake += 3; Oracle.Pointer("fake", fake);
        nint distance = (nint)fake; Oracle.Local("distance", distance);
        int** table = stackalloc int*[2]; Oracle.Pointer("table", table);
        Table(table);
    }

    private static void Table(int** table)
    {
        table[1] = (int*)32; Oracle.Pointer("*table[1]", table[1]);
    }

    private static void Widths()
    {
        byte* memory = stackalloc byte[16]; Oracle.Pointer("memory", memory);
        memory[0] = 1; Oracle.Through("memory[0]", memory[0]);
        *(sbyte*)(memory + 1) = -1; Oracle.Pointed("sbyte", memory[1]); // the IL does not show the cast
        *(bool*)memory = true; Oracle.Pointed("bool", *(bool*)memory);
        *(char*)memory = 'c'; Oracle.Pointed("char", *(char*)memory);
        *(short*)memory = -2; Oracle.Pointed("short", *(short*)memory);
        *(ushort*)memory = 2; Oracle.Pointed("ushort", *(ushort*)memory);
        *(int*)memory = -3; Oracle.Pointed("int", *(int*)memory);
        *(uint*)memory = 3; Oracle.Pointed("uint", *(uint*)memory);
        *(long*)memory = -4; Oracle.Pointed("long", *(long*)memory);
        *(ulong*)memory = 4; Oracle.Pointed("ulong", *(ulong*)memory);
        *(nint*)memory = -5; Oracle.Pointed("nint", *(nint*)memory);
        *(nuint*)memory = 5; Oracle.Pointed("nuint", *(nuint*)memory);
        *(float*)memory = 0.5f; Oracle.Pointed("float", *(float*)memory);
        *(double*)memory = 0.25; Oracle.Pointed("double", *(double*)memory);
        *(decimal*)memory = 1.5m; Oracle.Through("decimal", *(decimal*)memory);
        *(Guid*)memory = Guid.Empty; Oracle.Through("Guid", *(Guid*)memory);
        *(Colour*)memory = Colour.Blue; Oracle.Pointed("Colour", *(Colour*)memory);
        *(Point*)memory = new Point(1, 2); Oracle.Through("Point", *(Point*)memory);
        *(Int128*)memory = -1; Oracle.Through("Int128", *(Int128*)memory);
        *(int*)(memory + 1) = 7; Oracle.Pointed("unaligned", *(int*)(memory + 1));
        Unsafe.WriteUnaligned(memory, 9); int read = *(int*)memory; Oracle.Local("read", read);
    }

    private static void Declared(char* letters)
    {
        letters[1] = 'ä'; Oracle.Through("letters[1]", letters[1]);
        bool* truths = (bool*)letters; Oracle.Pointer("truths", truths);
        *truths = true; Oracle.Through("truths", *truths);
        sbyte* small = (sbyte*)letters; Oracle.Pointer("small", small);
        small[1] = -2; Oracle.Through("small[1]", small[1]);
        ushort* wide = (ushort*)letters; Oracle.Pointer("wide", wide);
        wide[1] = 0xFFFE; Oracle.Through("wide[1]", wide[1]);
        uint* whole = (uint*)letters; Oracle.Pointer("whole", whole);
        *whole = uint.MaxValue; Oracle.Through("whole", *whole);
        float* part = (float*)letters; Oracle.Pointer("part", part);
        *part = 1.5f; Oracle.Through("part", *part);
        Colour* colours = (Colour*)letters; Oracle.Pointer("colours", colours);
        *colours = Colour.Blue; Oracle.Through("colours", *colours);
    }

    private static void Structs()
    {
        Node last = default; Oracle.Local("last", last);
        Node first = default; Oracle.Local("first", first);
        Node* node = &first; Oracle.Pointer("node", node);
        node->Number = 1; Oracle.Field("Number", node->Number);
        node->Next = &last; Oracle.Pointer(".Next", node->Next);
        node->Next->Number = 2; Oracle.Field("Number", node->Next->Number);
        node = node->Next; Oracle.Pointer("node", node);
        *node = default; Oracle.Through("node", *node);
        node->Next = null; Oracle.Pointer(".Next", node->Next);
        Point[] points = new Point[2]; Oracle.Local("points", points);
        fixed (Point* point = points)
        {
            point[1].X = 3; Oracle.Field("X", point[1].X);
            *point = point[1]; Oracle.Through("point", *point);
        }
        string text = new('t', 2); Oracle.Local("text", text);
        fixed (char* letter = text)
        {
            char second = letter[1]; Oracle.Local("second", second);
        }
    }

    private static void Buffers()
    {
        Buffer buffer = default; Oracle.Typed("buffer", typeof(Buffer));
        buffer.Numbers[1] = 1; Oracle.Through("Numbers[1]", buffer.Numbers[1]);
        buffer.Numbers[3] = buffer.Numbers[1] + 3; Oracle.Through("Numbers[3]", buffer.Numbers[3]);
        for (int i = 0; i < 3; i++)
        {
            buffer.Bytes[i] = (byte)(i * 100); Oracle.Through($"Bytes[{i}]", buffer.Bytes[i]);
        }
        buffer.Last = buffer.Numbers[3]; Oracle.Field("Last", buffer.Last);
    }

    private static void Functions()
    {
        delegate*<int, int> function = &Twice; Oracle.Pointer("function", function);
        int result = function(21); Oracle.Local("result", result);
        function = null; Oracle.Pointer("function", function);
        delegate*<int*, void> change = &Change; Oracle.Pointer("change", change);
        change(&result);
        int changed = result; Oracle.Local("changed", changed);
    }

    private static int Twice(int number)
    {
        int twice = number * 2; Oracle.Local("twice", twice);
        return twice;
    }

    private static void Change(int* number)
    {
        *number = -*number; Oracle.Through("number", *number);
        number = null; Oracle.Pointer("number", number);
    }

    private static void Native()
    {
        byte* block = (byte*)NativeMemory.AllocZeroed(8); Oracle.Pointer("block", block);
        block[2] = 0x80; Oracle.Through("block[2]", block[2]);
        uint word = *(uint*)block; Oracle.Local("word", word);
        Unsafe.InitBlock(block, 1, 4);
        word = *(uint*)block; Oracle.Local("word", word);
        Unsafe.CopyBlock(block + 4, block, 4);
        ulong all = *(ulong*)block; Oracle.Local("all", all);
        NativeMemory.Free(block);
        GCHandle handle = GCHandle.Alloc("held"); bool allocated = handle.IsAllocated; Oracle.Local("allocated", allocated);
        object held = handle.Target; Oracle.Local("held", held);
        handle.Free();
    }
}
