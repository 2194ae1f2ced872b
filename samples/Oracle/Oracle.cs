// The oracle of values: after each definition, a call on the same line reports the new value. The calls are
// [Conditional("ORACLE")], so a plain build has none of them and the same lines. The reports go to the file that ORACLE_OUT
// names; samples/README.md has the format.
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;

public static unsafe class Oracle
{
    private const long FirstRealAddress = 65_536;
    private static readonly StringBuilder said = new();
    private static readonly ConditionalWeakTable<object, object> numbers = new();
    private static readonly ConcurrentDictionary<Type, FieldInfo[]> layouts = new();
    private static int objects;

    // A local or a parameter has got a value; captured and hoisted ones too.
    [Conditional("ORACLE")]
    public static void Local<T>(string name, T value, [CallerLineNumber] int line = 0, [CallerFilePath] string file = "")
    {
        Say(file, line, name, value);
    }

    // A field, static or not.
    [Conditional("ORACLE")]
    public static void Field<T>(string name, T value, [CallerLineNumber] int line = 0, [CallerFilePath] string file = "")
    {
        Say(file, line, "." + name, value);
    }

    // An item of an array: name and index, as in "a[3]".
    [Conditional("ORACLE")]
    public static void Item<T>(string name, T value, [CallerLineNumber] int line = 0, [CallerFilePath] string file = "")
    {
        Say(file, line, name, value);
    }

    // The target of a reference or pointer.
    [Conditional("ORACLE")]
    public static void Through<T>(string name, T value, [CallerLineNumber] int line = 0, [CallerFilePath] string file = "")
    {
        Say(file, line, "*" + name, value);
    }

    // The target of a pointer, also as a signed number, in case the code shows only its width.
    [Conditional("ORACLE")]
    public static void Pointed<T>(string name, T value, [CallerLineNumber] int line = 0, [CallerFilePath] string file = "")
    {
        object number = value is Enum member ? Convert.ChangeType(member, member.GetTypeCode()) : value;
        string raw = number switch
        {
            bool truth => truth ? "1" : "0",
            byte small => ((sbyte)small).ToString(),
            char letter => ((short)letter).ToString(),
            ushort medium => ((short)medium).ToString(),
            uint whole => ((int)whole).ToString(),
            ulong large => ((long)large).ToString(),
            nuint native => ((nint)native).ToString(),
            int whole => whole.ToString(),
            _ => null,
        };
        if (raw != null)
        {
            Write(file, line, "*" + name, '~', raw);
        }
        Say(file, line, "*" + name, value);
    }

    // A parameter as the method was entered.
    [Conditional("ORACLE")]
    public static void Argument<T>(string name, T value, [CallerLineNumber] int line = 0, [CallerFilePath] string file = "")
    {
        Say(file, line, "(" + name + ")", value);
    }

    // The value that the method is about to return.
    [Conditional("ORACLE")]
    public static void Result<T>(T value, [CallerLineNumber] int line = 0, [CallerFilePath] string file = "")
    {
        Say(file, line, "return", value);
    }

    // An object made by newobj, newarr or box.
    [Conditional("ORACLE")]
    public static void New(object value, [CallerLineNumber] int line = 0, [CallerFilePath] string file = "")
    {
        Say(file, line, "new", value);
    }

    // A tuple in a local, with the names that its items have in the source.
    [Conditional("ORACLE")]
    public static void Tuple<T>(string name, T value, string items, [CallerLineNumber] int line = 0,
                                [CallerFilePath] string file = "") where T : ITuple
    {
        SayType(file, line, name, typeof(T));
        string[] names = items.Split(' ');
        for (int i = 0; i < value.Length; i++)
        {
            SayValue(file, line, name + "." + names[i], value[i]?.GetType() ?? typeof(object), value[i]);
        }
    }

    // Values that cannot be boxed: a span is reported by its length, a reference or pointer as `(address)`.
    [Conditional("ORACLE")]
    public static void Local<T>(string name, Span<T> value, [CallerLineNumber] int line = 0, [CallerFilePath] string file = "")
    {
        SayType(file, line, name, typeof(Span<T>));
        Say(file, line, name + "._length", value.Length);
    }

    [Conditional("ORACLE")]
    public static void Local<T>(string name, ReadOnlySpan<T> value, [CallerLineNumber] int line = 0,
                                [CallerFilePath] string file = "")
    {
        SayType(file, line, name, typeof(ReadOnlySpan<T>));
        Say(file, line, name + "._length", value.Length);
    }

    [Conditional("ORACLE")]
    public static void Argument<T>(string name, Span<T> value, [CallerLineNumber] int line = 0,
                                   [CallerFilePath] string file = "")
    {
        Local("(" + name + ")", value, line, file);
    }

    [Conditional("ORACLE")]
    public static void Argument<T>(string name, ReadOnlySpan<T> value, [CallerLineNumber] int line = 0,
                                   [CallerFilePath] string file = "")
    {
        Local("(" + name + ")", value, line, file);
    }

    // A value of a type of which only this is known.
    [Conditional("ORACLE")]
    public static void Typed(string name, Type type, [CallerLineNumber] int line = 0, [CallerFilePath] string file = "")
    {
        SayType(file, line, name, type);
    }

    // A pointer. Its address differs between runs, unless it is null.
    [Conditional("ORACLE")]
    public static void Pointer(string name, void* value, [CallerLineNumber] int line = 0, [CallerFilePath] string file = "")
    {
        long address = (long)value;
        string text = address is >= 0 and < FirstRealAddress ? $"0x{address:x}" : "(address)";
        Write(file, line, name, '=', text);
    }

    // A local or a parameter that is a reference now leads somewhere.
    [Conditional("ORACLE")]
    public static void Reference(string name, [CallerLineNumber] int line = 0, [CallerFilePath] string file = "")
    {
        Write(file, line, name, '=', "(address)");
    }

    // For Visual Basic, in which a function returns on the line of its end: reports for the line below.
    public static class Below
    {
        [Conditional("ORACLE")]
        public static void Result<T>(T value, [CallerLineNumber] int line = 0, [CallerFilePath] string file = "")
        {
            Oracle.Result(value, line + 1, file);
        }
    }

    // For languages in which no call can follow a definition on its line: reports for the line above.
    public static class Above
    {
        [Conditional("ORACLE")]
        public static void Local<T>(string name, T value, [CallerLineNumber] int line = 0, [CallerFilePath] string file = "")
        {
            Oracle.Local(name, value, line - 1, file);
        }

        [Conditional("ORACLE")]
        public static void Field<T>(string name, T value, [CallerLineNumber] int line = 0, [CallerFilePath] string file = "")
        {
            Oracle.Field(name, value, line - 1, file);
        }

        [Conditional("ORACLE")]
        public static void Item<T>(string name, T value, [CallerLineNumber] int line = 0, [CallerFilePath] string file = "")
        {
            Oracle.Item(name, value, line - 1, file);
        }

        [Conditional("ORACLE")]
        public static void Through<T>(string name, T value, [CallerLineNumber] int line = 0, [CallerFilePath] string file = "")
        {
            Oracle.Through(name, value, line - 1, file);
        }

        [Conditional("ORACLE")]
        public static void Span<T>(string name, Span<T> value, [CallerLineNumber] int line = 0, [CallerFilePath] string file = "")
        {
            Oracle.Local(name, value, line - 1, file);
        }
    }

    // Writes all reports to the file that ORACLE_OUT names.
    [Conditional("ORACLE")]
    public static void Write()
    {
        string path = Environment.GetEnvironmentVariable("ORACLE_OUT");
        if (path != null)
        {
            File.WriteAllText(path, said.ToString(), new UTF8Encoding(false));
        }
    }

    private static void Say<T>(string file, int line, string name, T value)
    {
        SayValue(file, line, name, typeof(T), value);
    }

    private static void SayValue(string file, int line, string name, Type type, object value)
    {
        if (value == null)
        {
            Write(file, line, name, '=', "NULL");
            return;
        }
        Type real = value.GetType();
        Write(file, line, name, ':', NameOf(real));
        if (!type.IsValueType)
        {
            Write(file, line, name, '#', NumberOf(value).ToString());
        }
        string text = TextOf(value);
        Write(file, line, name, '=', Escape(text ?? NameOf(real)));
        if (text == null && real.IsValueType)
        {
            SayFields(file, line, name, real, value);
        }
    }

    private static void SayFields(string file, int line, string name, Type type, object value)
    {
        foreach (FieldInfo field in layouts.GetOrAdd(type, FieldsOf))
        {
            if (!field.FieldType.IsPointer && !field.FieldType.IsFunctionPointer)
            {
                SayValue(file, line, name + "." + SourceName(field), field.FieldType, field.GetValue(value));
            }
        }
    }

    private static FieldInfo[] FieldsOf(Type type)
    {
        // The runtime makes these as wide as the machine allows, whatever their fields are.
        if (type.IsGenericType && type.GetGenericTypeDefinition() == typeof(System.Numerics.Vector<>))
        {
            return Array.Empty<FieldInfo>();
        }
        return type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)
            .OrderBy(field => field.MetadataToken).ToArray();
    }

    // The property or constructor parameter to which a field belongs. F# marks fields of records, and names those of unions
    // like their properties, except for a `_` and the case.
    private static string SourceName(FieldInfo field)
    {
        string name = field.Name;
        int end = name.IndexOf('>');
        PropertyInfo property = name[0] != '_' || !field.IsDefined(typeof(CompilerGeneratedAttribute), false)
            ? null
            : field.DeclaringType.GetProperty(name.Substring(1), BindingFlags.Instance | BindingFlags.Public | BindingFlags.IgnoreCase);
        return property != null ? property.Name : name[0] == '<' && end > 1 ? name.Substring(1, end - 1) : name.TrimEnd('@');
    }

    private static void SayType(string file, int line, string name, Type type)
    {
        Write(file, line, name, ':', NameOf(type));
        Write(file, line, name, '=', NameOf(type));
    }

    // Null: it has no text of its own.
    private static string TextOf(object value)
    {
        return value switch
        {
            string text => text,
            bool or char => value.ToString(),
            Enum => value.ToString(),
            sbyte or byte or short or ushort or int or uint or long or ulong or nint or nuint or float or double or decimal or Half
                or Int128 or UInt128 or DateTime or DateTimeOffset or TimeSpan or DateOnly or TimeOnly or Guid
                => ((IFormattable)value).ToString(null, CultureInfo.InvariantCulture),
            _ => null,
        };
    }

    private static string NameOf(Type type)
    {
        return type.FullName ?? type.Name;
    }

    // The same for the same object, for its whole life; in order of first sight.
    private static int NumberOf(object value)
    {
        lock (numbers)
        {
            if (!numbers.TryGetValue(value, out object number))
            {
                number = ++objects;
                numbers.Add(value, number);
            }
            return (int)number;
        }
    }

    private static string Escape(string text)
    {
        return text.Replace("\\", "\\\\").Replace("\n", "\\n").Replace("\r", "\\r");
    }

    private static void Write(string file, int line, string name, char what, string text)
    {
        lock (said)
        {
            said.Append(Path.GetFileName(file)).Append(':').Append(line).Append(' ').Append(name);
            said.Append(' ').Append(what).Append(' ').Append(text).Append('\n');
        }
    }
}
