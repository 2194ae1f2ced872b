// Streams, so that async methods of the framework call those of the program.
namespace Outside;

public abstract class Pipe : Stream
{
    public override bool CanRead => true;
    public override bool CanSeek => false;
    public override bool CanWrite => true;
    public override long Length => 0;
    public override long Position { get; set; }

    public override void Flush()
    {
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
}

// Some blocks, each of which has to be waited for, outside of the program.
public sealed class Blocks : Pipe
{
    private int left = 5;

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken token = default)
    {
        await Pump.Turn();
        return left-- > 0 ? 10 : 0;
    }
}
