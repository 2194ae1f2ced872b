// Accounts as a tree of names: `Expenses:Food` is part of `Expenses`.
namespace LedgerSample;

internal sealed class Account
{
    private readonly SortedDictionary<string, Account> parts = new(StringComparer.Ordinal);

    public Account(string name, Account parent)
    {
        Name = name;
        Parent = parent;
    }

    public string Name { get; }

    public Account Parent { get; }

    public IEnumerable<Account> Parts => parts.Values;

    public string FullName => Parent?.Parent == null ? Name : Parent.FullName + ":" + Name;

    public Account Part(string name)
    {
        if (!parts.TryGetValue(name, out Account part))
        {
            part = new Account(name, this);
            parts.Add(name, part);
        }
        return part;
    }

    public bool IsPartOf(Account other)
    {
        for (Account account = this; account != null; account = account.Parent)
        {
            if (account == other)
            {
                return true;
            }
        }
        return false;
    }
}

internal sealed class Accounts
{
    private readonly Account root = new("", null);

    public int Count { get; private set; }

    public Account Open(string name)
    {
        Account account = root;
        foreach (string part in name.Split(':'))
        {
            if (part.Trim() != part || part == "")
            {
                throw new LedgerException($"no name of an account: {name}");
            }
            account = account.Part(part);
        }
        Count = All().Count();
        return account;
    }

    // Null if nothing was ever booked.
    public Account Find(string name)
    {
        return All().FirstOrDefault(account => account.FullName == name);
    }

    // Every account before its parts.
    public IEnumerable<Account> All()
    {
        return Below(root);
    }

    public IEnumerable<string> Names()
    {
        return All().Select(account => account.FullName);
    }

    private static IEnumerable<Account> Below(Account account)
    {
        foreach (Account part in account.Parts)
        {
            yield return part;
            foreach (Account deeper in Below(part))
            {
                yield return deeper;
            }
        }
    }
}
