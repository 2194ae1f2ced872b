// Lambdas, local functions, generic methods and types, methods of structs, and synchronous methods between async ones.
using Outside;

namespace Logical;

internal static class Functions
{
    private const int Times = 50;

    public static async Task Lambdas()
    {
        Frame frame = Oracle.EnterAsync();
        int captured = 0;
        Func<int, Task<int>> plain = async n =>
        {
            Frame own = Oracle.EnterAsync("Lambdas.lambda#1");
            await Pump.Turn(); own.Ran();
            own.End();
            return n;
        };
        Func<Task> capturing = async () =>
        {
            Frame own = Oracle.EnterAsync("Lambdas.lambda#2");
            captured += await plain(1); own.Ran();
            own.End();
        };

        async Task<int> Local(int n)
        {
            Frame own = Oracle.EnterAsync("Local");
            await capturing(); own.Ran();
            own.End();
            return n + captured;
        }

        static async Task Fixed()
        {
            Frame own = Oracle.EnterAsync("Fixed");
            await Pump.Turn(); own.Ran();
            own.End();
        }

        for (int i = 0; i < Times; i++)
        {
            await InMethod(i); frame.Ran();
            await plain(i); frame.Ran();
            await capturing(); frame.Ran();
            await Local(i); frame.Ran();
            await Fixed(); frame.Ran();
        }
        frame.End();
    }

    // A synchronous method with an async lambda and an async local function.
    private static Task InMethod(int n)
    {
        Frame frame = Oracle.Enter();
        Func<Task> lambda = async () =>
        {
            Frame own = Oracle.EnterAsync("InMethod.lambda#1");
            await Pump.Turn(); own.Ran();
            await Inner(); own.Ran();
            own.End();
        };

        async Task Inner()
        {
            Frame own = Oracle.EnterAsync("Inner");
            await Pump.Turn(); own.Ran();
            n++;
            own.End();
        }

        Task task = n % 2 == 0 ? lambda() : Inner();
        frame.End();
        return task;
    }

    private sealed class Box<T>(T value)
    {
        public async Task<T> Open()
        {
            Frame frame = Oracle.EnterAsync();
            await Pump.Turn(); frame.Ran();
            frame.End();
            return value;
        }

        public async Task<(T, TOther)> Pair<TOther>(TOther other)
        {
            Frame frame = Oracle.EnterAsync();
            T opened = await Open(); frame.Ran();
            frame.End();
            return (opened, other);
        }
    }

    private struct Point(int x)
    {
        private int x = x;

        public async Task<int> Move(int by)
        {
            Frame frame = Oracle.EnterAsync();
            x += by; // of the copy that the activation has
            await Pump.Turn(); frame.Ran();
            frame.End();
            return x;
        }
    }

    private static async Task<T> Same<T>(T value)
    {
        Frame frame = Oracle.EnterAsync();
        await Pump.Turn(); frame.Ran();
        frame.End();
        return value;
    }

    public static async Task Generics()
    {
        Frame frame = Oracle.EnterAsync();
        for (int i = 0; i < Times; i++)
        {
            await Same(i); frame.Ran();
            await Same("text"); frame.Ran();
            await Same(new Point(i)); frame.Ran();
            await new Box<int>(i).Open(); frame.Ran();
            await new Box<string>("text").Pair(i); frame.Ran();
            await new Box<Point>(default).Pair("text"); frame.Ran();
            await new Point(i).Move(1); frame.Ran();
        }
        frame.End();
    }

    private static int Step(int n)
    {
        Frame frame = Oracle.Enter();
        int left = n > 0 ? Step(n - 1) : 1;
        frame.End();
        return left;
    }

    public static async Task Between()
    {
        Frame frame = Oracle.EnterAsync();
        for (int i = 0; i < Times; i++)
        {
            await Bounded(2); frame.Ran();
            Step(3);
            await Bounded(i % 3); frame.Ran();
        }
        frame.End();
    }

    // Returns the task of another method.
    private static Task Bounded(int n)
    {
        Frame frame = Oracle.Enter();
        Task task = Chain(n);
        frame.End();
        return task;
    }

    private static async Task Chain(int n)
    {
        Frame frame = Oracle.EnterAsync();
        Step(1);
        await Pump.Turn(); frame.Ran();
        Step(2);
        if (n > 0)
        {
            await Bounded(n - 1); frame.Ran();
        }
        Step(0);
        frame.End();
    }
}
