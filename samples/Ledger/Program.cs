// Double-entry accounts, with their own data structures and algorithms. `Ledger [FILE]` reads Journal.txt or FILE, adds recurring
// transactions, and prints reports.
namespace LedgerSample;

internal static class Program
{
    private static async Task<int> Main(string[] args)
    {
        try
        {
            using TextReader reader = args.Length > 0 ? new StreamReader(args[0]) : Journal();
            Book book = await new JournalReader().Read(reader);
            book.AddRecurring(new DateOnly(2026, 12, 31));
            Print(book);
        }
        catch (LedgerException problem)
        {
            Console.Error.WriteLine(problem.Message);
            return 1;
        }
        Console.WriteLine("ledger: success");
        return 0;
    }

    private static StreamReader Journal()
    {
        return new StreamReader(typeof(Program).Assembly.GetManifestResourceStream("Journal.txt"));
    }

    private static void Print(Book book)
    {
        Console.WriteLine($"{book.Transactions.Count} transactions in {book.Accounts.Count} accounts");
        Console.Write(Reports.Balance(book, "EUR"));
        Console.Write(Reports.Register(book, "Assets:Cash", 12));
        Console.Write(Reports.Months(book, "Expenses", "EUR"));
        Console.Write(Reports.Largest(book, "EUR", 5));
        Console.WriteLine($"median {Reports.Median(book, "EUR")}");
        Console.WriteLine($"did you mean {Suggestions.For("Expnses:Fod", book.Accounts.Names())}?");
        Console.WriteLine($"{Csv.Write(book).Length} characters of CSV");
    }
}
