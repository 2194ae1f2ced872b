namespace Survive;

internal static class Memory
{
    // Arrays of 1 MiB, each page of them written; 0: until there is no more.
    public static void Hold(int mebibytes)
    {
        var held = new List<byte[]>();
        while (mebibytes == 0 || held.Count < mebibytes)
        {
            held.Add(new byte[1 << 20]);
            Array.Fill(held[^1], (byte)1);
            Program.Quiet(100);
        }
        Console.WriteLine($"memory: {held.Count}");
    }
}
