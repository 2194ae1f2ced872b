// What fails outside of the program while it is awaited.
using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Threading.Tasks.Sources;

namespace Outside;

// A clock whose timers fire when they are told to.
public sealed class ManualTime : TimeProvider
{
    private Action? fire;

    private sealed class Timer : ITimer
    {
        public bool Change(TimeSpan due, TimeSpan period) => true;

        public void Dispose()
        {
        }

        public ValueTask DisposeAsync() => default;
    }

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan due, TimeSpan period)
    {
        fire = () => callback(state);
        return new Timer();
    }

    public void Fire() => fire!();
}

// The source of a value task that fails when it is told to.
public sealed class FailingSource : IValueTaskSource<int>
{
    private ManualResetValueTaskSourceCore<int> core;

    public ValueTask<int> Task => new(this, core.Version);

    public void Fail() => core.SetException(new InvalidOperationException("source"));

    public int GetResult(short token) => core.GetResult(token);

    public ValueTaskSourceStatus GetStatus(short token) => core.GetStatus(token);

    public void OnCompleted(Action<object?> goOn, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        core.OnCompleted(goOn, state, token, flags);
}

// A connection over which nothing comes: reading fails when the socket is closed.
public sealed class Silence : IDisposable
{
    private readonly Socket one = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private readonly Socket other;
    private readonly byte[] buffer = new byte[10];

    public Silence()
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen(1);
        one.Connect(listener.LocalEndPoint!);
        other = listener.Accept();
    }

    public ValueTask<int> Read() => one.ReceiveAsync(buffer.AsMemory());

    public void Close() => one.Dispose();

    public void Dispose() => other.Dispose();
}

// Suspends, and its result is an exception.
public readonly struct FailingTurn : ICriticalNotifyCompletion
{
    public FailingTurn GetAwaiter() => this;

    public bool IsCompleted => false;

    public void OnCompleted(Action goOn) => Pump.PostAfterPiece(goOn);

    public void UnsafeOnCompleted(Action goOn) => Pump.PostAfterPiece(goOn);

    public void GetResult() => throw new InvalidOperationException("awaiter");
}
