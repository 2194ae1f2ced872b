// The tree: expressions have values, statements do something.
namespace ParserSample;

internal abstract record Node(int Line);

internal abstract record Expression(int Line) : Node(Line);

internal sealed record Constant(object Value, int Line) : Expression(Line);

internal sealed record Variable(string Name, int Line) : Expression(Line);

internal sealed record Unary(string Operator, Expression Operand, int Line) : Expression(Line);

internal sealed record Binary(string Operator, Expression Left, Expression Right, int Line) : Expression(Line);

// and, or: the right side only where the left one leaves it open.
internal sealed record Logical(bool IsAnd, Expression Left, Expression Right, int Line) : Expression(Line);

internal sealed record Choice(Expression Condition, Expression Then, Expression Else, int Line) : Expression(Line);

internal sealed record ListLiteral(List<Expression> Items, int Line) : Expression(Line);

internal sealed record MapLiteral(List<(string Key, Expression Value)> Entries, int Line) : Expression(Line);

internal sealed record Index(Expression Target, Expression Key, int Line) : Expression(Line);

internal sealed record Call(Expression Target, List<Expression> Arguments, int Line) : Expression(Line);

internal sealed record Lambda(string Name, List<string> Parameters, Block Body, int Line) : Expression(Line);

internal abstract record Statement(int Line) : Node(Line);

internal sealed record Block(List<Statement> Statements, int Line) : Statement(Line);

internal sealed record Let(string Name, Expression Value, int Line) : Statement(Line);

internal sealed record Assign(Expression Target, Expression Value, int Line) : Statement(Line);

internal sealed record Evaluate(Expression Value, int Line) : Statement(Line);

internal sealed record If(Expression Condition, Statement Then, Statement Else, int Line) : Statement(Line);

internal sealed record While(Expression Condition, Statement Body, int Line) : Statement(Line);

internal sealed record ForIn(string Name, Expression Items, Statement Body, int Line) : Statement(Line);

internal sealed record Break(int Line) : Statement(Line);

internal sealed record Continue(int Line) : Statement(Line);

internal sealed record Return(Expression Value, int Line) : Statement(Line);

internal sealed record Throw(Expression Value, int Line) : Statement(Line);

internal sealed record Try(Block Body, string Name, Block Handler, int Line) : Statement(Line);
