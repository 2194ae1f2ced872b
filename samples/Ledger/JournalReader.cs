// Journals as text: a transaction is a line with its date and text, and an indented line for each posting, the last of which may
// leave out its amount.
using System.Globalization;

namespace LedgerSample;

internal sealed class JournalReader
{
    private readonly Book book = new();
    private Transaction open;
    private (Period Period, int Every)? repeats;
    private Account withoutAmount;
    private int line;

    public async Task<Book> Read(TextReader reader)
    {
        try
        {
            while (await reader.ReadLineAsync() is { } text)
            {
                line++;
                Take(text);
            }
            Close();
        }
        catch (LedgerException problem)
        {
            throw new LedgerException($"line {line}: {problem.Message}");
        }
        return book;
    }

    private void Take(string text)
    {
        int comment = text.IndexOf(';');
        string content = comment < 0 ? text : text.Substring(0, comment);
        if (string.IsNullOrWhiteSpace(content))
        {
            if (comment < 0)
            {
                Close();
            }
        }
        else if (char.IsWhiteSpace(content[0]))
        {
            TakePosting(content.Trim());
        }
        else
        {
            Close();
            TakeHeading(content.Trim());
        }
    }

    private void TakeHeading(string text)
    {
        string[] words = text.Split(' ', StringSplitOptions.RemoveEmptyEntries);
        switch (words[0])
        {
            case "rate":
                TakeRate(words);
                break;
            case "every":
                TakeRepetition(words);
                break;
            default:
                int space = text.IndexOf(' ');
                open = new Transaction(ParseDate(words[0]), space < 0 ? "" : text.Substring(space + 1), new List<Posting>());
                break;
        }
    }

    // rate EUR USD 1.08
    private void TakeRate(string[] words)
    {
        if (words.Length != 4 || !decimal.TryParse(words[3], CultureInfo.InvariantCulture, out decimal rate))
        {
            throw new LedgerException("a rate has two currencies and a number");
        }
        book.Rates.Add(words[1], words[2], rate);
    }

    // every 2 weeks 2026-01-05 Text
    private void TakeRepetition(string[] words)
    {
        if (words.Length < 4 || !int.TryParse(words[1], out int every) || every < 1)
        {
            throw new LedgerException("a repetition has a number, a period and a date");
        }
        if (!Enum.TryParse(words[2].TrimEnd('s'), true, out Period period))
        {
            throw new LedgerException($"no such period: {words[2]}");
        }
        repeats = (period, every);
        open = new Transaction(ParseDate(words[3]), string.Join(' ', words.Skip(4)), new List<Posting>());
    }

    private static DateOnly ParseDate(string text)
    {
        return DateOnly.TryParseExact(text, "yyyy-MM-dd", out DateOnly date) ? date : throw new LedgerException($"no date: {text}");
    }

    private void TakePosting(string text)
    {
        if (open == null)
        {
            throw new LedgerException("a posting without a transaction");
        }
        int gap = text.IndexOf("  ", StringComparison.Ordinal);
        Account account = book.Accounts.Open(gap < 0 ? text : text.Substring(0, gap));
        if (gap >= 0)
        {
            open.Postings.Add(new Posting(account, Amount.Parse(text.Substring(gap).Trim())));
        }
        else if (withoutAmount == null)
        {
            withoutAmount = account;
        }
        else
        {
            throw new LedgerException("two postings without amounts");
        }
    }

    private void Close()
    {
        if (open == null)
        {
            return;
        }
        if (withoutAmount != null)
        {
            AddRest();
        }
        if (repeats is var (period, every))
        {
            book.Add(new Recurring(open, period, every));
        }
        else
        {
            book.Add(open);
        }
        (open, withoutAmount, repeats) = (null, null, null);
    }

    // The posting without an amount gets the remainder of each currency.
    private void AddRest()
    {
        var rest = new SortedDictionary<string, decimal>(StringComparer.Ordinal);
        foreach (Posting posting in open.Postings)
        {
            rest.TryGetValue(posting.Amount.Currency, out decimal sum);
            rest[posting.Amount.Currency] = sum - posting.Amount.Quantity;
        }
        foreach ((string currency, decimal quantity) in rest)
        {
            if (quantity != 0)
            {
                open.Postings.Add(new Posting(withoutAmount, new Amount(quantity, currency)));
            }
        }
    }
}
