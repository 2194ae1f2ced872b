// Lifetimes of objects: after each step of a code pattern, weak references show which of its objects a collection finds alive.
using System.Runtime.CompilerServices;

namespace Guest;

internal static class Lifetimes
{
    private class Mortal
    {
        public static int Finalized;

        public readonly string Name;
        public Mortal? Other;
        public object? Thing;
        public int Number;
        private Mortal? Kept;

        [MethodImpl(MethodImplOptions.NoInlining)]
        public Mortal(string name) => Name = name;


        // Recorded code is inlined less than plain code, which is not the subject of this test.
        public Mortal? Property
        {
            [MethodImpl(MethodImplOptions.NoInlining)]
            get => Kept;
            [MethodImpl(MethodImplOptions.NoInlining)]
            set => Kept = value;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public Mortal Self() => this;

        ~Mortal() => Interlocked.Increment(ref Finalized);
    }

    private sealed class Closing(string name) : Mortal(name), IDisposable
    {
        public void Dispose() => Number++;
    }

    private struct Holder
    {
        public Mortal? First;
        public int Number;
        public Mortal? Second;
    }

    private readonly struct Held
    {
        public readonly Mortal? Value;
        public readonly int Number;

        [MethodImpl(MethodImplOptions.NoInlining)]
        public Held(Mortal? value, int number)
        {
            Value = value;
            Number = number;
        }
    }

    private sealed class Problem : Exception
    {
        public readonly Mortal Cause;

        [MethodImpl(MethodImplOptions.NoInlining)]
        public Problem(Mortal cause) => Cause = cause;
    }

    /// Continues when `Continue` is called, on the same thread and from an empty stack.
    private readonly struct Later : INotifyCompletion
    {
        private static readonly Queue<Action> Waiting = new();

        public bool IsCompleted => false;

        public Later GetAwaiter() => this;

        public void GetResult()
        {
        }

        public void OnCompleted(Action continuation) => Waiting.Enqueue(continuation);

        public static void Continue()
        {
            while (Waiting.TryDequeue(out Action? continuation))
            {
                continuation();
            }
        }
    }

    private static readonly List<WeakReference> Watched = [];
    private static readonly List<string> Told = [];
    private static readonly Mortal?[] Slots = new Mortal?[4];
    private static Mortal? Root;
    private static object? Thing;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Mortal R(string name = "one")
    {
        Mortal made = new(name);
        Watched.Add(new WeakReference(made));
        return made;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Closing Close()
    {
        Closing made = new("closing");
        Watched.Add(new WeakReference(made));
        return made;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static T Watch<T>(T made)
    {
        Watched.Add(new WeakReference(made));
        return made;
    }

    /// Puts objects where a shape takes them from: even unoptimised code copies them nowhere else then, as it does results.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Fill()
    {
        for (int i = 0; i < Slots.Length; i++)
        {
            Slots[i] = R("slot");
        }
        Root = Slots[0];
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Empty()
    {
        System.Array.Clear(Slots);
        Root = null;
    }

    /// Which of the shape's objects are alive: + or - for each, in the order in which they were made.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Look()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();
        string seen = "";
        foreach (WeakReference each in Watched)
        {
            seen += each.IsAlive ? '+' : '-';
        }
        Told.Add(seen);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Use(object? thing) => thing == null ? 0 : 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Use(Held held) => held.Number;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Local()
    {
        Mortal? o = R();
        Look();
        o = null;
        Look();
        Use(o);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void LocalRead()
    {
        Mortal? o = R();
        int length = o.Name.Length;
        o.Number = length;
        o.Self().Number += o.Number;
        o = null;
        Look();
        Use(o);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Unused()
    {
        R();
        Look();
        _ = R("two").Name;
        Look();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Passed()
    {
        int used = Use(R());
        Look();
        used += Use(R("two").Self().Self());
        Look();
        Use(used);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Chain()
    {
        Mortal? a = R("a");
        a.Other = R("b");
        a.Other.Property = R("c");
        a.Other.Property.Other = R("d");
        Look();
        a.Other.Property = null;
        Look();
        a.Other = null;
        Look();
        a = null;
        Look();
        Use(a);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Conditional()
    {
        Mortal? a = R("a");
        a.Other ??= R("b");
        Mortal? b = a.Other?.Other ?? a?.Other;
        a = Watched.Count > 100 ? b : null;
        Look();
        b = null;
        Look();
        Use(a);
        Use(b);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void FieldOfStatic()
    {
        Root = R();
        Root.Thing = R("two");
        Look();
        Root.Thing = null;
        Look();
        Root = null;
        Look();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Replaced()
    {
        Mortal o = R("one");
        Use(o);
        o = R("two");
        Look();
        o = R("three");
        Look();
        Use(o);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void InLoop()
    {
        Mortal? last = null;
        for (int i = 0; i < 4; i++)
        {
            last = R();
            last.Number = i;
            Look();
        }
        last = null;
        Look();
        Use(last);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Array()
    {
        Mortal?[]? items = Watch(new Mortal?[3]);
        items[0] = R("a");
        items[1] = items[2] = R("b");
        Look();
        items[0] = null;
        items[1] = null;
        Look();
        items[2] = null;
        Look();
        items = null;
        Look();
        Use(items);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void ArrayOfArrays()
    {
        object?[]?[] rows = [Watch(new object?[2]), Watch(new object?[2])];
        rows[0]![1] = R("a");
        rows[1]![0] = rows[0]![1];
        rows[0] = null;
        Look();
        rows[1] = null;
        Look();
        int[,]? square = Watch(new int[3, 3]);
        square[1, 2] = 5;
        square = null;
        Look();
        Use(rows);
        Use(square);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Structs()
    {
        Holder holder = default;
        holder.First = R("a");
        holder.Second = R("b");
        Holder copy = holder;
        holder = default;
        Look();
        copy.First = null;
        Look();
        copy = default;
        Look();
        Held held = new(R("c"), 3);
        Use(held);
        held = default;
        Look();
        Use(holder.First);
        Use(copy.Second);
        Use(held);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Tuples()
    {
        (Mortal? First, object? Second) both = (R("a"), R("b"));
        (Mortal? first, object? second) = both;
        both = default;
        first = null;
        Look();
        second = null;
        Look();
        Use(first);
        Use(second);
        Use(both.First);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Boxes()
    {
        object? box = Watch((object)12);
        int number = (int)box;
        box = number;
        Look();
        IComparable? other = number;
        Watch(other);
        number = other.CompareTo(3);
        other = null;
        Look();
        object? pair = Watch((object)new Held(R(), 1));
        pair = ((Held)pair).Number;
        Look();
        Use(box);
        Use(other);
        Use(pair);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void References()
    {
        Mortal? o = R();
        ref Mortal? place = ref o;
        place = null;
        Look();
        Mortal?[] items = [R("b"), null];
        ref Mortal? item = ref Choose(items, 0);
        item = null;
        Look();
        Fill(out o);
        Look();
        Fill(out o);
        Look();
        Drop(ref o);
        Look();
        Use(o);
        Use(items);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ref Mortal? Choose(Mortal?[] items, int index) => ref items[index];

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Fill(out Mortal? o) => o = R("filled");

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Drop(ref Mortal? o)
    {
        o = null;
        Look();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Argument(Mortal? o)
    {
        o = null;
        Look();
        Use(o);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Arguments()
    {
        Argument(R());
        Look();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Interior()
    {
        int[]? items = Watch(new int[100]);
        ref int item = ref items[50];
        items = null;
        item = 1;
        Look();
        item = ref Unsafe.NullRef<int>();
        Look();
        Use(items);
        Use(Unsafe.IsNullRef(ref item));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Exceptions()
    {
        try
        {
            Throw();
        }
        catch (Problem problem) when (problem.Cause.Name.Length > 1)
        {
            Use(problem.Cause);
            Look();
        }
        Look();
        Exception? kept = null;
        try
        {
            Throw();
        }
        catch (Problem problem)
        {
            kept = problem;
        }
        finally
        {
            Look();
        }
        kept = null;
        Look();
        Use(kept);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Throw()
    {
        Problem problem = Watch(new Problem(R("cause")));
        throw problem;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Texts()
    {
        string? a = Watch(new string('a', 10 + Watched.Count));
        string? b = Watch(a + 5);
        a = null;
        Look();
        string? c = Watch($"{b} and {b.Length} more");
        b = null;
        Look();
        c = Watch(c.Substring(3).Trim());
        Look();
        c = null;
        Look();
        Use(a);
        Use(b);
        Use(c);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Delegates()
    {
        Mortal? captured = R();
        Func<int>? call = Watch(() => captured == null ? 0 : captured.Number);
        call();
        captured = null;
        Look();
        call = null;
        Look();
        Use(call);
        call = Watch((Func<int>)R("bound").GetHashCode);
        call();
        Look();
        call = null;
        Look();
        Use(call);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Locked()
    {
        Mortal? o = R();
        lock (o)
        {
            o.Number++;
            o = null;
            Look();
        }
        Look();
        Use(o);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Usings()
    {
        using (Closing closing = Close())
        {
            closing.Number++;
            Look();
        }
        Look();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Enumerated()
    {
        List<Mortal>? items = Watch(new List<Mortal> { R("a"), R("b") });
        foreach (Mortal each in items)
        {
            Use(each);
        }
        items.Clear();
        Look();
        items = null;
        Look();
        foreach (Mortal each in Watch(new[] { R("c") }))
        {
            Use(each);
        }
        Look();
        Use(items);
    }

    private static IEnumerable<Mortal> Made()
    {
        yield return R("a");
        Look();
        yield return R("b");
        Look();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Iterated()
    {
        foreach (Mortal each in Made())
        {
            Use(each);
        }
        Look();
    }

    private static async Task Awaited()
    {
        Mortal? o = R("a");
        Mortal? other = R("b");
        await new Later();
        Use(o);
        o = null;
        Look();
        await new Later();
        Use(other);
        other = null;
        Look();
        Use(await Result());
        Look();
    }

    private static async Task<Mortal> Result()
    {
        await new Later();
        return R("result");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Asyncs()
    {
        Task done = Awaited();
        Later.Continue();
        done.GetAwaiter().GetResult();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static T Through<T>(T value, bool clear)
    {
        T other = value;
        if (clear)
        {
            value = default!;
            other = default!;
            Look();
        }
        return other;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Generics()
    {
        Mortal? o = Through(R("a"), false);
        o = Through(o, true);
        Look();
        Held held = Through(new Held(R("b"), 1), true);
        Look();
        Use(o);
        Use(held);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Casts()
    {
        object? o = R("a");
        Mortal? p = o as Mortal;
        o = null;
        Look();
        o = p;
        p = null;
        if (o is Mortal { Name.Length: > 0 } q)
        {
            o = q;
            q = null!;
            Look();
            Use(q);
        }
        o = null;
        Look();
        p = (Mortal)(object)R("b");
        p = null;
        Look();
        Use(o);
        Use(p);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Initialised()
    {
        Mortal? o = Watch(new Mortal("a") { Other = R("b"), Property = R("c"), Number = 3 });
        o.Other = null;
        Look();
        o.Property = null;
        Look();
        o = null;
        Look();
        List<object?>? list = Watch(new List<object?> { R("d"), R("e"), null });
        list[0] = null;
        Look();
        list = null;
        Look();
        Use(o);
        Use(list);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Assignments()
    {
        Mortal? x, y;
        x = y = R("a");
        x = null;
        Look();
        y = null;
        Look();
        Root = x = R("b");
        x = null;
        Look();
        Root = null;
        Look();
        Thing = Root = y = R("c");
        Root = y = null;
        Look();
        Thing = null;
        Look();
        Use(x);
        Use(y);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Threads()
    {
        Mortal? o = R("a");
        Thread? thread = new(state => Argument((Mortal?)state));
        thread.Start(o);
        o = null;
        thread.Join();
        thread = null;
        Look();
        Use(o);
        Use(thread);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static unsafe void Unmanaged()
    {
        byte[]? bytes = Watch(new byte[1000]);
        fixed (byte* first = bytes)
        {
            *first = 1;
            bytes = null;
            Look();
        }
        Look();
        Use(bytes);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Switches()
    {
        object? o = R("a");
        int number = o switch
        {
            string text => text.Length,
            Mortal { Other: not null } mortal => mortal.Number,
            Mortal mortal => mortal.Name.Length,
            _ => 0,
        };
        o = null;
        Look();
        Use(o);
        Use(number);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void TakenField()
    {
        Fill();
        Mortal? o = Root;
        Empty();
        Look();
        o!.Number = 3;
        o.Number += o.Name.Length;
        o = null;
        Look();
        Use(o);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void TakenItems()
    {
        Fill();
        Mortal? a = Slots[0], b = Slots[1], c = Slots[2], d = Slots[3];
        Empty();
        Look();
        a = b;
        Look();
        b = null;
        c = null;
        Look();
        a = d = null;
        Look();
        Use(a);
        Use(b);
        Use(c);
        Use(d);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void TakenArgument(Mortal? o, Mortal? other)
    {
        Empty();
        Look();
        Use(o);
        o = null;
        Look();
        other!.Number = 5;
        other = null;
        Look();
        Use(other);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void TakenStruct()
    {
        Fill();
        Holder holder;
        holder.First = Slots[0];
        holder.Number = 1;
        holder.Second = Slots[1];
        Holder copy = holder;
        Empty();
        Look();
        holder.First = null;
        copy = holder;
        Look();
        holder = default;
        copy.Second = null;
        Look();
        Use(holder.First);
        Use(copy.Second);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void TakenChain()
    {
        Fill();
        Mortal? o = Slots[0];
        o!.Other = Slots[1];
        o.Other!.Other = Slots[2];
        o.Other.Other!.Thing = Slots[3];
        Empty();
        Look();
        o.Other.Other.Thing = null;
        Look();
        o.Other.Other = null;
        Look();
        o.Other = null;
        Look();
        o = null;
        Look();
        Use(o);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void TakenLoop()
    {
        Fill();
        Mortal? last = null;
        for (int i = 0; i < Slots.Length; i++)
        {
            last = Slots[i];
            last!.Number = i;
            Slots[i] = null;
            Root = null;
            Look();
        }
        last = null;
        Look();
        Use(last);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void TakenConditions()
    {
        Fill();
        Mortal? o = Slots[0], p = Slots[1];
        bool same = o == p || o!.Number > p!.Number;
        object? q = same ? o : p;
        Empty();
        if (o is { Number: 0 } && q != null && p as object == q)
        {
            o = null;
            Look();
        }
        p = null;
        q = null;
        Look();
        Use(o);
        Use(p);
        Use(q);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Mortal? TakenResult(int index)
    {
        Mortal? o = Slots[index];
        Empty();
        Look();
        return o;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void TakenReturned()
    {
        Fill();
        TakenResult(2);
        Look();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void TakenReferences()
    {
        Fill();
        Mortal? o = Slots[0];
        ref Mortal? place = ref o;
        Mortal?[]? items = Kept;
        items![0] = Slots[1];
        Kept = null;
        ref Mortal? item = ref items[0];
        items = null;
        Empty();
        Look();
        place = null;
        Look();
        item = null;
        Look();
        Use(o);
        Use(items);
        Kept = new Mortal?[1];
    }

    private static Mortal?[]? Kept = new Mortal?[1];

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void TakenCasts()
    {
        Fill();
        object? o = Slots[0];
        Mortal? p = (Mortal?)o;
        Mortal? q = o as Closing;
        Empty();
        Look();
        o = null;
        p = null;
        Look();
        Use(o);
        Use(p);
        Use(q);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void NewLocals()
    {
        Mortal? a = new("a");
        Mortal? b = new("b") { Number = 2 };
        Watch(a);
        Watch(b);
        Look();
        a = null;
        Look();
        b = null;
        Look();
        Use(a);
        Use(b);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void NewArrays()
    {
        int[]? a = new int[10];
        object[]? b = new object[10];
        object? c = 15;
        Watch(a);
        Watch(b);
        Watch(c);
        a[3] = 1;
        b[2] = a;
        Look();
        a = null;
        Look();
        b = null;
        c = null;
        Look();
        Use(a);
        Use(b);
        Use(c);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void NewInFields()
    {
        Root = new Mortal("root") { Other = new Mortal("other") };
        Watch(Root);
        Watch(Root.Other);
        Root.Property = new Mortal("property");
        Watch(Root.Property);
        Look();
        Root.Other = null;
        Look();
        Root.Property = null;
        Look();
        Root = null;
        Look();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void TakenArguments()
    {
        Fill();
        TakenArgument(Slots[0], Slots[1]);
        Look();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void TakeOne(Mortal? o)
    {
        Empty();
        Look();
        Use(o);
        o = null;
        Look();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void TakeWith(Mortal? o, int number)
    {
        Empty();
        Look();
        Use(o);
        o = null;
        Look();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Mortal? Count(ref int number) => Slots[number++];

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void TakenOne()
    {
        Fill();
        TakeOne(Slots[2]);
        Look();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void TakenCounted()
    {
        int number = 1;
        Fill();
        TakeWith(Slots[2], number++);
        Look();
        Use(number);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void TakenCount()
    {
        int number = 2;
        Fill();
        TakeOne(Count(ref number));
        Look();
        Use(number);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void TakenFieldReference()
    {
        Fill();
        Holder holder = default;
        holder.First = Slots[0];
        holder.Second = Slots[1];
        ref Mortal? place = ref holder.First;
        ref Holder whole = ref holder;
        Empty();
        Look();
        place = null;
        Look();
        whole.Second = null;
        Look();
        Use(place);
        Use(whole.Second);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static unsafe void NewTexts()
    {
        string? a = new('a', 40 + Watched.Count);
        string? b = new(Letters);
        string? c = new(Letters.AsSpan(1));
        string? d;
        fixed (char* letters = Letters)
        {
            d = new string(letters, 0, 2);
        }
        Watch(a);
        Watch(b);
        Watch(c);
        Watch(d);
        a = null;
        Look();
        b = null;
        c = null;
        Look();
        d = null;
        Look();
        Use(Watch(new string('e', 40)));
        Look();
        Use(a);
        Use(b);
        Use(c);
        Use(d);
    }

    private static readonly char[] Letters = ['x', 'y', 'z'];

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void NewSquares()
    {
        int[,]? a = new int[3, 4];
        object?[,,]? b = new object?[2, 2, 2];
        Watch(a);
        Watch(b);
        a[1, 2] = 3;
        b[1, 1, 1] = a;
        a = null;
        Look();
        b[1, 1, 1] = null;
        Look();
        b = null;
        Look();
        Use(a);
        Use(b);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Give(out Mortal? o, out Mortal?[]? items)
    {
        o = R("given");
        items = Watch(new Mortal?[2]);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Count(in Mortal? o) => o == null ? 0 : 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void GivenRead()
    {
        Give(out Mortal? o, out Mortal?[]? items);
        int number = o!.Number + items!.Length + Use(items[0]);
        o = null;
        items = null;
        Look();
        Use(number);
        Use(o);
        Use(items);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void GivenWritten()
    {
        Give(out Mortal? o, out Mortal?[]? items);
        o!.Number = 2;
        o.Other = R("other");
        items![1] = o;
        items[0] = items[1];
        o = null;
        Look();
        items = null;
        Look();
        Use(o);
        Use(items);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void GivenParameter(Mortal? o, Mortal?[]? items)
    {
        Give(out o, out items);
        o!.Number += Count(in o);
        items![0] = o;
        Use(items[0]!.Number);
        o = null;
        items = null;
        Look();
        Use(o);
        Use(items);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void GivenParameters()
    {
        GivenParameter(null, null);
        Look();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void GivenSquare(out int[,]? square) => square = Watch(new int[2, 2]);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void GivenInStruct()
    {
        Holder holder = default;
        Give(out holder.First, out Mortal?[]? items);
        holder.First!.Number = items!.Length;
        holder.Number = holder.First.Number;
        holder.First = null;
        items = null;
        Look();
        GivenSquare(out int[,]? square);
        square![1, 1] = 4;
        holder.Number += square[1, 1];
        square = null;
        Look();
        Use(holder.Number);
        Use(items);
        Use(square);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static object? Box(int number) => number switch
    {
        0 => Watch((object)(Watched.Count + 100)),
        1 => Watch((object)new Held(R("held"), 1)),
        2 => Watch((object)(1.5m + Watched.Count)),
        _ => Watch((object)new KeyValuePair<int, long>(1, 2)),
    };

    private static readonly object?[] Boxed = new object?[4];

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void UnboxedStatic()
    {
        Thing = Box(0);
        int number = (int)Thing!;
        Thing = Box(1);
        Held held = (Held)Thing!;
        Thing = Box(2);
        decimal cost = (decimal)Thing!;
        Thing = Box(3);
        KeyValuePair<int, long> pair = (KeyValuePair<int, long>)Thing!;
        Thing = null;
        Look();
        held = default;
        Look();
        Use(number + cost + pair.Value);
        Use(held);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void UnboxedItem()
    {
        for (int i = 0; i < 4; i++)
        {
            Boxed[i] = Box(i);
        }
        int number = (int)Boxed[0]!;
        Held held = (Held)Boxed[1]!;
        decimal? cost = (decimal?)Boxed[2];
        number += ((Held)Boxed[1]!).Number + (Boxed[3] is KeyValuePair<int, long> pair ? pair.Key : 0);
        System.Array.Clear(Boxed);
        Look();
        held = default;
        Look();
        Use(number + cost!.Value);
        Use(held);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void UnboxedField()
    {
        Mortal owner = new("owner") { Thing = Box(0) };
        int number = (int)owner.Thing!;
        owner.Thing = Box(1);
        Held held = Unboxed<Held>(owner);
        owner.Thing = Box(2);
        number += (int)(decimal)owner.Thing!;
        owner.Thing = null;
        Look();
        held = default;
        Look();
        Use(number);
        Use(held);
        Use(owner);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static T Unboxed<T>(Mortal owner)
    {
        T value = (T)owner.Thing!;
        owner.Thing = null;
        Look();
        return value;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Held Make(Mortal? o, int number) => new(null, number + Use(o));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void TakenByStruct()
    {
        int number = 1;
        Fill();
        Held held = Make(Slots[2], number++);
        Empty();
        Look();
        Use(held);
        Use(number);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void InTuple()
    {
        Root = R();
        var tuple = Tuple.Create(Root, 1);
        int number = tuple.Item1.Number;
        tuple = null;
        Root = null;
        Look();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void InNewTuple()
    {
        Root = R();
        Tuple<Mortal, int>? tuple = new(Root, 1);
        int number = tuple.Item1.Number;
        tuple = null;
        Root = null;
        Look();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void UnboxedChosen()
    {
        Thing = Box(1);
        Boxed[0] = Box(1);
        Held held = Watched.Count > 2 ? (Held)Boxed[0]! : (Held)Thing!;
        KeyValuePair<int, long> pair = Watched.Count > 200 ? default : (KeyValuePair<int, long>)(Boxed[0] = Box(3))!;
        Boxed[0] = null;
        Thing = null;
        Look();
        held = default;
        Look();
        Use(held);
        Use(pair.Key);
    }

    private static readonly Held[] AllHeld = new Held[2];
    private static Held OneHeld;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int UseWith(Held held, int number)
    {
        int used = held.Number + number;
        AllHeld[0] = default;
        OneHeld = default;
        held = default;
        Look();
        return used;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void WaitingStructs()
    {
        int number = 3;
        AllHeld[0] = new Held(R("item"), 1);
        number += UseWith(AllHeld[0], number++);
        Look();
        OneHeld = new Held(R("static"), 1);
        number += UseWith(OneHeld, number++);
        Look();
        Use(number);
    }

    private static readonly Action[] Shapes =
    [
        Local, LocalRead, Unused, Passed, Chain, Conditional, FieldOfStatic, Replaced, InLoop, Array, ArrayOfArrays, Structs, Tuples,
        Boxes, References, Arguments, Interior, Exceptions, Texts, Delegates, Locked, Usings, Enumerated, Iterated, Asyncs, Generics,
        Casts, Initialised, Assignments, Threads, Unmanaged, Switches,
        TakenField, TakenItems, TakenArguments, TakenStruct, TakenChain, TakenLoop, TakenConditions, TakenReturned, TakenReferences,
        TakenOne, TakenCounted, TakenCount, TakenFieldReference, TakenCasts, NewLocals, NewArrays, NewInFields,
        NewTexts, NewSquares, GivenRead, GivenWritten, GivenParameters, GivenInStruct, UnboxedStatic, UnboxedItem, UnboxedField,
        UnboxedChosen, WaitingStructs, TakenByStruct, InTuple, InNewTuple,
    ];

    /// Runs each pattern twice, since the first run may leave references in registers and on the stack.
    public static string Run()
    {
        List<string> lines = [];
        foreach (Action shape in Shapes)
        {
            for (int round = 0; round < 2; round++)
            {
                Watched.Clear();
                Told.Clear();
                shape();
                Told.Add("after");
                Look();
                lines.Add($"{shape.Method.Name}: {string.Join(' ', Told)}");
            }
        }
        Watched.Clear();
        Look();
        return string.Join('\n', lines) + $"\n{Mortal.Finalized} finalized";
    }
}
