// The interface of a bank for applications: the border between two components.
namespace Bank;

public interface IAccount
{
    int Number { get; }

    long Balance { get; }
}

public interface IBank
{
    IAccount Open(string owner, long balance);

    void Transfer(IAccount from, IAccount to, long amount);

    long Total();

    event Action<Transfer> Transferred;
}

public readonly record struct Transfer(int From, int To, long Amount);

public sealed class InsufficientFundsException(int account, long amount)
    : Exception($"account {account} does not have {amount}");
