// Transactions in order of date, and recurring ones.
namespace LedgerSample;

internal sealed record Posting(Account Account, Amount Amount);

internal sealed record Transaction(DateOnly Date, string Text, List<Posting> Postings)
{
    // The postings of each currency must add up to zero.
    public void Check()
    {
        if (Postings.Count < 2)
        {
            throw new LedgerException($"{Text}: fewer than two postings");
        }
        foreach (IGrouping<string, Posting> group in Postings.GroupBy(posting => posting.Amount.Currency))
        {
            decimal sum = group.Sum(posting => posting.Amount.Quantity);
            if (sum != 0)
            {
                throw new LedgerException($"{Text}: {new Amount(sum, group.Key)} too much");
            }
        }
    }
}

internal enum Period
{
    Day,
    Week,
    Month,
    Year,
}

internal sealed record Recurring(Transaction First, Period Period, int Every)
{
    // The first one is number 0. Months have the same day, or their last one.
    public DateOnly DateOf(int number)
    {
        int steps = number * Every;
        return Period switch
        {
            Period.Day => First.Date.AddDays(steps),
            Period.Week => First.Date.AddDays(7 * steps),
            Period.Month => First.Date.AddMonths(steps),
            Period.Year => First.Date.AddYears(steps),
            _ => throw new LedgerException($"no such period: {Period}"),
        };
    }
}

internal sealed class Book
{
    private readonly Map<(DateOnly Date, int Number), Transaction> transactions = new();
    private readonly List<Recurring> recurring = new();
    private int added;

    public Accounts Accounts { get; } = new();

    public Rates Rates { get; } = new();

    public IReadOnlyCollection<Transaction> Transactions => transactions.Entries().Select(entry => entry.Value).ToList();

    public void Add(Transaction transaction)
    {
        transaction.Check();
        transactions[(transaction.Date, added++)] = transaction;
    }

    public void Add(Recurring rule)
    {
        rule.First.Check();
        recurring.Add(rule);
    }

    // Books recurring transactions up to that day, in order of date.
    public void AddRecurring(DateOnly last)
    {
        var due = new Heap<(DateOnly Date, Recurring Rule, int Number)>((left, right) => left.Date.CompareTo(right.Date));
        foreach (Recurring rule in recurring)
        {
            due.Push((rule.DateOf(0), rule, 0));
        }
        while (due.Count > 0 && due.Peek().Date <= last)
        {
            (DateOnly date, Recurring rule, int number) = due.Pop();
            Add(rule.First with { Date = date });
            due.Push((rule.DateOf(number + 1), rule, number + 1));
        }
        recurring.Clear();
    }

    public IEnumerable<Transaction> Between(DateOnly first, DateOnly end)
    {
        return transactions.Between((first, 0), (end, 0)).Select(entry => entry.Value);
    }

    // Of the account and its parts.
    public IEnumerable<(Transaction Transaction, Posting Posting)> PostingsOf(Account account)
    {
        foreach (Transaction transaction in Transactions)
        {
            foreach (Posting posting in transaction.Postings)
            {
                if (posting.Account.IsPartOf(account))
                {
                    yield return (transaction, posting);
                }
            }
        }
    }

    public Amount Balance(Account account, string currency)
    {
        var sum = new Amount(0, currency);
        foreach ((_, Posting posting) in PostingsOf(account))
        {
            sum += Rates.Convert(posting.Amount, currency);
        }
        return sum;
    }
}
