// The tokens of the text.
namespace ParserSample;

internal enum Kind
{
    End,
    Number,
    Text,
    Name,
    Keyword,
    Symbol,
}

internal readonly record struct Token(Kind Kind, string Text, double Number, int Line)
{
    public bool Is(string text)
    {
        return Kind is Kind.Keyword or Kind.Symbol && Text == text;
    }

    public override string ToString()
    {
        return Kind == Kind.End ? "the end" : $"'{Text}'";
    }
}

// Whatever is wrong with a program, with the line where it is.
internal sealed class LanguageException : Exception
{
    public LanguageException(string problem, int line) : base($"line {line}: {problem}")
    {
        Problem = problem;
        Line = line;
    }

    public string Problem { get; }

    public int Line { get; }
}
