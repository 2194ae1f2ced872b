// Lines that `#line` renumbers, and hidden lines.
namespace Features;

internal static class Directives
{
    public static void Run()
    {
        int number = 1;
#line 1000
        number += 2;
#line hidden
        number += 4;
#line 2000 "Elsewhere.txt"
        number += 8;
#line default
        Console.WriteLine(number);
    }
}
