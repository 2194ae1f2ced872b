// Reports on the books.
namespace LedgerSample;

internal static class Reports
{
    // Every account with its own balance and that of its parts.
    public static TextTable Balance(Book book, string currency)
    {
        var table = new TextTable($"balance in {currency}", "account", "amount");
        foreach (Account account in book.Accounts.All())
        {
            int depth = account.FullName.Count(c => c == ':');
            table.Add(new string(' ', 2 * depth) + account.Name, book.Balance(account, currency).Rounded().ToString());
        }
        return table;
    }

    // The last postings of an account with the balance after each.
    public static TextTable Register(Book book, string name, int rows)
    {
        Account account = book.Accounts.Find(name) ?? throw Unknown(book, name);
        List<(Transaction Transaction, Posting Posting)> postings = book.PostingsOf(account).ToList();
        var sums = new Sums(postings.Count);
        for (int i = 0; i < postings.Count; i++)
        {
            sums.Add(i, postings[i].Posting.Amount.Quantity);
        }
        var table = new TextTable(name, "date", "text", "amount", "balance");
        for (int i = Math.Max(0, postings.Count - rows); i < postings.Count; i++)
        {
            (Transaction transaction, Posting posting) = postings[i];
            var balance = new Amount(sums.Before(i + 1), posting.Amount.Currency);
            table.Add(transaction.Date.ToString("yyyy-MM-dd"), transaction.Text, posting.Amount.ToString(), balance.ToString());
        }
        return table;
    }

    // An account month by month, with a bar for each.
    public static TextTable Months(Book book, string name, string currency)
    {
        const int BarMax = 30;
        Account account = book.Accounts.Find(name) ?? throw Unknown(book, name);
        var months = new Map<int, decimal>();
        foreach ((Transaction transaction, Posting posting) in book.PostingsOf(account))
        {
            int month = transaction.Date.Year * 100 + transaction.Date.Month;
            months.TryGet(month, out decimal sum);
            months[month] = sum + book.Rates.Convert(posting.Amount, currency).Quantity;
        }
        decimal most = months.Entries().Select(entry => entry.Value).DefaultIfEmpty(0).Max();
        var table = new TextTable($"{name} by month", "month", "amount", "");
        foreach ((int month, decimal sum) in months.Entries())
        {
            int bar = most <= 0 || sum <= 0 ? 0 : (int)(BarMax * sum / most);
            table.Add($"{month / 100}-{month % 100:00}", new Amount(sum, currency).Rounded().ToString(), new string('#', bar));
        }
        return table;
    }

    // The transactions that moved most.
    public static TextTable Largest(Book book, string currency, int count)
    {
        List<(Amount Moved, Transaction Transaction)> moves = Moves(book, currency).ToList();
        Sorting.Sort(moves, (left, right) => right.Moved.CompareTo(left.Moved));
        var table = new TextTable("largest", "date", "text", "moved");
        foreach ((Amount moved, Transaction transaction) in moves.Take(count))
        {
            table.Add(transaction.Date.ToString("yyyy-MM-dd"), transaction.Text, moved.Rounded().ToString());
        }
        return table;
    }

    // Half of the transactions moved less.
    public static Amount Median(Book book, string currency)
    {
        List<Amount> moves = Moves(book, currency).Select(move => move.Moved).ToList();
        return moves.Count == 0 ? new Amount(0, currency) : Sorting.Select(moves, moves.Count / 2).Rounded();
    }

    private static IEnumerable<(Amount Moved, Transaction Transaction)> Moves(Book book, string currency)
    {
        foreach (Transaction transaction in book.Transactions)
        {
            var moved = new Amount(0, currency);
            foreach (Posting posting in transaction.Postings.Where(posting => posting.Amount.Quantity > 0))
            {
                moved += book.Rates.Convert(posting.Amount, currency);
            }
            yield return (moved, transaction);
        }
    }

    private static LedgerException Unknown(Book book, string name)
    {
        string near = Suggestions.For(name, book.Accounts.Names());
        return new LedgerException($"no account {name}" + (near == null ? "" : $"; did you mean {near}?"));
    }
}
