// Variables that lambdas and local functions share: they live in objects and structs of the compiler's, under their own names.
namespace Values;

internal static class Captured
{
    public static void Run()
    {
        Plain();
        Loops();
        Nested(5);
        Structs();
        new Instance().Act(3);
        Kinds();
        Arguments();
    }

    private static void Plain()
    {
        int count = 1; Oracle.Local("count", count);
        Action add = () => { count += 10; Oracle.Local("count", count); };
        add();
        count++; Oracle.Local("count", count);
        add();
        string text = "a"; Oracle.Local("text", text);
        Func<string> more = () => { text += "b"; Oracle.Local("text", text); return text; };
        string result = more(); Oracle.Local("result", result);
        result = more(); Oracle.Local("result", result);
        count = 0; Oracle.Local("count", count);
    }

    private static void Loops()
    {
        var acts = new List<Action>(); Oracle.Local("acts", acts);
        for (int i = 0; i < 2; i++)
        {
            int own = i * 10; Oracle.Local("own", own);
            acts.Add(() => { own++; Oracle.Local("own", own); });
        }
        foreach (string word in new[] { "x", "y" }) { Oracle.Local("word", word);
            acts.Add(() => { string seen = word + "!"; Oracle.Local("seen", seen); });
        }
        foreach (Action act in acts)
        {
            act();
            act();
        }
    }

    private static void Nested(int parameter)
    {
        parameter++; Oracle.Local("parameter", parameter);
        int outer = 1; Oracle.Local("outer", outer);
        Func<int, Func<int>> make = inner =>
        {
            inner += outer; Oracle.Local("inner", inner);
            return () =>
            {
                inner++; Oracle.Local("inner", inner);
                outer += inner; Oracle.Local("outer", outer);
                parameter = outer; Oracle.Local("parameter", parameter);
                return outer;
            };
        };
        Func<int> made = make(7); Oracle.Local("made", made);
        int first = made(); Oracle.Local("first", first);
        int second = made(); Oracle.Local("second", second);
    }

    // Variables that only local functions share are in a struct.
    private static void Structs()
    {
        int sum = 0; Oracle.Local("sum", sum);
        Point point = default; Oracle.Local("point", point);
        Add(3);
        Add(4);

        void Add(int n)
        {
            sum += n; Oracle.Local("sum", sum);
            point.X = sum; Oracle.Field("X", point.X);
            Deeper();

            void Deeper()
            {
                n = -n; Oracle.Local("n", n);
                point = new Point(n, sum); Oracle.Local("point", point);
            }
        }
    }

    private sealed class Instance
    {
        private int field;

        public void Act(int by)
        {
            Action act = () => { field += by; Oracle.Field("field", field); };
            act();
            by = 7; Oracle.Local("by", by);
            act();
        }
    }

    private static void Kinds()
    {
        bool truth = false; Oracle.Local("truth", truth);
        char letter = 'a'; Oracle.Local("letter", letter);
        long large = 1; Oracle.Local("large", large);
        double real = 0.5; Oracle.Local("real", real);
        decimal money = 1.0m; Oracle.Local("money", money);
        int? perhaps = null; Oracle.Local("perhaps", perhaps);
        Colour colour = Colour.Red; Oracle.Local("colour", colour);
        DateTime day = new(2026, 1, 1); Oracle.Local("day", day);
        object thing = null; Oracle.Local("thing", thing);
        int[] numbers = { 1 }; Oracle.Local("numbers", numbers);
        (int Count, string Name) tuple = (1, "one"); Oracle.Tuple("tuple", tuple, "Count Name");
        Action change = () =>
        {
            truth = true; Oracle.Local("truth", truth);
            letter++; Oracle.Local("letter", letter);
            large <<= 40; Oracle.Local("large", large);
            real /= 2; Oracle.Local("real", real);
            money += 0.05m; Oracle.Local("money", money);
            perhaps = 3; Oracle.Local("perhaps", perhaps);
            colour = Colour.Blue; Oracle.Local("colour", colour);
            day = day.AddDays(1); Oracle.Local("day", day);
            thing = numbers; Oracle.Local("thing", thing);
            numbers[0] = 2; Oracle.Item("numbers[0]", numbers[0]);
            tuple = (2, "two"); Oracle.Tuple("tuple", tuple, "Count Name");
            tuple.Name = null; Oracle.Field("Name", tuple.Name);
        };
        change();
        Give(out large); Oracle.Local("large", large);
    }

    private static void Give(out long number)
    {
        number = 99; Oracle.Through("number", number);
    }

    private static void Arguments()
    {
        Func<int, int, int> add = (left, right) =>
        { Oracle.Argument("left", left); Oracle.Argument("right", right);
            left += right; Oracle.Local("left", left);
            Oracle.Result(left); return left;
        };
        int sum = add(1, 2); Oracle.Local("sum", sum);
        Func<string, object> box = text =>
        { Oracle.Argument("text", text);
            object boxed = text?.Length; Oracle.Local("boxed", boxed);
            return boxed;
        };
        _ = box("four");
        _ = box(null);
        List<int> squares = new[] { 1, 2 }.Select(n => { int square = n * n; Oracle.Local("square", square); return square; }).ToList();
        int count = squares.Count; Oracle.Local("count", count);
    }
}
