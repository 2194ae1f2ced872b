// Methods that run in pieces: their code is in state machines, their lines are here.
using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Forms;

public static class Asynchronous
{
    public static async Task<int> Sum(int count)
    {
        int sum = 0;
        for (int i = 0; i < count; i++)
        {
            await Task.Yield();
            sum += i;
        }
        return sum;
    }

    public static async Task<string> Caught(bool fails)
    {
        try
        {
            await Task.Delay(1);
            if (fails)
            {
                throw new InvalidOperationException("late");
            }
            return "fine";
        }
        catch (InvalidOperationException e) when (e.Message.Length == 4)
        {
            await Task.Yield();
            return "caught";
        }
        finally
        {
            await Task.Yield();
        }
    }

    public static async Task Rethrown()
    {
        try
        {
            await Task.Yield();
            throw new InvalidOperationException();
        }
        catch
        {
            await Task.Yield();
            throw;
        }
    }

    public static async ValueTask Never()
    {
        await Task.Yield();
        Console.WriteLine("never");
    }

    public static IEnumerable<int> Odd(int below)
    {
        for (int i = 1; i < below; i += 2)
        {
            yield return i;
        }
        if (below > 100)
        {
            yield break;
        }
    }

    public static IEnumerable<int> NeverEnumerated()
    {
        yield return 1;
        yield return 2;
    }

    public static async IAsyncEnumerable<int> Slowly(int count)
    {
        for (int i = 0; i < count; i++)
        {
            await Task.Yield();
            yield return i;
        }
    }

    public static async Task<int> Using()
    {
        await using var resource = new Resource();
        int sum = 0;
        await foreach (int i in Slowly(3))
        {
            sum += i;
        }
        return sum;
    }

    public static async Task<int> InLambda()
    {
        Func<int, Task<int>> twice = async x =>
        {
            await Task.Yield();
            return 2 * x;
        };
        return await twice(2)
            + await twice(3);
    }

    private sealed class Resource : IAsyncDisposable
    {
        public async ValueTask DisposeAsync()
        {
            await Task.Yield();
        }
    }
}
