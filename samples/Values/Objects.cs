// References: null, identity, types of all kinds, boxes, delegates.
using System.Text;

namespace Values;

internal class Animal
{
    public override string ToString() => throw new InvalidOperationException("nobody may ask for this");
}

internal sealed class Dog : Animal;

internal static class Objects
{
    private sealed class Nested
    {
        public void Act()
        {
        }

        public sealed class Deeper<T>;
    }

    private delegate int Operation(int left, int right);

    public static void Run()
    {
        Identity();
        Types();
        Boxes();
        Delegates();
        Arrays();
        Moving();
    }

    private static void Identity()
    {
        object nothing = null; Oracle.Local("nothing", nothing);
        var one = new Animal(); Oracle.Local("one", one); Oracle.New(one);
        Animal same = one; Oracle.Local("same", same);
        var other = new Animal(); Oracle.Local("other", other); Oracle.New(other);
        same = other; Oracle.Local("same", same);
        Animal dog = new Dog(); Oracle.Local("dog", dog); Oracle.New(dog);
        object asObject = dog; Oracle.Local("asObject", asObject);
        Dog asDog = asObject as Dog; Oracle.Local("asDog", asDog);
        Dog notDog = one as Dog; Oracle.Local("notDog", notDog);
        Animal cast = (Animal)asObject; Oracle.Local("cast", cast);
        Animal chosen = notDog ?? one; Oracle.Local("chosen", chosen);
        same = null; Oracle.Local("same", same);
        same ??= dog; Oracle.Local("same", same);
    }

    private static void Types()
    {
        var nested = new Nested(); Oracle.Local("nested", nested);
        var deeper = new Nested.Deeper<int>(); Oracle.Local("deeper", deeper);
        var list = new List<string>(); Oracle.Local("list", list);
        var map = new Dictionary<string, List<int>>(); Oracle.Local("map", map);
        IEnumerable<string> sequence = list; Oracle.Local("sequence", sequence);
        var builder = new StringBuilder("text"); Oracle.Local("builder", builder);
        Exception problem = new ArgumentException("words"); Oracle.Local("problem", problem);
        var anonymous = new { Name = "n", Count = 3 }; Oracle.Local("anonymous", anonymous);
        Type type = typeof(Animal); Oracle.Local("type", type);
        Type generic = typeof(Dictionary<,>); Oracle.Local("generic", generic);
        var version = new Version(1, 2); Oracle.Local("version", version);
        Tuple<int, string> tuple = Tuple.Create(1, "one"); Oracle.Local("tuple", tuple);
        WeakReference weak = new(type); Oracle.Local("weak", weak);
        dynamic late = 5; Oracle.Local("late", (object)late);
    }

    private static void Boxes()
    {
        object boxed = 5; Oracle.Local("boxed", boxed); Oracle.New(boxed);
        object again = 5; Oracle.Local("again", again); Oracle.New(again);
        object truth = true; Oracle.Local("truth", truth);
        object letter = 'c'; Oracle.Local("letter", letter);
        object money = 1.20m; Oracle.Local("money", money);
        object day = new DateTime(2026, 1, 2); Oracle.Local("day", day);
        object id = Guid.Empty; Oracle.Local("id", id);
        object point = new Point(1, 2); Oracle.Local("point", point);
        object none = (int?)null; Oracle.Local("none", none);
        object some = (int?)7; Oracle.Local("some", some);
        int unboxed = (int)boxed; Oracle.Local("unboxed", unboxed);
        Point copy = (Point)point; Oracle.Local("copy", copy);
        IComparable comparable = 3L; Oracle.Local("comparable", comparable);
        ValueType value = 2.5; Oracle.Local("value", value);
        Enum member = Colour.Blue; Oracle.Local("member", member);
        object inner = new KeyValuePair<string, object>("inner", 1.5f); Oracle.Local("inner", inner);
        var pair = new KeyValuePair<object, object>(again, inner); Oracle.Local("pair", pair);
        IEnumerator<int> walk = ((IEnumerable<int>)new List<int> { 4, 5 }).GetEnumerator(); Oracle.Local("walk", walk);
        _ = walk.MoveNext();
        object walked = walk; Oracle.Local("walked", walked);
    }

    private static void Delegates()
    {
        Operation add = Add; Oracle.Local("add", add);
        Operation lambda = (left, right) => left * right; Oracle.Local("lambda", lambda);
        int offset = 3; Oracle.Local("offset", offset);
        Func<int, int> closed = n => n + offset; Oracle.Local("closed", closed);
        Action instance = new Nested().Act; Oracle.Local("instance", instance);
        Operation both = add + lambda; Oracle.Local("both", both);
        both -= add; Oracle.Local("both", both);
        both -= lambda; Oracle.Local("both", both);
        int result = add(2, 3); Oracle.Local("result", result);
        result = closed(result); Oracle.Local("result", result);
        Delegate any = lambda; Oracle.Local("any", any);
        Func<string, object> variant = Describe; Oracle.Local("variant", variant);
    }

    private static int Add(int left, int right)
    {
        return left + right;
    }

    private static string Describe(object thing)
    {
        return thing.GetType().Name;
    }

    private static void Arrays()
    {
        var numbers = new int[3]; Oracle.Local("numbers", numbers); Oracle.New(numbers);
        int[] same = numbers; Oracle.Local("same", same);
        string[] words = { "a", "b" }; Oracle.Local("words", words);
        object[] covariant = words; Oracle.Local("covariant", covariant);
        int[][] jagged = { numbers, null }; Oracle.Local("jagged", jagged);
        int[,] grid = new int[2, 3]; Oracle.Local("grid", grid);
        int[,,][] mixed = new int[1, 1, 1][]; Oracle.Local("mixed", mixed);
        Point[] points = new Point[1]; Oracle.Local("points", points);
        byte[] empty = Array.Empty<byte>(); Oracle.Local("empty", empty);
        Array untyped = numbers; Oracle.Local("untyped", untyped);
        Array shifted = Array.CreateInstance(typeof(int), new[] { 2 }, new[] { 5 }); Oracle.Local("shifted", shifted);
    }

    // An object must keep its number when the garbage collector moves it.
    private static void Moving()
    {
        var keep = new List<Animal>(); Oracle.Local("keep", keep);
        for (int round = 0; round < 5; round++)
        {
            for (int i = 0; i < 1000; i++)
            {
                _ = new byte[100];
            }
            Animal made = new Dog(); Oracle.Local("made", made);
            keep.Add(made);
            GC.Collect(round % 3);
            Animal first = keep[0]; Oracle.Local("first", first);
            Animal last = keep[round]; Oracle.Local("last", last);
        }
    }
}
