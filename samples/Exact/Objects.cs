// Members that are methods without looking so: properties, indexers, operators, events, records, constructors, enumerators.
using System.Collections;

namespace Exact;

internal static class Objects
{
    public static void Run()
    {
        Count.Hit("Exact.Objects.Run()");
        Properties();
        Operators();
        Events();
        Records();
        Construction();
        Enumeration();
    }

    private sealed class Account
    {
        private int balance;
        private readonly int[] history = new int[4];

        public Account()
        {
            Count.Hit("Exact.Objects.Account..ctor()");
        }

        public int Balance
        {
            get
            {
                Count.Hit("Exact.Objects.Account.Balance.get()");
                return balance;
            }
            set
            {
                Count.Hit("Exact.Objects.Account.Balance.set(int)");
                balance = value;
            }
        }

        public string Owner { get; init; }

        public int this[int index]
        {
            get
            {
                Count.Hit("Exact.Objects.Account.Item.get(int)");
                return history[index];
            }
            set
            {
                Count.Hit("Exact.Objects.Account.Item.set(int, int)");
                history[index] = value;
            }
        }
    }

    private static void Properties()
    {
        Count.Hit("Exact.Objects.Properties()");
        Count.Add("Exact.Objects.Account.Owner.set(string)", 1);
        Count.Add("Exact.Objects.Account.Owner.get()", 2);
        var account = new Account { Owner = "Ann", Balance = 10 };
        account.Balance += 5;
        account.Balance++;
        account[2] = 7;
        account[2] *= 3;
        Console.WriteLine($"{account.Owner} {account.Owner.Length} {account.Balance} {account[2]}");
    }

    private readonly struct Money
    {
        private readonly long cents;

        public Money(long cents)
        {
            Count.Hit("Exact.Objects.Money..ctor(long)");
            this.cents = cents;
        }

        public static Money operator +(Money a, Money b)
        {
            Count.Hit("Exact.Objects.Money.op_Addition(Objects.Money, Objects.Money)");
            return new Money(checked(a.cents + b.cents));
        }

        public static bool operator ==(Money a, Money b)
        {
            Count.Hit("Exact.Objects.Money.op_Equality(Objects.Money, Objects.Money)");
            return a.cents == b.cents;
        }

        public static bool operator !=(Money a, Money b)
        {
            Count.Hit("Exact.Objects.Money.op_Inequality(Objects.Money, Objects.Money)");
            return !(a == b);
        }

        public static implicit operator Money(int units)
        {
            Count.Hit("Exact.Objects.Money.op_Implicit(int)");
            return new Money(units * 100L);
        }

        public static explicit operator long(Money money)
        {
            Count.Hit("Exact.Objects.Money.op_Explicit(Objects.Money)");
            return money.cents;
        }

        public override bool Equals(object other)
        {
            Count.Hit("Exact.Objects.Money.Equals(object)");
            return other is Money money && money == this;
        }

        public override int GetHashCode()
        {
            Count.Hit("Exact.Objects.Money.GetHashCode()");
            return cents.GetHashCode();
        }

        public override string ToString()
        {
            Count.Hit("Exact.Objects.Money.ToString()");
            return $"{cents / 100}.{cents % 100:00}";
        }
    }

    private static void Operators()
    {
        Count.Hit("Exact.Objects.Operators()");
        Money five = 5;
        Money sum = five + 3 + new Money(25);
        object boxed = sum;
        Console.WriteLine($"{sum} {(long)sum} {sum == five} {sum != five} {boxed.Equals(sum)} {boxed.GetHashCode()}");
        try
        {
            Count.Thrown("Exact.Objects.Money.op_Addition(Objects.Money, Objects.Money)");
            Console.WriteLine(new Money(long.MaxValue) + new Money(1));
        }
        catch (OverflowException)
        {
            Console.WriteLine("overflow");
        }
    }

    private sealed class Bell
    {
        private EventHandler<int> handlers;

        public Bell()
        {
            Count.Hit("Exact.Objects.Bell..ctor()");
        }

        public event EventHandler<int> Rung
        {
            add
            {
                Count.Hit("Exact.Objects.Bell.Rung.add(EventHandler<int>)");
                handlers += value;
            }
            remove
            {
                Count.Hit("Exact.Objects.Bell.Rung.remove(EventHandler<int>)");
                handlers -= value;
            }
        }

        public void Ring(int times)
        {
            Count.Hit("Exact.Objects.Bell.Ring(int)");
            for (int i = 0; i < times; i++)
            {
                handlers?.Invoke(this, i);
            }
        }
    }

    private static int heard;

    private static void Hear(object sender, int n)
    {
        Count.Hit("Exact.Objects.Hear(object, int)");
        heard += n;
    }

    private static void Events()
    {
        Count.Hit("Exact.Objects.Events()");
        var bell = new Bell();
        bell.Rung += Hear;
        bell.Rung += Hear;
        bell.Ring(3);
        bell.Rung -= Hear;
        bell.Ring(2);
        Console.WriteLine($"heard {heard}");
    }

    private record Pair(int A, string B)
    {
        public int Weight
        {
            get
            {
                Count.Hit("Exact.Objects.Pair.Weight.get()");
                return A * B.Length;
            }
        }
    }

    private record struct Spot(int X, int Y);

    private static void Records()
    {
        Count.Hit("Exact.Objects.Records()");
        MembersOfRecords();
        var pair = new Pair(3, "abc");
        Pair other = pair with { A = 4 };
        var spot = new Spot(1, 2);
        var (x, y) = spot;
        Console.WriteLine($"{pair} {other} {pair == other} {pair.Equals(pair with { })} {pair.Weight} {spot} {x}{y}");
    }

    // Compiler-generated members of records: each ToString reads every property, and Weight reads both again; each comparison
    // reads EqualityContract on both sides; `with` clones and then sets.
    private static void MembersOfRecords()
    {
        Count.Hit("Exact.Objects.MembersOfRecords()");
        Count.Add("Exact.Objects.Pair..ctor(int, string)", 1);
        Count.Add("Exact.Objects.Pair..ctor(Objects.Pair)", 2);
        Count.Add("Exact.Objects.Pair.Clone()", 2);
        Count.Add("Exact.Objects.Pair.A.set(int)", 1);
        Count.Add("Exact.Objects.Pair.ToString()", 2);
        Count.Add("Exact.Objects.Pair.PrintMembers(StringBuilder)", 2);
        Count.Add("Exact.Objects.Pair.A.get()", 2 * 2 + 1);
        Count.Add("Exact.Objects.Pair.B.get()", 2 * 2 + 1);
        Count.Add("Exact.Objects.Pair.op_Equality(Objects.Pair, Objects.Pair)", 1);
        Count.Add("Exact.Objects.Pair.Equals(Objects.Pair)", 2);
        Count.Add("Exact.Objects.Pair.EqualityContract.get()", 2 * 2);
        Count.Add("Exact.Objects.Spot..ctor(int, int)", 1);
        Count.Add("Exact.Objects.Spot.ToString()", 1);
        Count.Add("Exact.Objects.Spot.PrintMembers(StringBuilder)", 1);
        Count.Add("Exact.Objects.Spot.Deconstruct(out int, out int)", 1);
        Count.Add("Exact.Objects.Spot.X.get()", 2);
        Count.Add("Exact.Objects.Spot.Y.get()", 2);
    }

    private class Root
    {
        protected int made = Next();

        public Root(int n)
        {
            Count.Hit("Exact.Objects.Root..ctor(int)");
            made += n;
            Describe();
        }

        protected virtual void Describe()
        {
            Count.Hit("Exact.Objects.Root.Describe()");
        }

        protected static int Next()
        {
            Count.Hit("Exact.Objects.Root.Next()");
            return 1;
        }
    }

    private sealed class Leaf : Root
    {
        private readonly int extra = Next();

        public Leaf() : this(5)
        {
            Count.Hit("Exact.Objects.Leaf..ctor()");
        }

        private Leaf(int n) : base(Twice(n))
        {
            Count.Hit("Exact.Objects.Leaf..ctor(int)");
        }

        private static int Twice(int n)
        {
            Count.Hit("Exact.Objects.Leaf.Twice(int)");
            return 2 * n;
        }

        protected override void Describe()
        {
            Count.Hit("Exact.Objects.Leaf.Describe()");
            Console.WriteLine($"leaf {made} {extra}");
        }
    }

    private static void Construction()
    {
        Count.Hit("Exact.Objects.Construction()");
        _ = new Leaf();
        _ = new Leaf();
        object made = Activator.CreateInstance(typeof(Leaf));
        Console.WriteLine(made.GetType().Name);
    }

    // An enumerator written by hand, as a class and as a struct.
    private sealed class Countdown(int from) : IEnumerable<int>
    {
        public Steps GetEnumerator()
        {
            Count.Hit("Exact.Objects.Countdown.GetEnumerator()");
            return new Steps(from);
        }

        IEnumerator<int> IEnumerable<int>.GetEnumerator()
        {
            Count.Hit("Exact.Objects.Countdown.IEnumerable<int>.GetEnumerator()");
            return new Steps(from);
        }

        IEnumerator IEnumerable.GetEnumerator()
        {
            Count.Hit("Exact.Objects.Countdown.IEnumerable.GetEnumerator()");
            return new Steps(from);
        }
    }

    private struct Steps : IEnumerator<int>
    {
        private int left;

        public Steps(int from)
        {
            Count.Hit("Exact.Objects.Steps..ctor(int)");
            left = from + 1;
        }

        public readonly int Current
        {
            get
            {
                Count.Hit("Exact.Objects.Steps.Current.get()");
                return left;
            }
        }

        readonly object IEnumerator.Current
        {
            get
            {
                Count.Hit("Exact.Objects.Steps.IEnumerator.Current.get()");
                return left;
            }
        }

        public bool MoveNext()
        {
            Count.Hit("Exact.Objects.Steps.MoveNext()");
            return --left > 0;
        }

        public readonly void Reset()
        {
            Count.Hit("Exact.Objects.Steps.Reset()");
        }

        public readonly void Dispose()
        {
            Count.Hit("Exact.Objects.Steps.Dispose()");
        }
    }

    private static void Enumeration()
    {
        Count.Hit("Exact.Objects.Enumeration()");
        Count.Add("Exact.Objects.Countdown..ctor(int)", 1);
        var countdown = new Countdown(4);
        int sum = 0;
        foreach (int n in countdown)
        {
            sum += n;
        }
        foreach (object n in (IEnumerable)countdown)
        {
            sum += (int)n;
        }
        foreach (int n in (IEnumerable<int>)countdown)
        {
            sum += n;
        }
        Console.WriteLine($"sum {sum}");
    }
}
