// Errors that can be found before a program runs: undeclared names, names declared twice, break outside loops.
namespace ParserSample;

internal sealed class Checker
{
    private readonly Stack<HashSet<string>> scopes = new();
    private int loops;
    private int functions;

    public void Check(Block program)
    {
        scopes.Push(new HashSet<string>(Builtins.Names));
        CheckBlock(program);
        scopes.Pop();
    }

    private void CheckBlock(Block block)
    {
        scopes.Push(new HashSet<string>());
        foreach (Statement statement in block.Statements)
        {
            Check(statement);
        }
        scopes.Pop();
    }

    private void Check(Statement statement)
    {
        switch (statement)
        {
            case Block block:
                CheckBlock(block);
                break;
            case Let { Value: Lambda { Name: not null } function } let:
                Declare(let.Name, let.Line); // before its body, which may call it
                Check(function);
                break;
            case Let let:
                Check(let.Value);
                Declare(let.Name, let.Line);
                break;
            case Assign assign:
                Check(assign.Target);
                Check(assign.Value);
                break;
            case Evaluate evaluate:
                Check(evaluate.Value);
                break;
            case If choice:
                Check(choice.Condition);
                Check(choice.Then);
                if (choice.Else != null)
                {
                    Check(choice.Else);
                }
                break;
            case While loop:
                Check(loop.Condition);
                CheckLoop(loop.Body);
                break;
            case ForIn loop:
                Check(loop.Items);
                scopes.Push(new HashSet<string> { loop.Name });
                CheckLoop(loop.Body);
                scopes.Pop();
                break;
            case Break or Continue:
                Require(loops > 0, "outside of a loop", statement.Line);
                break;
            case Return result:
                Require(functions > 0, "return outside of a function", result.Line);
                Check(result.Value);
                break;
            case Throw thrown:
                Check(thrown.Value);
                break;
            case Try attempt:
                CheckBlock(attempt.Body);
                scopes.Push(new HashSet<string> { attempt.Name });
                CheckBlock(attempt.Handler);
                scopes.Pop();
                break;
        }
    }

    private void CheckLoop(Statement body)
    {
        loops++;
        Check(body);
        loops--;
    }

    private void Check(Expression expression)
    {
        switch (expression)
        {
            case Variable variable:
                Require(IsDeclared(variable.Name), $"nothing declares {variable.Name}", variable.Line);
                break;
            case Unary unary:
                Check(unary.Operand);
                break;
            case Binary binary:
                Check(binary.Left);
                Check(binary.Right);
                break;
            case Logical logical:
                Check(logical.Left);
                Check(logical.Right);
                break;
            case Choice choice:
                Check(choice.Condition);
                Check(choice.Then);
                Check(choice.Else);
                break;
            case ListLiteral list:
                list.Items.ForEach(Check);
                break;
            case MapLiteral map:
                map.Entries.ForEach(entry => Check(entry.Value));
                break;
            case Index index:
                Check(index.Target);
                Check(index.Key);
                break;
            case Call call:
                Check(call.Target);
                call.Arguments.ForEach(Check);
                break;
            case Lambda lambda:
                Check(lambda);
                break;
        }
    }

    private void Check(Lambda lambda)
    {
        int outerLoops = loops;
        loops = 0;
        functions++;
        scopes.Push(new HashSet<string>());
        foreach (string parameter in lambda.Parameters)
        {
            Declare(parameter, lambda.Line);
        }
        CheckBlock(lambda.Body);
        scopes.Pop();
        functions--;
        loops = outerLoops;
    }

    private void Declare(string name, int line)
    {
        Require(scopes.Peek().Add(name), $"{name} is declared twice", line);
    }

    private bool IsDeclared(string name)
    {
        foreach (HashSet<string> scope in scopes)
        {
            if (scope.Contains(name))
            {
                return true;
            }
        }
        return false;
    }

    private static void Require(bool truth, string otherwise, int line)
    {
        if (!truth)
        {
            throw new LanguageException(otherwise, line);
        }
    }
}
