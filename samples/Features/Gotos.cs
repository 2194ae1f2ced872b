// Jumps: to labels, to cases, out of loops.
namespace Features;

internal static class Gotos
{
    public static void Run()
    {
        int number = 0;
    again:
        number += 3;
        switch (number)
        {
            case 3:
                goto case 6;
            case 6:
                number++;
                goto again;
            case 7:
                break;
            default:
                number = -number;
                break;
        }
        Console.WriteLine(number);
    }
}
