// Journals, books and reports.
using LedgerSample;

public class BookTests
{
    private const string Journal = """
        ; comment
        rate EUR USD 1.25
        rate USD GBP 0.8

        2026-01-01 Opening
            Assets:Cash  100 EUR
            Assets:Bank  50.50 USD
            Equity
        2026-02-01 Food, "fresh"
            ; only a comment
            Expenses:Food  20.10 EUR
            Assets:Cash
        every 2 weeks 2026-01-31 Salary
            Assets:Bank  10 EUR
            Income  -10 EUR

        """;

    [Fact]
    public async Task AJournalIsRead()
    {
        Book book = await Read(Journal);
        Assert.Equal(2, book.Transactions.Count);
        Assert.Equal(new[] { "Assets", "Assets:Bank", "Assets:Cash", "Equity", "Expenses", "Expenses:Food", "Income" }, book.Accounts.Names());
        Assert.Equal(7, book.Accounts.Count);
        Assert.Equal(new Amount(79.90m, "EUR"), book.Balance(book.Accounts.Find("Assets:Cash"), "EUR"));
        Assert.Equal(new Amount(120.30m, "EUR"), book.Balance(book.Accounts.Find("Assets"), "EUR"));
        Assert.Null(book.Accounts.Find("Assets:None"));
        Assert.Single(book.Between(new DateOnly(2026, 1, 1), new DateOnly(2026, 2, 1)));
    }

    [Theory]
    [InlineData("2026-03-01", 3)]
    [InlineData("2026-01-30", 0)]
    [InlineData("2026-01-31", 1)]
    public async Task WhatRecursIsBooked(string last, int times)
    {
        Book book = await Read(Journal);
        book.AddRecurring(DateOnly.Parse(last));
        Assert.Equal(2 + times, book.Transactions.Count);
        Assert.Equal(-10 * times, book.Balance(book.Accounts.Find("Income"), "EUR").Quantity);
    }

    [Theory]
    [InlineData("Day", 3, "2026-02-09")]
    [InlineData("Week", 1, "2026-02-21")]
    [InlineData("Month", 1, "2026-04-30")]
    [InlineData("Year", 2, "2032-01-31")]
    public void Dates(string name, int every, string third)
    {
        Period period = Enum.Parse<Period>(name);
        var rule = new Recurring(new Transaction(new DateOnly(2026, 1, 31), "", new List<Posting>()), period, every);
        Assert.Equal(DateOnly.Parse(third), rule.DateOf(3));
        Assert.Throws<LedgerException>(() => (rule with { Period = (Period)9 }).DateOf(1));
    }

    [Theory]
    [InlineData("2026-01-01 A\n  B  1 EUR\n  C  2 EUR", "too much")]
    [InlineData("2026-01-01 A\n  B  1 EUR", "fewer than two")]
    [InlineData("2026-01-01 A\n  B\n  C", "two postings without")]
    [InlineData("2026-13-01 A", "no date")]
    [InlineData("  B  1 EUR", "without a transaction")]
    [InlineData("2026-01-01 A\n  B: C  1 EUR", "no name")]
    [InlineData("2026-01-01 A\n  B  one EUR", "no amount")]
    [InlineData("2026-01-01 A\n  B  EUR", "no amount")]
    [InlineData("rate EUR USD", "a rate has")]
    [InlineData("rate EUR USD -1", "no rate")]
    [InlineData("every x weeks 2026-01-01", "a repetition")]
    [InlineData("every 2 moons 2026-01-01", "no such period")]
    public async Task WrongJournals(string text, string expected)
    {
        LedgerException problem = await Assert.ThrowsAsync<LedgerException>(() => Read(text));
        Assert.StartsWith("line ", problem.Message);
        Assert.Contains(expected, problem.Message);
    }

    [Fact]
    public void RatesAreFoundOverOthers()
    {
        var rates = new Rates();
        rates.Add("A", "B", 2);
        rates.Add("B", "C", 3);
        rates.Add("C", "D", 5);
        rates.Add("A", "D", 7);
        Assert.Equal(new Amount(6, "C"), rates.Convert(new Amount(1, "A"), "C"));
        Assert.Equal(new Amount(7, "D"), rates.Convert(new Amount(1, "A"), "D"));
        Assert.Equal(new Amount(1, "A"), rates.Convert(new Amount(1, "A"), "A"));
        Assert.Equal(2, rates.Searches);
        Assert.Equal(new Amount(12, "C"), rates.Convert(new Amount(2, "A"), "C"));
        Assert.Equal(2, rates.Searches);
        Assert.Throws<LedgerException>(() => rates.Convert(new Amount(1, "A"), "E"));
    }

    [Fact]
    public void Amounts()
    {
        var amount = new Amount(10.005m, "EUR");
        Assert.Equal("10.00 EUR", amount.Rounded().ToString());
        Assert.Equal(new Amount(-20.01m, "EUR"), -(amount + amount));
        Assert.Equal(new Amount(5, "EUR"), amount - new Amount(5.005m, "EUR"));
        Assert.Equal(new Amount(30.015m, "EUR"), amount * 3);
        Assert.True((amount - amount).IsZero);
        Assert.Equal(amount, Amount.Parse("10.005 EUR"));
        Assert.Throws<LedgerException>(() => amount + new Amount(1, "USD"));
        Assert.Throws<LedgerException>(() => amount.CompareTo(new Amount(1, "USD")));
    }

    [Theory]
    [InlineData(100, 3, "33.34 33.33 33.33")]
    [InlineData(-100, 3, "-33.34 -33.33 -33.33")]
    [InlineData(1, 1, "1")]
    public void Shares(decimal quantity, int parts, string expected)
    {
        List<Amount> shares = new Amount(quantity, "EUR").Split(parts);
        Assert.Equal(expected.Split(' ').Select(text => decimal.Parse(text, System.Globalization.CultureInfo.InvariantCulture)),
                     shares.Select(share => share.Quantity));
        Assert.Throws<LedgerException>(() => new Amount(1, "EUR").Split(0));
    }

    [Fact]
    public async Task ReportsAreTables()
    {
        Book book = await Read(Journal);
        book.AddRecurring(new DateOnly(2026, 3, 31));
        string balance = Reports.Balance(book, "USD").ToString();
        Assert.Matches(@"\n  Cash +99\.88 USD\n", balance);
        string register = Reports.Register(book, "Assets:Bank", 2).ToString();
        Assert.Equal(5, register.Split('\n', StringSplitOptions.RemoveEmptyEntries).Length);
        Assert.Contains("2026-03-28", register);
        Assert.Contains(new string('#', 30), Reports.Months(book, "Expenses", "EUR").ToString());
        Assert.DoesNotContain("#", Reports.Months(book, "Income", "EUR").ToString());
        Assert.Contains("Opening", Reports.Largest(book, "EUR", 1).ToString());
        Assert.Equal(new Amount(10, "EUR"), Reports.Median(book, "EUR"));
        Assert.Equal(new Amount(0, "EUR"), Reports.Median(new Book(), "EUR"));
        Assert.Contains("did you mean Expenses:Food", Assert.Throws<LedgerException>(() => Reports.Register(book, "Expense:Food", 1)).Message);
        Assert.DoesNotContain("mean", Assert.Throws<LedgerException>(() => Reports.Months(book, "zzz", "EUR")).Message);
        Assert.Throws<LedgerException>(() => new TextTable("t", "a").Add("b", "c"));
    }

    [Fact]
    public async Task CsvIsReadBack()
    {
        Book book = await Read(Journal);
        List<string[]> rows = Csv.Read(Csv.Write(book));
        Assert.Equal(1 + 4 + 2, rows.Count);
        Assert.Equal(new[] { "2026-02-01", "Food, \"fresh\"", "Expenses:Food", "20.10", "EUR" }, rows[5]);
        Assert.Equal(new[] { "a", "b\nc", "" }, Csv.Read("a,\"b\nc\",")[0]);
        Assert.Empty(Csv.Read(""));
        Assert.Throws<LedgerException>(() => Csv.Read("\"open"));
    }

    private static Task<Book> Read(string text)
    {
        return new JournalReader().Read(new StringReader(text));
    }
}
