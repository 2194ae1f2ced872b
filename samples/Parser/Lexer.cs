// Text into tokens.
using System.Globalization;
using System.Text;

namespace ParserSample;

internal sealed class Lexer
{
    private static readonly HashSet<string> keywords = new()
    {
        "and", "break", "catch", "continue", "else", "false", "for", "fun", "if", "in", "let", "not", "null", "or", "return",
        "throw", "true", "try", "while",
    };

    // Longer ones first.
    private static readonly string[] symbols =
    {
        "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "=>", "**", "(", ")", "{", "}", "[", "]", ",", ";", ":", "?", ".", "=", "<",
        ">", "+", "-", "*", "/", "%",
    };

    private readonly string source;
    private int at;
    private int line = 1;

    public Lexer(string source)
    {
        this.source = source;
    }

    // The last one is End.
    public List<Token> Read()
    {
        var tokens = new List<Token>();
        Token token;
        do
        {
            token = Next();
            tokens.Add(token);
        }
        while (token.Kind != Kind.End);
        return tokens;
    }

    private Token Next()
    {
        SkipSpace();
        if (at == source.Length)
        {
            return new Token(Kind.End, "", 0, line);
        }
        char c = source[at];
        if (char.IsAsciiDigit(c))
        {
            return ReadNumber();
        }
        if (char.IsLetter(c) || c == '_')
        {
            return ReadWord();
        }
        return c == '"' ? ReadText() : ReadSymbol();
    }

    private void SkipSpace()
    {
        while (at < source.Length)
        {
            if (source[at] == '\n')
            {
                line++;
            }
            else if (source[at] == '#')
            {
                SkipLine();
                continue;
            }
            else if (!char.IsWhiteSpace(source[at]))
            {
                return;
            }
            at++;
        }
    }

    private void SkipLine()
    {
        while (at < source.Length && source[at] != '\n')
        {
            at++;
        }
    }

    private Token ReadNumber()
    {
        int start = at;
        SkipDigits();
        if (at + 1 < source.Length && source[at] == '.' && char.IsAsciiDigit(source[at + 1]))
        {
            at++;
            SkipDigits();
        }
        string text = source.Substring(start, at - start);
        return new Token(Kind.Number, text, double.Parse(text, CultureInfo.InvariantCulture), line);
    }

    private void SkipDigits()
    {
        while (at < source.Length && char.IsAsciiDigit(source[at]))
        {
            at++;
        }
    }

    private Token ReadWord()
    {
        int start = at;
        while (at < source.Length && (char.IsLetterOrDigit(source[at]) || source[at] == '_'))
        {
            at++;
        }
        string word = source.Substring(start, at - start);
        return new Token(keywords.Contains(word) ? Kind.Keyword : Kind.Name, word, 0, line);
    }

    private Token ReadText()
    {
        var text = new StringBuilder();
        int start = line;
        at++;
        while (at < source.Length && source[at] != '"')
        {
            char c = source[at++];
            if (c == '\n')
            {
                line++;
            }
            text.Append(c == '\\' ? ReadEscape() : c);
        }
        if (at == source.Length)
        {
            throw new LanguageException("text without end", start);
        }
        at++;
        return new Token(Kind.Text, text.ToString(), 0, start);
    }

    private char ReadEscape()
    {
        char c = at < source.Length ? source[at++] : '\0';
        return c switch
        {
            'n' => '\n',
            't' => '\t',
            '"' or '\\' => c,
            _ => throw new LanguageException($"no such escape: \\{c}", line),
        };
    }

    private Token ReadSymbol()
    {
        foreach (string symbol in symbols)
        {
            if (string.CompareOrdinal(source, at, symbol, 0, symbol.Length) == 0)
            {
                at += symbol.Length;
                return new Token(Kind.Symbol, symbol, 0, line);
            }
        }
        throw new LanguageException($"no such character: {source[at]}", line);
    }
}
