// Sources in each encoding that the compiler reads.
namespace Features;

internal static class Encodings
{
    public static void Run()
    {
        EncodingPlain.Run();
        EncodingUtf8.Run();
        EncodingUtf16.Run();
        EncodingUtf16Big.Run();
        EncodingWindows.Run();
    }
}
