// Ref structs whose type depends on type parameters, in code that value types share and that reference types share; and values of
// a type parameter that may be a ref struct.
namespace Values;

internal static class RefStructs
{
    private ref struct Pair<T>
    {
        public T First;
        public int Count;
        public Span<T> Rest;

        public Pair(T first, Span<T> rest)
        {
            First = first; Oracle.Field("First", First);
            Rest = rest; Oracle.Local("Rest._length", Rest.Length);
        }

        public int Raise(int by)
        {
            Count += by; Oracle.Field("Count", Count);
            return Count;
        }

        public readonly Pair<T> With(T first)
        {
            Pair<T> copy = this; Oracle.Typed("copy", typeof(Pair<T>)); Oracle.Local("copy.First", copy.First); Oracle.Local("copy.Count", copy.Count);
            copy.First = first; Oracle.Field("First", copy.First);
            return copy;
        }
    }

    private ref struct Here<T>
    {
        public ref T Value;
        public string Note;
    }

    public static void Run()
    {
        for (int i = 0; i < 3; i++)
        {
            Both(1, 2);
            Both("a", null);
            Both<object>(3, "b");
            Both((1, "x"), (2, "y"));
            Both(1.5m, 2.5m);
            GC.Collect();
        }
#if NET9_0_OR_GREATER
        Any();
#endif
    }

    private static void Both<T>(T first, T second)
    {
        T[] items = { first, second }; Oracle.Local("items", items);
        var pair = new Pair<T>(first, items); Oracle.Typed("pair", typeof(Pair<T>)); Oracle.Local("pair.First", pair.First); Oracle.Local("pair.Count", pair.Count);
        pair.Count = 5; Oracle.Field("Count", pair.Count);
        pair.First = second; Oracle.Field("First", pair.First);
        Pair<T> other = pair; Oracle.Typed("other", typeof(Pair<T>)); Oracle.Local("other.First", other.First); Oracle.Local("other.Count", other.Count);
        other = other.With(first); Oracle.Typed("other", typeof(Pair<T>)); Oracle.Local("other.First", other.First); Oracle.Local("other.Count", other.Count);
        int raised = other.Raise(2); Oracle.Local("raised", raised);
        Keep(other);
        pair = default; Oracle.Typed("pair", typeof(Pair<T>)); Oracle.Local("pair.First", pair.First); Oracle.Local("pair.Count", pair.Count);
        var here = new Here<T> { Value = ref items[1], Note = "n" }; Oracle.Typed("here", typeof(Here<T>)); Oracle.Local("here.Note", here.Note);
        here.Value = first; Oracle.Through("Value", here.Value);
    }

    private static void Keep<T>(Pair<T> given)
    { Oracle.Typed("(given)", typeof(Pair<T>)); Oracle.Local("(given).First", given.First); Oracle.Local("(given).Count", given.Count);
        Pair<T> kept = given; Oracle.Typed("kept", typeof(Pair<T>)); Oracle.Local("kept.First", kept.First); Oracle.Local("kept.Count", kept.Count);
    }

#if NET9_0_OR_GREATER
    private ref struct Wrapped<T> where T : allows ref struct
    {
        public T Inner;
        public int Count;
    }

    private static void Any()
    {
        int[] numbers = { 1, 2, 3 }; Oracle.Local("numbers", numbers);
        Take(numbers.AsSpan(1));
        Take("characters".AsSpan());
        Take(new Pair<string>("p", new[] { "q" }));
        Take(new object());
        Take((1, "one"));
    }

    private static void Take<T>(T given) where T : allows ref struct
    { Oracle.Typed("(given)", typeof(T));
        T copy = given; Oracle.Typed("copy", typeof(T));
        var wrapped = new Wrapped<T> { Inner = copy, Count = 2 }; Oracle.Typed("wrapped", typeof(Wrapped<T>)); Oracle.Local("wrapped.Count", wrapped.Count);
        wrapped.Count++; Oracle.Field("Count", wrapped.Count);
        T back = wrapped.Inner; Oracle.Typed("back", typeof(T));
        T moved = Move(ref back); Oracle.Typed("moved", typeof(T));
    }

    private static T Move<T>(ref T from) where T : allows ref struct
    {
        return from;
    }
#endif
}
