// Records: copied with changes, compared, taken apart.
namespace Features;

internal static class Records
{
    private record Person(string Name, int Age);

    private readonly record struct Size(int Width, int Height);

    public static void Run()
    {
        var ann = new Person("Ann", 30);
        Person older = ann with { Age = 31 };
        bool equal = older == ann;
        (string name, int age) = older;
        Size size = new Size(1, 2) with { Height = 5 };
        Console.WriteLine($"{name} {age} {equal} {size.Height}");
    }
}
