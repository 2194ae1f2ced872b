// Loaded and unloaded by Exact's part `loading`. Its symbols are embedded, so that it has them from memory too.
namespace Plugin;

public static class Worker
{
    public static int Work(int count)
    {
        int sum = 0;
        for (int i = 0; i < count; i++)
        {
            sum += Step(i);
        }
        return sum;
    }

    private static int Step(int n)
    {
        return n * n;
    }
}
