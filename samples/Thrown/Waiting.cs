namespace Thrown;

public static class Waiting
{
    public static async Task All(int rounds)
    {
        for (int i = 0; i < rounds; i++)
        {
            await CatchEarly();
            await CatchLate(i);
        }
    }

    private static async Task Early(bool fails)
    {
        if (fails)
        {
            throw new EarlyException();
        }
        await Task.Yield();
    }

    private static async Task CatchEarly()
    {
        try
        {
            await Early(true);
        }
        catch (EarlyException)
        {
        }
    }

    private static async Task Late(int number)
    {
        await Task.Yield();
        throw new LateException(number);
    }

    private static async Task Between(int number)
    {
        await Late(number);
    }

    private static async Task CatchLate(int number)
    {
        try
        {
            await Between(number);
        }
        catch (LateException)
        {
        }
    }
}
