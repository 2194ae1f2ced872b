// Generic code, shared between reference types and compiled for each value type: T differs between calls.
using System.Numerics;

namespace Values;

internal static class Generics
{
    private interface ITagged
    {
        int Tag { get; set; }
    }

    private struct Tagged : ITagged
    {
        private int tag;

        public int Tag
        {
            get => tag;
            set
            {
                tag = value; Oracle.Field("tag", tag);
            }
        }
    }

    private sealed class TaggedClass : ITagged
    {
        public int Tag { get; set; }
    }

    private class Cell<T>
    {
        private static int count;
        private static T last;
        private T content;
        private T[] history = new T[2];

        public T Content => content;

        public T Put(T value)
        { Oracle.Argument("value", value);
            T before = content; Oracle.Local("before", before);
            content = value; Oracle.Field("content", content);
            last = value; Oracle.Field("last", last);
            count++; Oracle.Field("count", count);
            history[1] = before; Oracle.Item("history[1]", history[1]);
            history[0] = content; Oracle.Item("history[0]", history[0]);
            Oracle.Result(before); return before;
        }

        public void Clear()
        {
            content = default; Oracle.Field("content", content);
            history[0] = default; Oracle.Item("history[0]", history[0]);
        }
    }

    private sealed class Both<TKey, TValue> : Cell<KeyValuePair<TKey, TValue>>
    {
        public void Add(TKey key, TValue value)
        { Oracle.Argument("key", key); Oracle.Argument("value", value);
            var entry = new KeyValuePair<TKey, TValue>(key, value); Oracle.Local("entry", entry);
            _ = Put(entry);
        }
    }

    public static void Run()
    {
        Cells();
        Methods();
        Constrained();
        Nested();
    }

    private static void Cells()
    {
        var numbers = new Cell<int>(); Oracle.Local("numbers", numbers);
        _ = numbers.Put(1);
        int number = numbers.Put(2); Oracle.Local("number", number);
        numbers.Clear();
        var texts = new Cell<string>(); Oracle.Local("texts", texts);
        _ = texts.Put("a");
        string text = texts.Put(null); Oracle.Local("text", text);
        texts.Clear();
        var animals = new Cell<Animal>(); Oracle.Local("animals", animals);
        _ = animals.Put(new Dog());
        var points = new Cell<Point>(); Oracle.Local("points", points);
        _ = points.Put(new Point(1, 2));
        points.Clear();
        var perhaps = new Cell<double?>(); Oracle.Local("perhaps", perhaps);
        _ = perhaps.Put(1.5);
        _ = perhaps.Put(null);
        var colours = new Cell<Colour>(); Oracle.Local("colours", colours);
        _ = colours.Put(Colour.Blue);
        var money = new Cell<decimal>(); Oracle.Local("money", money);
        _ = money.Put(0.10m);
        var both = new Both<string, int>(); Oracle.Local("both", both);
        both.Add("key", 5);
    }

    private static void Methods()
    {
        _ = Echo(true);
        _ = Echo('c');
        _ = Echo((sbyte)-1);
        _ = Echo(1L);
        _ = Echo(0.5f);
        _ = Echo("text");
        _ = Echo<object>(null);
        _ = Echo(new[] { 1 });
        _ = Echo(new Dog());
        _ = Echo((1, "one"));
        _ = Echo(new DateTime(2026, 6, 7));
        _ = Echo<int?>(null);
        _ = Echo<int?>(8);
        _ = Echo(Rights.ReadWrite);
        int sum = Sum(new[] { 1, 2 }); Oracle.Local("sum", sum);
        decimal total = Sum(new[] { 1.5m, 2.5m }); Oracle.Local("total", total);
    }

    private static T Echo<T>(T value)
    { Oracle.Argument("value", value);
        T copy = value; Oracle.Local("copy", copy);
        value = default; Oracle.Local("value", value);
        T[] array = new T[1]; Oracle.Local("array", array);
        array[0] = copy; Oracle.Item("array[0]", array[0]);
        object boxed = copy; Oracle.Local("boxed", boxed);
        T unboxed = (T)boxed; Oracle.Local("unboxed", unboxed);
        Set(ref value, copy); Oracle.Local("value", value);
        Oracle.Result(unboxed); return unboxed;
    }

    private static void Set<T>(ref T to, T value)
    {
        to = value; Oracle.Through("to", to);
    }

    private static T Sum<T>(T[] numbers) where T : INumber<T>
    {
        T sum = T.Zero; Oracle.Local("sum", sum);
        foreach (T number in numbers)
        {
            sum += number; Oracle.Local("sum", sum);
        }
        return sum;
    }

    private static void Constrained()
    {
        var tagged = new Tagged(); Oracle.Local("tagged", tagged);
        tagged = Mark(tagged, 5); Oracle.Local("tagged", tagged);
        TaggedClass reference = Mark(new TaggedClass(), 6); Oracle.Local("reference", reference);
        int tag = reference.Tag; Oracle.Local("tag", tag);
        var made = Make<Tagged>(); Oracle.Local("made", made);
        ITagged boxed = tagged; Oracle.Local("boxed", boxed);
        boxed.Tag = 9;
        ITagged written = boxed; Oracle.Local("written", written);
        tag = boxed.Tag; Oracle.Local("tag", tag);
        object again = boxed; Oracle.Local("again", again);
    }

    private static T Mark<T>(T thing, int tag) where T : ITagged
    {
        thing.Tag = tag;
        tag = thing.Tag; Oracle.Local("tag", tag);
        Oracle.Result(thing); return thing;
    }

    private static T Make<T>() where T : new()
    {
        T made = new(); Oracle.Local("made", made);
        Oracle.Result(made); return made;
    }

    private static void Nested()
    {
        Pair<int, Pair<string, Colour>> pair = default; Oracle.Local("pair", pair);
        pair.Second = Twin("s", Colour.Green); Oracle.Field("Second", pair.Second);
        pair.Second.First = "t"; Oracle.Field("Second.First", pair.Second.First);
        Func<Pair<long, object>> make = () => Twin<long, object>(1, "o"); Oracle.Local("make", make);
        Pair<long, object> made = make(); Oracle.Local("made", made);
    }

    private static Pair<TFirst, TSecond> Twin<TFirst, TSecond>(TFirst first, TSecond second)
    { Oracle.Argument("first", first); Oracle.Argument("second", second);
        Pair<TFirst, TSecond> pair = default; Oracle.Local("pair", pair);
        pair.First = first; Oracle.Field("First", pair.First);
        pair.Second = second; Oracle.Field("Second", pair.Second);
        Oracle.Result(pair); return pair;
    }
}
