// Members that compilers make in part or in whole.
using System;

namespace Forms;

public record Point(int X, int Y)
{
    public int Sum => X + Y;

    public override string ToString()
    {
        return $"{X},{Y}";
    }
}

public record struct Size(int Width, int Height);

public record Derived(int X, int Y, string Name) : Point(X, Y);

public class Properties
{
    public int Auto { get; set; }
    public int ReadOnly { get; } = 5;
    public int NeverRead { get; set; } = 7;
    public string Init { get; init; } = "i";
    private int field;

    public int Full
    {
        get
        {
            return field;
        }
        set
        {
            if (value < 0)
            {
                throw new ArgumentOutOfRangeException(nameof(value));
            }
            field = value;
        }
    }

    public int this[int index]
    {
        get => index + field;
        set => field = index + value;
    }

    public event EventHandler? Auto2;

    public event EventHandler Own
    {
        add
        {
            Auto2 += value;
        }
        remove
        {
            Auto2 -= value;
        }
    }

    public void Raise()
    {
        Auto2?.Invoke(this, EventArgs.Empty);
    }
}

public class Static
{
    public static readonly int Value = Compute();
    public static int Other;

    static Static()
    {
        Other = Value + 1;
    }

    private static int Compute()
    {
        return 41;
    }
}

public class NeverLoaded
{
    public static readonly int Value = 1;
    private readonly string text = "x";

    public string Text()
    {
        return text;
    }
}

public class Several
{
    private readonly int a = 1;
    private readonly int b;

    public Several()
    {
        b = 2;
    }

    public Several(int b) : base()
    {
        this.b = b;
    }

    public Several(string text)
        : this(text.Length)
    {
    }

    ~Several()
    {
        GC.KeepAlive(this);
    }

    public int Sum() => a + b;
}

public class Primary(int a, int b)
{
    private readonly int sum = a + b;

    public int Sum() => sum + a;
}

public partial class Partial
{
    public int First()
    {
        return Second() + 1;
    }

    partial void NotImplemented();

    public void Calls()
    {
        NotImplemented();
    }
}

public class Generic<T>
{
    private T? value;

    public T? Get()
    {
        return value;
    }

    public void Set(T value)
    {
        this.value = value;
    }

    public U Map<U>(Func<T?, U> map)
    {
        return map(value);
    }
}

public class NeverInstantiated<T>
{
    public T? Get()
    {
        return default;
    }

    public static U Twice<U>(U value)
    {
        return value;
    }
}

public interface IDefault
{
    int Abstract();

    int Default()
    {
        return Abstract() + 1;
    }

    static int Shared() => 3;
}

public class Implements : IDefault
{
    int IDefault.Abstract() => 4;
}

public enum Kind
{
    One,
    Two,
    Three
}

public readonly struct Money : IEquatable<Money>
{
    public Money(decimal amount)
    {
        Amount = amount;
    }

    public decimal Amount { get; }

    public static Money operator +(Money a, Money b) => new(a.Amount + b.Amount);

    public static implicit operator decimal(Money m) => m.Amount;

    public bool Equals(Money other)
    {
        return Amount == other.Amount;
    }
}
