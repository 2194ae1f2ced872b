// Operators and conversions of one's own, checked ones among them.
namespace Features;

internal static class Operators
{
    private readonly struct Money
    {
        private readonly int cents;

        public Money(int cents)
        {
            this.cents = cents;
        }

        public static Money operator +(Money left, Money right)
        {
            return new Money(left.cents + right.cents);
        }

        public static Money operator checked -(Money money)
        {
            return new Money(checked(-money.cents));
        }

        public static Money operator -(Money money)
        {
            return new Money(-money.cents);
        }

        public static implicit operator Money(int whole)
        {
            return new Money(whole * 100);
        }

        public static explicit operator int(Money money)
        {
            return money.cents;
        }
    }

    public static void Run()
    {
        Money sum = new Money(5) + 2;
        sum += sum;
        sum = checked(-sum);
        int cents = (int)sum;
        Console.WriteLine(cents);
    }
}
