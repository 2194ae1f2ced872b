// Customers on threads that transfer money between their accounts. Every tenth transfer asks for more than there is.
using Bank.Implementation;

namespace Bank.Application;

internal static class Program
{
    private const int Customers = 8;
    private const int Transfers = 500;
    private static int told;

    private static int Main()
    {
        Count.Hit("Bank.Application.Program.Main()");
        IBank bank = new SavingsBank();
        bank.Transferred += Tell;
        var accounts = new List<IAccount>();
        for (int i = 0; i < Customers; i++)
        {
            accounts.Add(bank.Open($"customer {i}", 100_000));
        }
        var customers = new List<Customer>();
        for (int i = 0; i < Customers; i++)
        {
            customers.Add(new Customer(bank, accounts, i));
        }
        customers.ForEach(customer =>
        {
            Count.Hit("Bank.Application.Program.Main.lambda#1(Program.Customer)");
            customer.Start();
        });
        customers.ForEach(customer =>
        {
            Count.Hit("Bank.Application.Program.Main.lambda#2(Program.Customer)");
            customer.Join();
        });
        bank.Transferred -= Tell;
        int refused = 0;
        foreach (Customer customer in customers)
        {
            refused += customer.Refused;
        }
        Console.WriteLine($"total {bank.Total()} told {told} refused {refused}");
        Count.Write();
        Console.WriteLine("bank: success");
        return 0;
    }

    private static void Tell(Transfer transfer)
    {
        Count.Hit("Bank.Application.Program.Tell(Transfer)");
        Interlocked.Increment(ref told);
    }

    private sealed class Customer
    {
        private readonly IBank bank;
        private readonly List<IAccount> accounts;
        private readonly int own;
        private readonly Thread thread;
        private int refused;

        public Customer(IBank bank, List<IAccount> accounts, int own)
        {
            Count.Hit("Bank.Application.Program.Customer..ctor(IBank, List<IAccount>, int)");
            this.bank = bank;
            this.accounts = accounts;
            this.own = own;
            thread = new Thread(Live) { Name = $"customer {own}" };
        }

        public int Refused
        {
            get
            {
                Count.Hit("Bank.Application.Program.Customer.Refused.get()");
                return refused;
            }
        }

        public void Start()
        {
            Count.Hit("Bank.Application.Program.Customer.Start()");
            thread.Start();
        }

        public void Join()
        {
            Count.Hit("Bank.Application.Program.Customer.Join()");
            thread.Join();
        }

        private void Live()
        {
            Count.Hit("Bank.Application.Program.Customer.Live()");
            for (int i = 0; i < Transfers; i++)
            {
                int other = (own + 1 + i % (Customers - 1)) % Customers;
                Pay(accounts[other], i % 10 == 9 ? 1_000_000 : i % 50);
            }
        }

        private void Pay(IAccount to, long amount)
        {
            Count.Hit("Bank.Application.Program.Customer.Pay(IAccount, long)");
            try
            {
                bank.Transfer(accounts[own], to, amount);
            }
            catch (InsufficientFundsException)
            {
                refused++;
            }
        }
    }
}
