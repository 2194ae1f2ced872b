// Static fields and when they get their first values.
namespace Features;

internal static class Statics
{
    private static class Early
    {
        public static readonly int Number = Next();
        public static string Text;

        static Early()
        {
            Text = "static " + Number;
        }

        private static int Next()
        {
            return ++order;
        }
    }

    private static int order = 10;

    [ThreadStatic] private static int own;

    public static void Run()
    {
        order++;
        string text = Early.Text;
        own += order;
        Console.WriteLine($"{text} {own}");
    }
}
