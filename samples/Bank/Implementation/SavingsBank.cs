// The bank: accounts behind locks that are always taken in the order of account numbers.
namespace Bank.Implementation;

internal sealed class Account : IAccount
{
    private readonly object gate = new();
    private readonly int number;
    private long balance;

    public Account(int number, long balance)
    {
        Count.Hit("Bank.Implementation.Account..ctor(int, long)");
        this.number = number;
        this.balance = balance;
    }

    public int Number
    {
        get
        {
            Count.Hit("Bank.Implementation.Account.Number.get()");
            return number;
        }
    }

    public long Balance
    {
        get
        {
            Count.Hit("Bank.Implementation.Account.Balance.get()");
            return balance;
        }
    }

    public object Gate
    {
        get
        {
            Count.Hit("Bank.Implementation.Account.Gate.get()");
            return gate;
        }
    }

    public void Deposit(long amount)
    {
        Count.Hit("Bank.Implementation.Account.Deposit(long)");
        balance += amount;
    }

    public void Withdraw(long amount)
    {
        Count.Hit("Bank.Implementation.Account.Withdraw(long)");
        if (amount > balance)
        {
            Count.Add("Bank.InsufficientFundsException..ctor(int, long)", 1);
            Count.Thrown("Bank.Implementation.Account.Withdraw(long)");
            throw new InsufficientFundsException(number, amount);
        }
        balance -= amount;
    }
}

public sealed class SavingsBank : IBank
{
    private readonly List<Account> accounts = [];
    private Action<Transfer> listeners;

    public SavingsBank()
    {
        Count.Hit("Bank.Implementation.SavingsBank..ctor()");
    }

    public event Action<Transfer> Transferred
    {
        add
        {
            Count.Hit("Bank.Implementation.SavingsBank.Transferred.add(Action<Transfer>)");
            listeners += value;
        }
        remove
        {
            Count.Hit("Bank.Implementation.SavingsBank.Transferred.remove(Action<Transfer>)");
            listeners -= value;
        }
    }

    public IAccount Open(string owner, long balance)
    {
        Count.Hit("Bank.Implementation.SavingsBank.Open(string, long)");
        var account = new Account(accounts.Count + 1, balance);
        accounts.Add(account);
        return account;
    }

    public void Transfer(IAccount from, IAccount to, long amount)
    {
        Count.Hit("Bank.Implementation.SavingsBank.Transfer(IAccount, IAccount, long)");
        if (amount >= 1_000_000)
        {
            // More than anybody has: Withdraw will refuse.
            Count.Thrown("Bank.Implementation.SavingsBank.Transfer(IAccount, IAccount, long)");
        }
        bool inOrder = from.Number < to.Number;
        Account first = (Account)(inOrder ? from : to);
        Account second = (Account)(inOrder ? to : from);
        lock (first.Gate)
        {
            lock (second.Gate)
            {
                ((Account)from).Withdraw(amount);
                ((Account)to).Deposit(amount);
            }
        }
        Count.Add("Bank.Transfer..ctor(int, int, long)", 1);
        listeners?.Invoke(new Transfer(from.Number, to.Number, amount));
    }

    public long Total()
    {
        Count.Hit("Bank.Implementation.SavingsBank.Total()");
        long total = 0;
        foreach (Account account in accounts)
        {
            total += account.Balance;
        }
        return total;
    }
}
