// Structs that hold references and never leave the stack.
namespace Features;

internal static class RefStructs
{
    private ref struct Writer
    {
        private readonly Span<char> target;
        private ref int count;

        public Writer(Span<char> target, ref int count)
        {
            this.target = target;
            this.count = ref count;
        }

        public void Write(char letter)
        {
            target[count] = letter;
            count++;
        }
    }

    public static void Run()
    {
        int count = 0;
        Span<char> buffer = stackalloc char[4];
        var writer = new Writer(buffer, ref count);
        writer.Write('o');
        writer.Write('k');
        string text = new(buffer[..count]);
        Console.WriteLine(text);
    }
}
