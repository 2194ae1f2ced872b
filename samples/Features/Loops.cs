// Every kind of loop, with ways out of it.
namespace Features;

internal static class Loops
{
    public static void Run()
    {
        int sum = 0;
        for (int i = 0; i < 2; i++)
        {
            sum += i;
        }
        while (true)
        {
            if (++sum > 2)
            {
                break;
            }
        }
        do
        {
            sum *= 2;
        }
        while (sum < 6);
        foreach (char letter in "ab")
        {
            if (letter == 'a')
            {
                continue;
            }
            sum += letter;
        }
        Console.WriteLine(sum);
    }
}
