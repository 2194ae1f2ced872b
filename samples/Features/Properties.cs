// Properties: automatic, computed, with a body, static, and half automatic.
namespace Features;

internal static class Properties
{
    private sealed class Box
    {
        private int width = 2;

        public static int Boxes { get; private set; }

        public int Height { get; set; }

        public int Area => width * Height;

        public int Width
        {
            get
            {
                return width;
            }
            set
            {
                width = value;
                Boxes++;
            }
        }

        public string Label
        {
            get;
            set => field = value.Trim();
        }
    }

    public static void Run()
    {
        var box = new Box { Height = 3 };
        box.Width += 4;
        box.Label = " label ";
        Console.WriteLine($"{box.Area} {Box.Boxes} {box.Label}");
    }
}
