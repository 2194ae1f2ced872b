// Runs a program by walking its tree.
namespace ParserSample;

// Names and values, and the enclosing scope for names that are not here.
internal sealed class Scope
{
    private readonly Scope outer;
    private readonly Dictionary<string, object> values = new();

    public Scope(Scope outer)
    {
        this.outer = outer;
    }

    public void Declare(string name, object value)
    {
        values[name] = value;
    }

    public object Get(string name)
    {
        return Find(name).values[name];
    }

    public void Set(string name, object value)
    {
        Find(name).values[name] = value;
    }

    private Scope Find(string name)
    {
        Scope scope = this;
        while (!scope.values.ContainsKey(name))
        {
            scope = scope.outer;
        }
        return scope;
    }
}

internal sealed record Closure(Lambda Lambda, Scope Scope);

// A value that the program threw.
internal sealed class ThrownException : Exception
{
    public ThrownException(object value, int line) : base(Operations.Show(value))
    {
        Value = value;
        Line = line;
    }

    public object Value { get; }

    public int Line { get; }
}

internal sealed class Interpreter
{
    private const int DepthMax = 200;

    private enum Flow
    {
        Next,
        Break,
        Continue,
        Return,
    }

    private readonly Scope global = new(null);
    private object result;
    private int depth;

    public Interpreter(TextWriter output)
    {
        foreach (Builtin builtin in new Builtins(output).All())
        {
            global.Declare(builtin.Name, builtin);
        }
    }

    // Statements and expressions that were run.
    public long Steps { get; private set; }

    public void Run(Block program)
    {
        try
        {
            Execute(program, global);
        }
        catch (ThrownException thrown)
        {
            throw new LanguageException("nobody caught " + thrown.Message, thrown.Line);
        }
    }

    private Flow Execute(Statement statement, Scope scope)
    {
        Steps++;
        switch (statement)
        {
            case Block block:
                return ExecuteAll(block, new Scope(scope));
            case Let let:
                scope.Declare(let.Name, Evaluate(let.Value, scope));
                return Flow.Next;
            case Assign assign:
                Store(assign, scope);
                return Flow.Next;
            case Evaluate evaluate:
                Evaluate(evaluate.Value, scope);
                return Flow.Next;
            case If choice:
                if (Operations.IsTrue(Evaluate(choice.Condition, scope)))
                {
                    return Execute(choice.Then, scope);
                }
                return choice.Else == null ? Flow.Next : Execute(choice.Else, scope);
            case While loop:
                return Execute(loop, scope);
            case ForIn loop:
                return Execute(loop, scope);
            case Break:
                return Flow.Break;
            case Continue:
                return Flow.Continue;
            case Return returned:
                result = Evaluate(returned.Value, scope);
                return Flow.Return;
            case Throw thrown:
                throw new ThrownException(Evaluate(thrown.Value, scope), thrown.Line);
            case Try attempt:
                return Execute(attempt, scope);
            default:
                throw new InvalidOperationException(statement.GetType().Name);
        }
    }

    private Flow ExecuteAll(Block block, Scope scope)
    {
        foreach (Statement statement in block.Statements)
        {
            Flow flow = Execute(statement, scope);
            if (flow != Flow.Next)
            {
                return flow;
            }
        }
        return Flow.Next;
    }

    private Flow Execute(While loop, Scope scope)
    {
        while (Operations.IsTrue(Evaluate(loop.Condition, scope)))
        {
            Flow flow = Execute(loop.Body, scope);
            if (flow == Flow.Break)
            {
                break;
            }
            if (flow == Flow.Return)
            {
                return flow;
            }
        }
        return Flow.Next;
    }

    private Flow Execute(ForIn loop, Scope scope)
    {
        foreach (object item in Operations.Items(Evaluate(loop.Items, scope), loop.Line))
        {
            var inner = new Scope(scope);
            inner.Declare(loop.Name, item);
            Flow flow = Execute(loop.Body, inner);
            if (flow == Flow.Break)
            {
                break;
            }
            if (flow == Flow.Return)
            {
                return flow;
            }
        }
        return Flow.Next;
    }

    private Flow Execute(Try attempt, Scope scope)
    {
        int before = depth;
        object caught;
        try
        {
            return Execute(attempt.Body, scope);
        }
        catch (ThrownException thrown)
        {
            caught = thrown.Value;
        }
        catch (LanguageException problem)
        {
            caught = problem.Problem;
        }
        depth = before;
        var inner = new Scope(scope);
        inner.Declare(attempt.Name, caught);
        return Execute(attempt.Handler, inner);
    }

    private void Store(Assign assign, Scope scope)
    {
        if (assign.Target is Index index)
        {
            object target = Evaluate(index.Target, scope);
            object key = Evaluate(index.Key, scope);
            Operations.Set(target, key, Evaluate(assign.Value, scope), assign.Line);
        }
        else
        {
            scope.Set(((Variable)assign.Target).Name, Evaluate(assign.Value, scope));
        }
    }

    private object Evaluate(Expression expression, Scope scope)
    {
        Steps++;
        switch (expression)
        {
            case Constant constant:
                return constant.Value;
            case Variable variable:
                return scope.Get(variable.Name);
            case Unary unary:
                return Operations.Apply(unary.Operator, Evaluate(unary.Operand, scope), unary.Line);
            case Binary binary:
                object left = Evaluate(binary.Left, scope);
                return Operations.Apply(binary.Operator, left, Evaluate(binary.Right, scope), binary.Line);
            case Logical logical:
                object first = Evaluate(logical.Left, scope);
                return Operations.IsTrue(first) == logical.IsAnd ? Evaluate(logical.Right, scope) : first;
            case Choice choice:
                bool truth = Operations.IsTrue(Evaluate(choice.Condition, scope));
                return Evaluate(truth ? choice.Then : choice.Else, scope);
            case ListLiteral list:
                return list.Items.ConvertAll(item => Evaluate(item, scope));
            case MapLiteral map:
                return map.Entries.ToDictionary(entry => entry.Key, entry => Evaluate(entry.Value, scope));
            case Index index:
                object target = Evaluate(index.Target, scope);
                return Operations.Get(target, Evaluate(index.Key, scope), index.Line);
            case Call call:
                object function = Evaluate(call.Target, scope);
                return Invoke(function, call.Arguments.ConvertAll(argument => Evaluate(argument, scope)), call.Line);
            case Lambda lambda:
                return new Closure(lambda, scope);
            default:
                throw new InvalidOperationException(expression.GetType().Name);
        }
    }

    private object Invoke(object function, List<object> arguments, int line)
    {
        if (function is Builtin builtin)
        {
            return Builtins.Invoke(builtin, arguments, line);
        }
        if (function is not Closure(var lambda, var outer))
        {
            throw new LanguageException($"{Operations.TypeOf(function)} cannot be called", line);
        }
        if (lambda.Parameters.Count != arguments.Count)
        {
            throw new LanguageException($"{lambda.Name ?? "it"} takes {lambda.Parameters.Count}, not {arguments.Count}", line);
        }
        if (++depth > DepthMax)
        {
            throw new LanguageException("too deep", line);
        }
        var scope = new Scope(outer);
        for (int i = 0; i < arguments.Count; i++)
        {
            scope.Declare(lambda.Parameters[i], arguments[i]);
        }
        Flow flow = Execute(lambda.Body, scope);
        depth--;
        return flow == Flow.Return ? result : null;
    }
}
