// The tree as code of a stack machine.
namespace ParserSample;

internal enum Code
{
    Push, // the constant
    Load, // the variable of that name
    Store,
    Declare,
    Drop,
    Copy,
    Unary,
    Binary,
    Jump,
    JumpIfFalse,
    JumpIfTrue,
    MakeList, // of so many items
    MakeMap, // of so many keys and values
    Get,
    Set,
    Call, // with so many arguments
    MakeFunction,
    Enter, // a scope
    Leave,
    Iterate, // replaces the value on the stack by an iterator over it
    Next, // pushes the next item, or drops the iterator and jumps
    Try, // from here on failures go to the target
    EndTry,
    Throw,
    Return,
}

// Number is a target, a count or a place; Operand a constant, a name, an operator or a function.
internal readonly record struct Instruction(Code Code, int Number, object Operand, int Line);

internal sealed class Function
{
    public Function(string name, List<string> parameters)
    {
        Name = name;
        Parameters = parameters;
    }

    public string Name { get; }

    public List<string> Parameters { get; }

    public List<Instruction> Code { get; } = new();
}

internal sealed class Compiler
{
    // The targets of a loop's break and continue, and the state to undo before the jump.
    private sealed class Loop
    {
        public readonly List<int> Breaks = new();
        public int Start;
        public int Scopes;
        public int Tries;
        public bool Iterates;
    }

    private readonly Stack<Loop> loops = new();
    private Function function;
    private int scopes;
    private int tries;

    public Function Compile(Block program)
    {
        function = new Function("program", new List<string>());
        Emit(program);
        Emit(Code.Push, program.Line);
        Emit(Code.Return, program.Line);
        return function;
    }

    private int Emit(Code code, int line, int number = 0, object operand = null)
    {
        function.Code.Add(new Instruction(code, number, operand, line));
        return function.Code.Count - 1;
    }

    // Makes the jump at this position lead to the next instruction.
    private void Land(int place)
    {
        function.Code[place] = function.Code[place] with { Number = function.Code.Count };
    }

    private void Emit(Statement statement)
    {
        switch (statement)
        {
            case Block block:
                EnterScope(block.Line);
                block.Statements.ForEach(Emit);
                LeaveScope(block.Line);
                break;
            case Let let:
                Emit(let.Value);
                Emit(Code.Declare, let.Line, 0, let.Name);
                break;
            case Assign assign:
                EmitStore(assign);
                break;
            case Evaluate evaluate:
                Emit(evaluate.Value);
                Emit(Code.Drop, evaluate.Line);
                break;
            case If choice:
                EmitIf(choice);
                break;
            case While loop:
                EmitWhile(loop);
                break;
            case ForIn loop:
                EmitFor(loop);
                break;
            case Break:
                Unwind(loops.Peek(), statement.Line);
                if (loops.Peek().Iterates)
                {
                    Emit(Code.Drop, statement.Line);
                }
                loops.Peek().Breaks.Add(Emit(Code.Jump, statement.Line));
                break;
            case Continue:
                Unwind(loops.Peek(), statement.Line);
                Emit(Code.Jump, statement.Line, loops.Peek().Start);
                break;
            case Return result:
                Emit(result.Value);
                Emit(Code.Return, result.Line);
                break;
            case Throw thrown:
                Emit(thrown.Value);
                Emit(Code.Throw, thrown.Line);
                break;
            case Try attempt:
                EmitTry(attempt);
                break;
            default:
                throw new InvalidOperationException(statement.GetType().Name);
        }
    }

    private void EnterScope(int line)
    {
        Emit(Code.Enter, line);
        scopes++;
    }

    private void LeaveScope(int line)
    {
        Emit(Code.Leave, line);
        scopes--;
    }

    private void Unwind(Loop loop, int line)
    {
        for (int i = tries; i > loop.Tries; i--)
        {
            Emit(Code.EndTry, line);
        }
        for (int i = scopes; i > loop.Scopes; i--)
        {
            Emit(Code.Leave, line);
        }
    }

    private void EmitStore(Assign assign)
    {
        if (assign.Target is Index index)
        {
            Emit(index.Target);
            Emit(index.Key);
            Emit(assign.Value);
            Emit(Code.Set, assign.Line);
        }
        else
        {
            Emit(assign.Value);
            Emit(Code.Store, assign.Line, 0, ((Variable)assign.Target).Name);
        }
    }

    private void EmitIf(If choice)
    {
        Emit(choice.Condition);
        int otherwise = Emit(Code.JumpIfFalse, choice.Line);
        Emit(choice.Then);
        if (choice.Else == null)
        {
            Land(otherwise);
            return;
        }
        int end = Emit(Code.Jump, choice.Line);
        Land(otherwise);
        Emit(choice.Else);
        Land(end);
    }

    private void EmitWhile(While loop)
    {
        var made = new Loop { Start = function.Code.Count, Scopes = scopes, Tries = tries };
        loops.Push(made);
        Emit(loop.Condition);
        int end = Emit(Code.JumpIfFalse, loop.Line);
        Emit(loop.Body);
        Emit(Code.Jump, loop.Line, made.Start);
        Land(end);
        loops.Pop().Breaks.ForEach(Land);
    }

    private void EmitFor(ForIn loop)
    {
        Emit(loop.Items);
        Emit(Code.Iterate, loop.Line);
        var made = new Loop { Start = function.Code.Count, Scopes = scopes, Tries = tries, Iterates = true };
        loops.Push(made);
        int end = Emit(Code.Next, loop.Line);
        EnterScope(loop.Line);
        Emit(Code.Declare, loop.Line, 0, loop.Name);
        Emit(loop.Body);
        LeaveScope(loop.Line);
        Emit(Code.Jump, loop.Line, made.Start);
        Land(end);
        loops.Pop().Breaks.ForEach(Land);
    }

    private void EmitTry(Try attempt)
    {
        int handler = Emit(Code.Try, attempt.Line);
        tries++;
        Emit(attempt.Body);
        tries--;
        Emit(Code.EndTry, attempt.Line);
        int end = Emit(Code.Jump, attempt.Line);
        Land(handler);
        EnterScope(attempt.Line);
        Emit(Code.Declare, attempt.Line, 0, attempt.Name);
        Emit(attempt.Handler);
        LeaveScope(attempt.Line);
        Land(end);
    }

    private void Emit(Expression expression)
    {
        int line = expression.Line;
        switch (expression)
        {
            case Constant constant:
                Emit(Code.Push, line, 0, constant.Value);
                break;
            case Variable variable:
                Emit(Code.Load, line, 0, variable.Name);
                break;
            case Unary unary:
                Emit(unary.Operand);
                Emit(Code.Unary, line, 0, unary.Operator);
                break;
            case Binary binary:
                Emit(binary.Left);
                Emit(binary.Right);
                Emit(Code.Binary, line, 0, binary.Operator);
                break;
            case Logical logical:
                Emit(logical.Left);
                Emit(Code.Copy, line);
                int open = Emit(logical.IsAnd ? Code.JumpIfFalse : Code.JumpIfTrue, line);
                Emit(Code.Drop, line);
                Emit(logical.Right);
                Land(open);
                break;
            case Choice choice:
                Emit(choice.Condition);
                int otherwise = Emit(Code.JumpIfFalse, line);
                Emit(choice.Then);
                int end = Emit(Code.Jump, line);
                Land(otherwise);
                Emit(choice.Else);
                Land(end);
                break;
            case ListLiteral list:
                list.Items.ForEach(Emit);
                Emit(Code.MakeList, line, list.Items.Count);
                break;
            case MapLiteral map:
                foreach ((string key, Expression value) in map.Entries)
                {
                    Emit(Code.Push, line, 0, key);
                    Emit(value);
                }
                Emit(Code.MakeMap, line, map.Entries.Count);
                break;
            case Index index:
                Emit(index.Target);
                Emit(index.Key);
                Emit(Code.Get, line);
                break;
            case Call call:
                Emit(call.Target);
                call.Arguments.ForEach(Emit);
                Emit(Code.Call, line, call.Arguments.Count);
                break;
            case Lambda lambda:
                Emit(Code.MakeFunction, line, 0, CompileFunction(lambda));
                break;
            default:
                throw new InvalidOperationException(expression.GetType().Name);
        }
    }

    private static Function CompileFunction(Lambda lambda)
    {
        var compiler = new Compiler { function = new Function(lambda.Name, lambda.Parameters) };
        compiler.Emit(lambda.Body);
        compiler.Emit(Code.Push, lambda.Line);
        compiler.Emit(Code.Return, lambda.Line);
        return compiler.function;
    }
}
