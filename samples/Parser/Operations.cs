// The operators on values. A value is null, a bool, a double, a string, a list, a map or a function.
using System.Globalization;
using System.Text;

namespace ParserSample;

internal static class Operations
{
    public static bool IsTrue(object value)
    {
        return value switch
        {
            null => false,
            bool truth => truth,
            double number => number != 0,
            string text => text.Length > 0,
            _ => true,
        };
    }

    public static object Apply(string symbol, object operand, int line)
    {
        if (symbol == "not")
        {
            return !IsTrue(operand);
        }
        return operand is double number ? -number : throw Wrong(symbol, operand, line);
    }

    public static object Apply(string symbol, object left, object right, int line)
    {
        switch (symbol)
        {
            case "==":
                return AreEqual(left, right);
            case "!=":
                return !AreEqual(left, right);
            case "in":
                return Contains(right, left, line);
            case "+" when left is string || right is string:
                return Show(left) + Show(right);
            case "+" when left is List<object> first && right is List<object> second:
                return new List<object>([.. first, .. second]);
            case "*" when left is string text && right is double times:
                return Repeat(text, times);
        }
        if (left is string leftText && right is string rightText)
        {
            return Compare(symbol, string.CompareOrdinal(leftText, rightText), line);
        }
        if (left is double a && right is double b)
        {
            return Compute(symbol, a, b, line);
        }
        throw Wrong(symbol, left is double ? right : left, line);
    }

    public static bool AreEqual(object left, object right)
    {
        if (left is not List<object> first || right is not List<object> second)
        {
            return Equals(left, right);
        }
        if (first.Count != second.Count)
        {
            return false;
        }
        for (int i = 0; i < first.Count; i++)
        {
            if (!AreEqual(first[i], second[i]))
            {
                return false;
            }
        }
        return true;
    }

    public static object Get(object target, object key, int line)
    {
        return target switch
        {
            List<object> list => list[Position(list.Count, key, line)],
            string text => text[Position(text.Length, key, line)].ToString(),
            Dictionary<string, object> map => map.TryGetValue(Show(key), out object value) ? value : null,
            _ => throw Wrong("[]", target, line),
        };
    }

    public static void Set(object target, object key, object value, int line)
    {
        switch (target)
        {
            case List<object> list:
                list[Position(list.Count, key, line)] = value;
                break;
            case Dictionary<string, object> map:
                map[Show(key)] = value;
                break;
            default:
                throw Wrong("[]=", target, line);
        }
    }

    // The items that a loop runs over.
    public static List<object> Items(object value, int line)
    {
        return value switch
        {
            List<object> list => new List<object>(list),
            string text => text.Select(c => (object)c.ToString()).ToList(),
            Dictionary<string, object> map => map.Keys.OrderBy(key => key, StringComparer.Ordinal).Cast<object>().ToList(),
            double count => Enumerable.Range(0, (int)count).Select(i => (object)(double)i).ToList(),
            _ => throw Wrong("for", value, line),
        };
    }

    public static string Show(object value)
    {
        var text = new StringBuilder();
        Show(text, value);
        return text.ToString();
    }

    public static string TypeOf(object value)
    {
        return value switch
        {
            null => "null",
            bool => "bool",
            double => "number",
            string => "text",
            List<object> => "list",
            Dictionary<string, object> => "map",
            _ => "function",
        };
    }

    private static void Show(StringBuilder text, object value)
    {
        switch (value)
        {
            case null:
                text.Append("null");
                break;
            case bool truth:
                text.Append(truth ? "true" : "false");
                break;
            case double number:
                text.Append(number.ToString("R", CultureInfo.InvariantCulture));
                break;
            case string own:
                text.Append(own);
                break;
            case List<object> list:
                ShowAll(text, '[', ']', list, Show);
                break;
            case Dictionary<string, object> map:
                ShowAll(text, '{', '}', map.OrderBy(entry => entry.Key, StringComparer.Ordinal), ShowEntry);
                break;
            default:
                text.Append("function");
                break;
        }
    }

    private static void ShowEntry(StringBuilder text, KeyValuePair<string, object> entry)
    {
        text.Append(entry.Key).Append(": ");
        Show(text, entry.Value);
    }

    private static void ShowAll<T>(StringBuilder text, char open, char close, IEnumerable<T> items, Action<StringBuilder, T> show)
    {
        text.Append(open);
        bool first = true;
        foreach (T item in items)
        {
            if (!first)
            {
                text.Append(", ");
            }
            first = false;
            show(text, item);
        }
        text.Append(close);
    }

    private static object Compute(string symbol, double left, double right, int line)
    {
        switch (symbol)
        {
            case "+":
                return left + right;
            case "-":
                return left - right;
            case "*":
                return left * right;
            case "/":
                return right == 0 ? throw new LanguageException("division by zero", line) : left / right;
            case "%":
                return right == 0 ? throw new LanguageException("division by zero", line) : left - right * Math.Floor(left / right);
            case "**":
                return Math.Pow(left, right);
            default:
                return Compare(symbol, left.CompareTo(right), line);
        }
    }

    private static bool Compare(string symbol, int order, int line)
    {
        return symbol switch
        {
            "<" => order < 0,
            "<=" => order <= 0,
            ">" => order > 0,
            ">=" => order >= 0,
            _ => throw new LanguageException($"no {symbol} between texts", line),
        };
    }

    private static bool Contains(object container, object item, int line)
    {
        switch (container)
        {
            case string text:
                return text.Contains(Show(item));
            case Dictionary<string, object> map:
                return map.ContainsKey(Show(item));
            case List<object> list:
                foreach (object one in list)
                {
                    if (AreEqual(one, item))
                    {
                        return true;
                    }
                }
                return false;
            default:
                throw Wrong("in", container, line);
        }
    }

    private static string Repeat(string text, double times)
    {
        var result = new StringBuilder();
        for (int i = 0; i < times; i++)
        {
            result.Append(text);
        }
        return result.ToString();
    }

    // Counted from the end where negative.
    private static int Position(int count, object key, int line)
    {
        if (key is not double number || number != Math.Floor(number))
        {
            throw new LanguageException($"{Show(key)} is no position", line);
        }
        int position = (int)(number < 0 ? number + count : number);
        return position >= 0 && position < count ? position : throw new LanguageException($"{Show(key)} is outside", line);
    }

    private static LanguageException Wrong(string symbol, object value, int line)
    {
        return new LanguageException($"{symbol} of {TypeOf(value)}", line);
    }
}
