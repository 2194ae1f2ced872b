// Records, `with`, primary constructors, initialisers, required members, operators of one's own.
namespace Values;

internal static class Records
{
    private record Person(string Name, int Age)
    {
        public string Town { get; init; } = "none";
    }

    private sealed record Employee(string Name, int Age, decimal Pay) : Person(Name, Age);

    private readonly record struct Money(decimal Amount, string Currency);

    private record struct Open(int First)
    {
        public int Second = 2;
    }

    // A parameter that methods use lives on as a field.
    private sealed class Account(int start, string owner)
    {
        private int balance = start;

        public string Owner => owner;

        public void Deposit(int amount)
        {
            balance += amount; Oracle.Field("balance", balance);
            start++; Oracle.Local("start", start);
        }
    }

    private struct Span(int from, int to)
    {
        public readonly int Length => to - from;

        public void Move(int by)
        {
            from += by; Oracle.Local("from", from);
            to += by; Oracle.Local("to", to);
        }
    }

    private sealed class Needy
    {
        public required int Number { get; init; }

        public int Twice { get; private set; }

        public Needy Double()
        {
            Twice = Number * 2;
            return this;
        }

        public static Needy operator ++(Needy needy)
        {
            var next = new Needy { Number = needy.Number + 1 }; Oracle.Local("next", next);
            return next;
        }
    }

    public static void Run()
    {
        Classes();
        Structs();
        Primary();
        Initialisers();
    }

    private static void Classes()
    {
        var ann = new Person("Ann", 30); Oracle.Local("ann", ann);
        Person older = ann with { Age = 31 }; Oracle.Local("older", older);
        Person moved = older with { Town = "Graz", Name = "Anna" }; Oracle.Local("moved", moved);
        int age = moved.Age; Oracle.Local("age", age);
        (string name, age) = ann; Oracle.Local("name", name); Oracle.Local("age", age);
        bool equal = ann == older with { Age = 30 }; Oracle.Local("equal", equal);
        Person employee = new Employee("Bob", 40, 1.5m); Oracle.Local("employee", employee);
        Person copy = employee with { Age = 41 }; Oracle.Local("copy", copy);
        string text = copy.ToString(); Oracle.Local("text", text);
    }

    private static void Structs()
    {
        var money = new Money(1.50m, "EUR"); Oracle.Local("money", money);
        Money more = money with { Amount = 2.50m }; Oracle.Local("more", more);
        bool equal = money == more; Oracle.Local("equal", equal);
        (decimal amount, string currency) = more; Oracle.Local("amount", amount); Oracle.Local("currency", currency);
        var open = new Open(1); Oracle.Local("open", open);
        open.First = 5;
        open.Second = 6; Oracle.Field("Second", open.Second);
        Open copy = open; Oracle.Local("copy", copy);
    }

    private static void Primary()
    {
        var account = new Account(10, "Ann"); Oracle.Local("account", account);
        account.Deposit(5);
        account.Deposit(7);
        string owner = account.Owner; Oracle.Local("owner", owner);
        var span = new Span(3, 8); Oracle.Local("span", span);
        span.Move(2);
        int length = span.Length; Oracle.Local("length", length);
        Span copy = span; Oracle.Local("copy", copy);
    }

    private static void Initialisers()
    {
        var needy = new Needy { Number = 21 }; Oracle.Local("needy", needy);
        int twice = needy.Double().Twice; Oracle.Local("twice", twice);
        needy++; Oracle.Local("needy", needy);
        Needy kept = needy++; Oracle.Local("kept", kept);
        int number = needy.Number; Oracle.Local("number", number);
        var map = new Dictionary<string, int> { ["one"] = 1, ["two"] = 2 }; Oracle.Local("map", map);
        int two = map["two"]; Oracle.Local("two", two);
        map["two"] += 20; two = map["two"]; Oracle.Local("two", two);
    }
}
