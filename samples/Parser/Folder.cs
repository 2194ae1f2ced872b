// Makes a simpler tree with the same meaning: computes constants, and removes code that can never run.
namespace ParserSample;

internal sealed class Folder
{
    // How many nodes became simpler.
    public int Folded { get; private set; }

    public Block Fold(Block block)
    {
        var statements = new List<Statement>();
        foreach (Statement statement in block.Statements)
        {
            Statement folded = Fold(statement);
            if (folded != null)
            {
                statements.Add(folded);
            }
            if (folded is Return or Throw or Break or Continue)
            {
                Folded += block.Statements.Count - block.Statements.IndexOf(statement) - 1;
                break;
            }
        }
        return block with { Statements = statements };
    }

    // Null if nothing is left of it.
    private Statement Fold(Statement statement)
    {
        return statement switch
        {
            Block block => Fold(block),
            Let let => let with { Value = Fold(let.Value) },
            Assign assign => assign with { Target = Fold(assign.Target), Value = Fold(assign.Value) },
            Evaluate evaluate => evaluate with { Value = Fold(evaluate.Value) },
            If choice => Fold(choice),
            While loop => Fold(loop),
            ForIn loop => loop with { Items = Fold(loop.Items), Body = FoldBody(loop.Body) },
            Return result => result with { Value = Fold(result.Value) },
            Throw thrown => thrown with { Value = Fold(thrown.Value) },
            Try attempt => attempt with { Body = Fold(attempt.Body), Handler = Fold(attempt.Handler) },
            _ => statement,
        };
    }

    private Statement Fold(If choice)
    {
        Expression condition = Fold(choice.Condition);
        if (condition is Constant { Value: var value })
        {
            Folded++;
            Statement kept = Operations.IsTrue(value) ? choice.Then : choice.Else;
            return kept == null ? null : FoldBody(kept);
        }
        Statement otherwise = choice.Else == null ? null : FoldBody(choice.Else);
        return choice with { Condition = condition, Then = FoldBody(choice.Then), Else = otherwise };
    }

    private Statement Fold(While loop)
    {
        Expression condition = Fold(loop.Condition);
        if (condition is Constant { Value: var value } && !Operations.IsTrue(value))
        {
            Folded++;
            return null;
        }
        return loop with { Condition = condition, Body = FoldBody(loop.Body) };
    }

    // A statement that a loop or branch needs.
    private Statement FoldBody(Statement body)
    {
        return Fold(body) ?? new Block(new List<Statement>(), body.Line);
    }

    private Expression Fold(Expression expression)
    {
        return expression switch
        {
            Unary unary => Fold(unary),
            Binary binary => Fold(binary),
            Logical logical => Fold(logical),
            Choice choice => Fold(choice),
            ListLiteral list => list with { Items = list.Items.ConvertAll(Fold) },
            MapLiteral map => map with { Entries = map.Entries.ConvertAll(entry => (entry.Key, Fold(entry.Value))) },
            Index index => index with { Target = Fold(index.Target), Key = Fold(index.Key) },
            Call call => call with { Target = Fold(call.Target), Arguments = call.Arguments.ConvertAll(Fold) },
            Lambda lambda => lambda with { Body = Fold(lambda.Body) },
            _ => expression,
        };
    }

    private Expression Fold(Unary unary)
    {
        Expression operand = Fold(unary.Operand);
        if (operand is Constant { Value: double or bool } constant)
        {
            return Try(() => Operations.Apply(unary.Operator, constant.Value, unary.Line), unary with { Operand = operand });
        }
        return unary with { Operand = operand };
    }

    private Expression Fold(Binary binary)
    {
        Binary folded = binary with { Left = Fold(binary.Left), Right = Fold(binary.Right) };
        if (folded is { Left: Constant left, Right: Constant right })
        {
            return Try(() => Operations.Apply(binary.Operator, left.Value, right.Value, binary.Line), folded);
        }
        return folded;
    }

    private Expression Fold(Logical logical)
    {
        Expression left = Fold(logical.Left);
        if (left is Constant { Value: var value })
        {
            Folded++;
            return Operations.IsTrue(value) == logical.IsAnd ? Fold(logical.Right) : left;
        }
        return logical with { Left = left, Right = Fold(logical.Right) };
    }

    private Expression Fold(Choice choice)
    {
        Expression condition = Fold(choice.Condition);
        if (condition is Constant { Value: var value })
        {
            Folded++;
            return Fold(Operations.IsTrue(value) ? choice.Then : choice.Else);
        }
        return choice with { Condition = condition, Then = Fold(choice.Then), Else = Fold(choice.Else) };
    }

    // An error must occur when the program runs, not here.
    private Expression Try(Func<object> compute, Expression otherwise)
    {
        try
        {
            var constant = new Constant(compute(), otherwise.Line);
            Folded++;
            return constant;
        }
        catch (LanguageException)
        {
            return otherwise;
        }
    }
}
