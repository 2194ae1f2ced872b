// The functions that every program has.
namespace ParserSample;

// Something that can be called: Call gets the arguments and returns the result.
internal sealed record Builtin(string Name, int Arity, Func<List<object>, int, object> Call);

internal sealed class Builtins
{
    public static readonly string[] Names = { "print", "length", "push", "pop", "keys", "text", "number", "floor", "sqrt", "type", "sort" };

    private readonly TextWriter output;

    public Builtins(TextWriter output)
    {
        this.output = output;
    }

    public IEnumerable<Builtin> All()
    {
        yield return new Builtin("print", -1, Print);
        yield return new Builtin("length", 1, Length);
        yield return new Builtin("push", 2, Push);
        yield return new Builtin("pop", 1, Pop);
        yield return new Builtin("keys", 1, (arguments, line) => Operations.Items(Expect<Dictionary<string, object>>(arguments[0], line), line));
        yield return new Builtin("text", 1, (arguments, _) => Operations.Show(arguments[0]));
        yield return new Builtin("number", 1, Number);
        yield return new Builtin("floor", 1, (arguments, line) => Math.Floor(Expect<double>(arguments[0], line)));
        yield return new Builtin("sqrt", 1, (arguments, line) => Math.Sqrt(Expect<double>(arguments[0], line)));
        yield return new Builtin("type", 1, (arguments, _) => Operations.TypeOf(arguments[0]));
        yield return new Builtin("sort", 1, Sort);
    }

    public static object Invoke(Builtin builtin, List<object> arguments, int line)
    {
        if (builtin.Arity >= 0 && builtin.Arity != arguments.Count)
        {
            throw new LanguageException($"{builtin.Name} takes {builtin.Arity}, not {arguments.Count}", line);
        }
        return builtin.Call(arguments, line);
    }

    private object Print(List<object> arguments, int line)
    {
        output.WriteLine(string.Join(' ', arguments.ConvertAll(Operations.Show)));
        return null;
    }

    private static object Length(List<object> arguments, int line)
    {
        return arguments[0] switch
        {
            string text => (double)text.Length,
            List<object> list => (double)list.Count,
            Dictionary<string, object> map => (double)map.Count,
            _ => throw new LanguageException($"length of {Operations.TypeOf(arguments[0])}", line),
        };
    }

    private static object Push(List<object> arguments, int line)
    {
        Expect<List<object>>(arguments[0], line).Add(arguments[1]);
        return arguments[0];
    }

    private static object Pop(List<object> arguments, int line)
    {
        List<object> list = Expect<List<object>>(arguments[0], line);
        if (list.Count == 0)
        {
            throw new LanguageException("pop of an empty list", line);
        }
        object last = list[list.Count - 1];
        list.RemoveAt(list.Count - 1);
        return last;
    }

    private static object Number(List<object> arguments, int line)
    {
        var culture = System.Globalization.CultureInfo.InvariantCulture;
        return double.TryParse(Operations.Show(arguments[0]), culture, out double number) ? number : null;
    }

    // Insertion sort, which is stable.
    private static object Sort(List<object> arguments, int line)
    {
        var sorted = new List<object>();
        foreach (object item in Expect<List<object>>(arguments[0], line))
        {
            int place = sorted.Count;
            while (place > 0 && (bool)Operations.Apply("<", item, sorted[place - 1], line))
            {
                place--;
            }
            sorted.Insert(place, item);
        }
        return sorted;
    }

    private static T Expect<T>(object value, int line)
    {
        return value is T expected ? expected : throw new LanguageException($"{Operations.TypeOf(value)} is not what is wanted", line);
    }
}
