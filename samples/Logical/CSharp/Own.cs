// A task-like type with a builder of the program itself, whose methods are recorded between the call and the body.
using System.Runtime.CompilerServices;

namespace Logical;

[AsyncMethodBuilder(typeof(OwnBuilder<>))]
internal readonly struct Own<T>(Task<T> task)
{
    public TaskAwaiter<T> GetAwaiter() => task.GetAwaiter();
}

internal struct OwnBuilder<T>
{
    private AsyncTaskMethodBuilder<T> inner;

    public static OwnBuilder<T> Create() => new() { inner = AsyncTaskMethodBuilder<T>.Create() };

    public Own<T> Task => new(inner.Task);

    public void Start<TMachine>(ref TMachine machine) where TMachine : IAsyncStateMachine => inner.Start(ref machine);

    public void SetStateMachine(IAsyncStateMachine machine) => inner.SetStateMachine(machine);

    public void SetResult(T result) => inner.SetResult(result);

    public void SetException(Exception problem) => inner.SetException(problem);

    public void AwaitOnCompleted<TAwaiter, TMachine>(ref TAwaiter awaiter, ref TMachine machine)
        where TAwaiter : INotifyCompletion where TMachine : IAsyncStateMachine => inner.AwaitOnCompleted(ref awaiter, ref machine);

    public void AwaitUnsafeOnCompleted<TAwaiter, TMachine>(ref TAwaiter awaiter, ref TMachine machine)
        where TAwaiter : ICriticalNotifyCompletion where TMachine : IAsyncStateMachine => inner.AwaitUnsafeOnCompleted(ref awaiter, ref machine);
}
