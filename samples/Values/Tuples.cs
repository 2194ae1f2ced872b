// Tuples, whose items have names in the source alone.
namespace Values;

internal static class Tuples
{
    private static (int Count, string Name) field;

    public static void Run()
    {
        Named();
        Taken((1, (2, "two")));
        Shared();
    }

    private static void Named()
    {
        (int, string) plain = (1, "one"); Oracle.Tuple("plain", plain, "Item1 Item2");
        (int Count, string Name) named = plain; Oracle.Tuple("named", named, "Count Name");
        named.Count = 5; Oracle.Field("Count", named.Count);
        named.Name += "!"; Oracle.Field("Name", named.Name);
        var copy = named; Oracle.Tuple("copy", copy, "Count Name");
        named = (7, null); Oracle.Tuple("named", named, "Count Name");
        var inferred = (copy.Count, Length: copy.Name.Length, 2.5); Oracle.Tuple("inferred", inferred, "Count Length Item3");
        (int a, int b, int c, int d, int e, int f, int g, int h, string i) nine = (1, 2, 3, 4, 5, 6, 7, 8, "nine");
        Oracle.Tuple("nine", nine, "a b c d e f g h i", Here() - 1);
        nine.h = 80; Oracle.Field("h", nine.h);
        (int count, string name) = copy; Oracle.Local("count", count); Oracle.Local("name", name);
        (count, int more) = (count + 1, count); Oracle.Local("count", count); Oracle.Local("more", more);
        (count, more) = (more, count); Oracle.Local("count", count); Oracle.Local("more", more);
        ValueTuple none = default; Oracle.Local("none", none);
        ValueTuple<int> single = new(3); Oracle.Tuple("single", single, "Item1");
    }

    private static (int Sum, int Product) Taken((int First, (int Second, string Word) Others) input)
    {
        int second = input.Others.Second; Oracle.Local("second", second);
        (int Sum, int Product) result = (input.First + second, input.First * second); Oracle.Tuple("result", result, "Sum Product");
        return result;
    }

    private static void Shared()
    {
        field = (3, "three"); Oracle.Field("field", field);
        field.Count = 4; Oracle.Field("Count", field.Count);
        var list = new (int Key, string Text)[2]; Oracle.Local("list", list);
        list[1] = (1, "x"); Oracle.Item("list[1]", list[1]);
        list[1].Text = "y"; Oracle.Field("Text", list[1].Text);
        (int, int)? perhaps = (1, 2); Oracle.Local("perhaps", perhaps);
    }

    private static int Here([System.Runtime.CompilerServices.CallerLineNumber] int line = 0)
    {
        return line;
    }
}
