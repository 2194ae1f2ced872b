// Runs code on a stack of values and a stack of frames.
namespace ParserSample;

internal sealed record Compiled(Function Function, Scope Scope);

internal sealed class Machine
{
    private const int DepthMax = 200;

    private sealed class Frame
    {
        public readonly Function Function;
        public readonly Stack<Scope> Scopes = new();
        public readonly int Base; // of its values
        public int At;

        public Frame(Function function, Scope scope, int firstValue)
        {
            Function = function;
            Scopes.Push(scope);
            Base = firstValue;
        }
    }

    // The handler of a failure, and the heights to cut the stacks to.
    private readonly record struct Handler(int Target, int Frames, int Values, int Scopes);

    private readonly List<object> values = new();
    private readonly Stack<Frame> frames = new();
    private readonly Stack<Handler> handlers = new();
    private readonly Scope global = new(null);

    public Machine(TextWriter output)
    {
        foreach (Builtin builtin in new Builtins(output).All())
        {
            global.Declare(builtin.Name, builtin);
        }
    }

    // Instructions that were executed.
    public long Steps { get; private set; }

    public void Run(Function program)
    {
        frames.Push(new Frame(program, global, 0));
        while (frames.Count > 0)
        {
            Frame frame = frames.Peek();
            Instruction instruction = frame.Function.Code[frame.At++];
            Steps++;
            try
            {
                Execute(frame, instruction);
            }
            catch (ThrownException thrown)
            {
                Handle(thrown.Value, new LanguageException("nobody caught " + thrown.Message, thrown.Line));
            }
            catch (LanguageException problem)
            {
                Handle(problem.Problem, problem);
            }
        }
    }

    private void Execute(Frame frame, Instruction instruction)
    {
        int line = instruction.Line;
        switch (instruction.Code)
        {
            case Code.Push:
                values.Add(instruction.Operand);
                break;
            case Code.Load:
                values.Add(frame.Scopes.Peek().Get((string)instruction.Operand));
                break;
            case Code.Store:
                frame.Scopes.Peek().Set((string)instruction.Operand, Pop());
                break;
            case Code.Declare:
                frame.Scopes.Peek().Declare((string)instruction.Operand, Pop());
                break;
            case Code.Drop:
                Pop();
                break;
            case Code.Copy:
                values.Add(values[values.Count - 1]);
                break;
            case Code.Unary:
                values.Add(Operations.Apply((string)instruction.Operand, Pop(), line));
                break;
            case Code.Binary:
                (object right, object left) = (Pop(), Pop());
                values.Add(Operations.Apply((string)instruction.Operand, left, right, line));
                break;
            case Code.Jump:
                frame.At = instruction.Number;
                break;
            case Code.JumpIfFalse:
                frame.At = Operations.IsTrue(Pop()) ? frame.At : instruction.Number;
                break;
            case Code.JumpIfTrue:
                frame.At = Operations.IsTrue(Pop()) ? instruction.Number : frame.At;
                break;
            case Code.MakeList:
                values.Add(PopMany(instruction.Number));
                break;
            case Code.MakeMap:
                values.Add(MakeMap(PopMany(2 * instruction.Number)));
                break;
            case Code.Get:
                (object key, object target) = (Pop(), Pop());
                values.Add(Operations.Get(target, key, line));
                break;
            case Code.Set:
                List<object> three = PopMany(3);
                Operations.Set(three[0], three[1], three[2], line);
                break;
            case Code.Call:
                List<object> arguments = PopMany(instruction.Number);
                Invoke(Pop(), arguments, line);
                break;
            case Code.MakeFunction:
                values.Add(new Compiled((Function)instruction.Operand, frame.Scopes.Peek()));
                break;
            case Code.Enter:
                frame.Scopes.Push(new Scope(frame.Scopes.Peek()));
                break;
            case Code.Leave:
                frame.Scopes.Pop();
                break;
            case Code.Iterate:
                values.Add(Operations.Items(Pop(), line).GetEnumerator());
                break;
            case Code.Next:
                Iterate(frame, instruction.Number);
                break;
            case Code.Try:
                handlers.Push(new Handler(instruction.Number, frames.Count, values.Count, frame.Scopes.Count));
                break;
            case Code.EndTry:
                handlers.Pop();
                break;
            case Code.Throw:
                throw new ThrownException(Pop(), line);
            case Code.Return:
                Return();
                break;
            default:
                throw new InvalidOperationException(instruction.Code.ToString());
        }
    }

    private void Iterate(Frame frame, int end)
    {
        var iterator = (IEnumerator<object>)values[values.Count - 1];
        if (iterator.MoveNext())
        {
            values.Add(iterator.Current);
        }
        else
        {
            Pop();
            frame.At = end;
        }
    }

    private void Invoke(object function, List<object> arguments, int line)
    {
        if (function is Builtin builtin)
        {
            values.Add(Builtins.Invoke(builtin, arguments, line));
            return;
        }
        if (function is not Compiled(var code, var outer))
        {
            throw new LanguageException($"{Operations.TypeOf(function)} cannot be called", line);
        }
        if (code.Parameters.Count != arguments.Count)
        {
            throw new LanguageException($"{code.Name ?? "it"} takes {code.Parameters.Count}, not {arguments.Count}", line);
        }
        if (frames.Count > DepthMax)
        {
            throw new LanguageException("too deep", line);
        }
        var scope = new Scope(outer);
        for (int i = 0; i < arguments.Count; i++)
        {
            scope.Declare(code.Parameters[i], arguments[i]);
        }
        frames.Push(new Frame(code, scope, values.Count));
    }

    // Removes the frame's handlers and its items on the stack: iterators of loops that it returns out of.
    private void Return()
    {
        object result = Pop();
        while (handlers.Count > 0 && handlers.Peek().Frames == frames.Count)
        {
            handlers.Pop();
        }
        Frame left = frames.Pop();
        values.RemoveRange(left.Base, values.Count - left.Base);
        values.Add(result);
    }

    private void Handle(object thrown, LanguageException uncaught)
    {
        if (handlers.Count == 0)
        {
            throw uncaught;
        }
        Handler handler = handlers.Pop();
        while (frames.Count > handler.Frames)
        {
            frames.Pop();
        }
        values.RemoveRange(handler.Values, values.Count - handler.Values);
        Frame frame = frames.Peek();
        while (frame.Scopes.Count > handler.Scopes)
        {
            frame.Scopes.Pop();
        }
        values.Add(thrown);
        frame.At = handler.Target;
    }

    private object Pop()
    {
        object value = values[values.Count - 1];
        values.RemoveAt(values.Count - 1);
        return value;
    }

    private List<object> PopMany(int count)
    {
        List<object> popped = values.GetRange(values.Count - count, count);
        values.RemoveRange(values.Count - count, count);
        return popped;
    }

    private static Dictionary<string, object> MakeMap(List<object> pairs)
    {
        var map = new Dictionary<string, object>();
        for (int i = 0; i < pairs.Count; i += 2)
        {
            map.Add((string)pairs[i], pairs[i + 1]);
        }
        return map;
    }
}
