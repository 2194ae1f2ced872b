// Types that samples/Values uses from another assembly.
public class Elsewhere
{
    public static (string Key, int Count) Last;
    public (int Low, int High) Range;

    public struct Part
    {
        public (int From, int To) Span;
    }
}
