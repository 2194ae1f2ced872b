// Bytes that grow, and the few ways in which PDF writes things as text.
namespace DocumentSample;

internal sealed class ByteBuffer
{
    private byte[] bytes = new byte[256];

    public int Length { get; private set; }

    public ByteBuffer Append(byte value)
    {
        Reserve(1);
        bytes[Length++] = value;
        return this;
    }

    public ByteBuffer Append(byte[] values)
    {
        Reserve(values.Length);
        Array.Copy(values, 0, bytes, Length, values.Length);
        Length += values.Length;
        return this;
    }

    // Characters below 256, one byte each.
    public ByteBuffer Append(string text)
    {
        Reserve(text.Length);
        foreach (char c in text)
        {
            bytes[Length++] = c < 256 ? (byte)c : throw new ArgumentException($"no byte: {c}");
        }
        return this;
    }

    public ByteBuffer Append(int value)
    {
        if (value < 0)
        {
            Append((byte)'-');
            return AppendDigits((uint)-(long)value);
        }
        return AppendDigits((uint)value);
    }

    // At most three digits after the point, without trailing zeros.
    public ByteBuffer Append(double value)
    {
        long thousandths = (long)Math.Round(value * 1000);
        if (thousandths < 0)
        {
            Append((byte)'-');
            thousandths = -thousandths;
        }
        AppendDigits((uint)(thousandths / 1000));
        int rest = (int)(thousandths % 1000);
        if (rest != 0)
        {
            Append((byte)'.');
            for (int place = 100; rest != 0; place /= 10)
            {
                Append((byte)('0' + rest / place));
                rest %= place;
            }
        }
        return this;
    }

    public byte[] ToArray()
    {
        var copy = new byte[Length];
        Array.Copy(bytes, copy, Length);
        return copy;
    }

    private ByteBuffer AppendDigits(uint value)
    {
        if (value >= 10)
        {
            AppendDigits(value / 10);
        }
        return Append((byte)('0' + value % 10));
    }

    private void Reserve(int count)
    {
        if (Length + count > bytes.Length)
        {
            Array.Resize(ref bytes, Math.Max(bytes.Length * 2, Length + count));
        }
    }
}
