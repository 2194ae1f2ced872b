// Money: how much of which currency.
using System.Globalization;

namespace LedgerSample;

// Something in the books is wrong.
internal sealed class LedgerException : Exception
{
    public LedgerException(string message) : base(message)
    {
    }
}

internal readonly record struct Amount(decimal Quantity, string Currency) : IComparable<Amount>
{
    public bool IsZero => Quantity == 0;

    public static Amount operator +(Amount left, Amount right)
    {
        return new Amount(left.Quantity + right.Quantity, Common(left, right));
    }

    public static Amount operator -(Amount left, Amount right)
    {
        return left + -right;
    }

    public static Amount operator -(Amount amount)
    {
        return amount with { Quantity = -amount.Quantity };
    }

    public static Amount operator *(Amount amount, decimal factor)
    {
        return amount with { Quantity = amount.Quantity * factor };
    }

    public int CompareTo(Amount other)
    {
        Common(this, other);
        return Quantity.CompareTo(other.Quantity);
    }

    // To whole cents, halves to the even one.
    public Amount Rounded()
    {
        return this with { Quantity = Math.Round(Quantity, 2, MidpointRounding.ToEven) };
    }

    // Shares that add up to the whole; the first ones get the remainder.
    public List<Amount> Split(int parts)
    {
        if (parts < 1)
        {
            throw new LedgerException($"cannot split into {parts}");
        }
        long cents = (long)Math.Round(Quantity * 100);
        long share = cents / parts;
        long rest = cents - share * parts;
        var shares = new List<Amount>();
        for (int i = 0; i < parts; i++)
        {
            long own = share + (i < Math.Abs(rest) ? Math.Sign(rest) : 0);
            shares.Add(new Amount(own / 100m, Currency));
        }
        return shares;
    }

    // "12.50 EUR"
    public static Amount Parse(string text)
    {
        int space = text.LastIndexOf(' ');
        if (space < 0 || !decimal.TryParse(text.AsSpan(0, space), CultureInfo.InvariantCulture, out decimal quantity))
        {
            throw new LedgerException($"no amount: {text}");
        }
        return new Amount(quantity, text.Substring(space + 1));
    }

    public override string ToString()
    {
        return Quantity.ToString("0.00", CultureInfo.InvariantCulture) + " " + Currency;
    }

    private static string Common(Amount left, Amount right)
    {
        return left.Currency == right.Currency
            ? left.Currency
            : throw new LedgerException($"{left.Currency} is not {right.Currency}");
    }
}
