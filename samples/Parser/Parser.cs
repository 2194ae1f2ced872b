// Tokens into the tree, by recursive descent.
namespace ParserSample;

internal sealed class Parser
{
    // Binary operators by how strongly they bind, weakest first.
    private static readonly string[][] levels =
    {
        new[] { "==", "!=" },
        new[] { "<", "<=", ">", ">=", "in" },
        new[] { "+", "-" },
        new[] { "*", "/", "%" },
    };

    private readonly List<Token> tokens;
    private int at;

    public Parser(string source)
    {
        tokens = new Lexer(source).Read();
    }

    private Token Current => tokens[at];

    public Block Parse()
    {
        var statements = new List<Statement>();
        while (Current.Kind != Kind.End)
        {
            statements.Add(ParseStatement());
        }
        return new Block(statements, 1);
    }

    private Statement ParseStatement()
    {
        int line = Current.Line;
        if (Current.Is("{"))
        {
            return ParseBlock();
        }
        if (Current.Is("fun") && tokens[at + 1].Kind == Kind.Name)
        {
            at++;
            string name = TakeName();
            return new Let(name, ParseFunction(name, line), line);
        }
        if (Current.Kind != Kind.Keyword)
        {
            return ParseSimple(line);
        }
        switch (Current.Text)
        {
            case "let":
                at++;
                return ParseLet(line);
            case "if":
                at++;
                return ParseIf(line);
            case "while":
                at++;
                Expression condition = ParseParenthesised();
                return new While(condition, ParseStatement(), line);
            case "for":
                at++;
                return ParseFor(line);
            case "break":
                at++;
                Take(";");
                return new Break(line);
            case "continue":
                at++;
                Take(";");
                return new Continue(line);
            case "return":
                at++;
                Expression result = Current.Is(";") ? new Constant(null, line) : ParseExpression();
                Take(";");
                return new Return(result, line);
            case "throw":
                at++;
                Expression thrown = ParseExpression();
                Take(";");
                return new Throw(thrown, line);
            case "try":
                at++;
                return ParseTry(line);
            default:
                return ParseSimple(line);
        }
    }

    private Block ParseBlock()
    {
        int line = Current.Line;
        Take("{");
        var statements = new List<Statement>();
        while (!Current.Is("}"))
        {
            if (Current.Kind == Kind.End)
            {
                throw new LanguageException("block without end", line);
            }
            statements.Add(ParseStatement());
        }
        at++;
        return new Block(statements, line);
    }

    private Let ParseLet(int line)
    {
        string name = TakeName();
        Expression value = new Constant(null, line);
        if (TryTake("="))
        {
            value = ParseExpression();
        }
        Take(";");
        return new Let(name, value, line);
    }

    private If ParseIf(int line)
    {
        Expression condition = ParseParenthesised();
        Statement then = ParseStatement();
        Statement otherwise = TryTake("else") ? ParseStatement() : null;
        return new If(condition, then, otherwise, line);
    }

    private ForIn ParseFor(int line)
    {
        Take("(");
        string name = TakeName();
        Take("in");
        Expression items = ParseExpression();
        Take(")");
        return new ForIn(name, items, ParseStatement(), line);
    }

    private Try ParseTry(int line)
    {
        Block body = ParseBlock();
        Take("catch");
        Take("(");
        string name = TakeName();
        Take(")");
        return new Try(body, name, ParseBlock(), line);
    }

    // An expression, or an assignment to one.
    private Statement ParseSimple(int line)
    {
        Expression target = ParseExpression();
        Statement statement;
        if (Current.Kind == Kind.Symbol && Current.Text is "=" or "+=" or "-=" or "*=" or "/=")
        {
            string symbol = tokens[at++].Text;
            if (target is not (Variable or Index))
            {
                throw new LanguageException("nothing to assign to", line);
            }
            Expression value = ParseExpression();
            if (symbol != "=")
            {
                value = new Binary(symbol.Substring(0, 1), target, value, line);
            }
            statement = new Assign(target, value, line);
        }
        else
        {
            statement = new Evaluate(target, line);
        }
        Take(";");
        return statement;
    }

    private Expression ParseParenthesised()
    {
        Take("(");
        Expression inner = ParseExpression();
        Take(")");
        return inner;
    }

    private Expression ParseExpression()
    {
        Expression condition = ParseOr();
        if (!TryTake("?"))
        {
            return condition;
        }
        Expression then = ParseExpression();
        Take(":");
        return new Choice(condition, then, ParseExpression(), condition.Line);
    }

    private Expression ParseOr()
    {
        Expression left = ParseAnd();
        while (TryTake("or"))
        {
            left = new Logical(false, left, ParseAnd(), left.Line);
        }
        return left;
    }

    private Expression ParseAnd()
    {
        Expression left = ParseNot();
        while (TryTake("and"))
        {
            left = new Logical(true, left, ParseNot(), left.Line);
        }
        return left;
    }

    private Expression ParseNot()
    {
        int line = Current.Line;
        return TryTake("not") ? new Unary("not", ParseNot(), line) : ParseBinary(0);
    }

    private Expression ParseBinary(int level)
    {
        if (level == levels.Length)
        {
            return ParseUnary();
        }
        Expression left = ParseBinary(level + 1);
        while (Current.Kind is Kind.Symbol or Kind.Keyword && Array.IndexOf(levels[level], Current.Text) >= 0)
        {
            string symbol = tokens[at++].Text;
            left = new Binary(symbol, left, ParseBinary(level + 1), left.Line);
        }
        return left;
    }

    private Expression ParseUnary()
    {
        int line = Current.Line;
        return TryTake("-") ? new Unary("-", ParseUnary(), line) : ParsePower();
    }

    // Binds to the right, and stronger than the sign before it.
    private Expression ParsePower()
    {
        Expression left = ParsePostfix();
        return TryTake("**") ? new Binary("**", left, ParseUnary(), left.Line) : left;
    }

    private Expression ParsePostfix()
    {
        Expression target = ParsePrimary();
        while (true)
        {
            if (TryTake("("))
            {
                target = new Call(target, ParseList(")"), target.Line);
            }
            else if (TryTake("["))
            {
                Expression key = ParseExpression();
                Take("]");
                target = new Index(target, key, target.Line);
            }
            else if (TryTake("."))
            {
                target = new Index(target, new Constant(TakeName(), target.Line), target.Line);
            }
            else
            {
                return target;
            }
        }
    }

    private Expression ParsePrimary()
    {
        Token token = tokens[at++];
        switch (token.Kind)
        {
            case Kind.Number:
                return new Constant(token.Number, token.Line);
            case Kind.Text:
                return new Constant(token.Text, token.Line);
            case Kind.Name:
                return new Variable(token.Text, token.Line);
        }
        if (token.Kind != Kind.End)
        {
            switch (token.Text)
            {
                case "true":
                    return new Constant(true, token.Line);
                case "false":
                    return new Constant(false, token.Line);
                case "null":
                    return new Constant(null, token.Line);
                case "fun":
                    return ParseFunction(null, token.Line);
                case "(":
                    at--;
                    return ParseParenthesised();
                case "[":
                    return new ListLiteral(ParseList("]"), token.Line);
                case "{":
                    return ParseMap(token.Line);
            }
        }
        throw new LanguageException($"{token} cannot begin an expression", token.Line);
    }

    // Commas separate items; one may follow the last.
    private List<Expression> ParseList(string end)
    {
        var items = new List<Expression>();
        while (!TryTake(end))
        {
            items.Add(ParseExpression());
            if (!Current.Is(end))
            {
                Take(",");
            }
        }
        return items;
    }

    private MapLiteral ParseMap(int line)
    {
        var entries = new List<(string, Expression)>();
        while (!TryTake("}"))
        {
            string key = Current.Kind == Kind.Text ? tokens[at++].Text : TakeName();
            Take(":");
            entries.Add((key, ParseExpression()));
            if (!Current.Is("}"))
            {
                Take(",");
            }
        }
        return new MapLiteral(entries, line);
    }

    // fun(a, b) { ... } or fun(a) => a + 1, from the parenthesis on.
    private Lambda ParseFunction(string name, int line)
    {
        Take("(");
        var parameters = new List<string>();
        while (!TryTake(")"))
        {
            parameters.Add(TakeName());
            if (!Current.Is(")"))
            {
                Take(",");
            }
        }
        if (!TryTake("=>"))
        {
            return new Lambda(name, parameters, ParseBlock(), line);
        }
        Expression result = ParseExpression();
        if (name != null)
        {
            Take(";");
        }
        return new Lambda(name, parameters, new Block(new List<Statement> { new Return(result, line) }, line), line);
    }

    private string TakeName()
    {
        Token token = tokens[at];
        if (token.Kind != Kind.Name)
        {
            throw new LanguageException($"{token} instead of a name", token.Line);
        }
        at++;
        return token.Text;
    }

    private bool TryTake(string text)
    {
        if (!Current.Is(text))
        {
            return false;
        }
        at++;
        return true;
    }

    private void Take(string text)
    {
        if (!TryTake(text))
        {
            throw new LanguageException($"{Current} instead of '{text}'", Current.Line);
        }
    }
}
