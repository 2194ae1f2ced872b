// Task-like types with builders of their own: Eager starts its method at once; Lazy when it is first awaited.
using System.Runtime.CompilerServices;

namespace Outside;

[AsyncMethodBuilder(typeof(EagerBuilder<>))]
public readonly struct Eager<T>(Task<T> task)
{
    public TaskAwaiter<T> GetAwaiter() => task.GetAwaiter();
}

public struct EagerBuilder<T>
{
    private AsyncTaskMethodBuilder<T> inner;

    public static EagerBuilder<T> Create() => new() { inner = AsyncTaskMethodBuilder<T>.Create() };

    public Eager<T> Task => new(inner.Task);

    public void Start<TMachine>(ref TMachine machine) where TMachine : IAsyncStateMachine => inner.Start(ref machine);

    public void SetStateMachine(IAsyncStateMachine machine) => inner.SetStateMachine(machine);

    public void SetResult(T result) => inner.SetResult(result);

    public void SetException(Exception problem) => inner.SetException(problem);

    public void AwaitOnCompleted<TAwaiter, TMachine>(ref TAwaiter awaiter, ref TMachine machine)
        where TAwaiter : INotifyCompletion where TMachine : IAsyncStateMachine => inner.AwaitOnCompleted(ref awaiter, ref machine);

    public void AwaitUnsafeOnCompleted<TAwaiter, TMachine>(ref TAwaiter awaiter, ref TMachine machine)
        where TAwaiter : ICriticalNotifyCompletion where TMachine : IAsyncStateMachine => inner.AwaitUnsafeOnCompleted(ref awaiter, ref machine);
}

[AsyncMethodBuilder(typeof(LazyBuilder))]
public sealed class Lazy(Action start, Task task)
{
    public TaskAwaiter GetAwaiter()
    {
        start();
        return task.GetAwaiter();
    }
}

// A class, so that copies of the state machine have the same builder.
public sealed class LazyBuilder
{
    private readonly TaskCompletionSource source = new();
    private Action? goOn;

    public static LazyBuilder Create() => new();

    public Lazy Task => new(goOn!, source.Task);

    public void Start<TMachine>(ref TMachine machine) where TMachine : IAsyncStateMachine
    {
        IAsyncStateMachine boxed = machine;
        ExecutionContext? context = null;
        goOn = () =>
        {
            if (context == null)
            {
                context = ExecutionContext.Capture(); // the caller's, which Run restores
                ExecutionContext.Run(context!, _ => boxed.MoveNext(), null);
            }
            else
            {
                boxed.MoveNext();
            }
        };
    }

    public void SetStateMachine(IAsyncStateMachine machine)
    {
    }

    public void SetResult() => source.SetResult();

    public void SetException(Exception problem) => source.SetException(problem);

    public void AwaitOnCompleted<TAwaiter, TMachine>(ref TAwaiter awaiter, ref TMachine machine)
        where TAwaiter : INotifyCompletion where TMachine : IAsyncStateMachine
    {
        ExecutionContext? context = ExecutionContext.Capture();
        Action start = goOn!;
        awaiter.OnCompleted(() => ExecutionContext.Run(context!, _ => start(), null));
    }

    public void AwaitUnsafeOnCompleted<TAwaiter, TMachine>(ref TAwaiter awaiter, ref TMachine machine)
        where TAwaiter : ICriticalNotifyCompletion where TMachine : IAsyncStateMachine => AwaitOnCompleted(ref awaiter, ref machine);
}
