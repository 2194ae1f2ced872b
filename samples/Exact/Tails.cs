#if DEBUG && ORACLE
#define LEFT
#endif
// Methods that call themselves last. In Release, clew ends their activation before the call, so that the JIT can make a loop of
// it. If it makes none, the frame stays, and an exception passes it too. So the counts of exceptions differ: in Debug an
// exception leaves each activation, in Release only the newest. A caught exception must not end the activation that catches it.
using System.Diagnostics;

namespace Exact;

internal static class Tails
{
    private static string log = "";

    public static void Run()
    {
        Count.Hit("Exact.Tails.Run()");
        Count.Add("Exact.Tails..cctor()", 1);
        for (int i = 0; i < 200; i++) // long enough to be compiled again
        {
            log = "";
            Nested(3);
            Through(3);
            Lazily(3);
            Chosen(3);
            Awaited(3);
            Finally(3);
            Sorted(4, true);
        }
        Console.WriteLine(log);
    }

    private static void Say(string word)
    {
        Count.Hit("Exact.Tails.Say(string)");
        log += word + " ";
    }

    // Before a method calls itself last while an exception will come out of the call.
    [Conditional("LEFT")]
    private static void Left(string method) => Count.Thrown(method);

    private static void Throw(string what)
    {
        Count.Hit("Exact.Tails.Throw(string)");
        Count.Thrown("Exact.Tails.Throw(string)");
        throw new InvalidOperationException(what);
    }

    // Calls itself, and throws at the bottom.
    private static void Down(int steps, string what)
    {
        Count.Hit("Exact.Tails.Down(int, string)");
        if (steps == 0)
        {
            Count.Thrown("Exact.Tails.Down(int, string)");
            Throw(what);
            return;
        }
        Left("Exact.Tails.Down(int, string)");
        Down(steps - 1, what);
    }

    // Catches in an older activation of the very method that steps down: 1 tries, and has 0 called from inside.
    private static void Walk(int tries, int steps)
    {
        Count.Hit("Exact.Tails.Walk(int, int)");
        if (tries > 0)
        {
            try
            {
                Walk(tries - 1, steps);
                Say("went well");
            }
            catch (InvalidOperationException problem)
            {
                Say(problem.Message);
            }
            Say("on");
            return;
        }
        if (steps == 0)
        {
            Count.Thrown("Exact.Tails.Walk(int, int)");
            Throw("walked");
            return;
        }
        Left("Exact.Tails.Walk(int, int)");
        Walk(tries, steps - 1);
    }

    private static void Nested(int steps)
    {
        Count.Hit("Exact.Tails.Nested(int)");
        Walk(1, steps);
        Walk(3, steps);
        Say("nested");
    }

    // The frames of two rows of calls, with others between them, and the older row stays.
    private static int Twice(int steps, bool outer)
    {
        Count.Hit("Exact.Tails.Twice(int, bool)");
        if (steps > 0)
        {
            if (!outer)
            {
                Left("Exact.Tails.Twice(int, bool)");
            }
            return Twice(steps - 1, outer);
        }
        if (outer)
        {
            int caught = Guarded();
            Say("twice");
            return caught;
        }
        Count.Thrown("Exact.Tails.Twice(int, bool)");
        Down(2, "down");
        return 0;
    }

    private static int Guarded()
    {
        Count.Hit("Exact.Tails.Guarded()");
        try
        {
            return 1 + Twice(3, false);
        }
        catch (InvalidOperationException problem)
        {
            Say(problem.Message);
            return 0;
        }
    }

    private static void Through(int steps)
    {
        Count.Hit("Exact.Tails.Through(int)");
        Say($"{Twice(steps, true)}");
    }

    // The framework catches, which is not recorded.
    private static string Lazy(int steps, bool throws)
    {
        Count.Hit("Exact.Tails.Lazy(int, bool)");
        if (steps > 0)
        {
            if (throws)
            {
                Left("Exact.Tails.Lazy(int, bool)");
            }
            return Lazy(steps - 1, throws);
        }
        if (throws)
        {
            Count.Thrown("Exact.Tails.Lazy(int, bool)");
            Throw("lazy");
        }
        Task<string> task = Task.FromResult(0).ContinueWith(Later, TaskContinuationOptions.ExecuteSynchronously);
        string caught = task.Exception.InnerException.Message;
        Say(caught);
        return caught;
    }

    private static string Later(Task<int> before)
    {
        Count.Hit("Exact.Tails.Later(Task<int>)");
        Count.Thrown("Exact.Tails.Later(Task<int>)");
        return "" + Lazy(3, true);
    }

    private static void Lazily(int steps)
    {
        Count.Hit("Exact.Tails.Lazily(int)");
        Say(Lazy(steps, false));
    }

    // The delegate is the method itself: nothing of the program lies between its activations.
    private static int Choose(Task<int> before)
    {
        Count.Hit("Exact.Tails.Choose(Task<int>)");
        int step = before.Result;
        if (step == 0)
        {
            Count.Thrown("Exact.Tails.Choose(Task<int>)");
            Throw("chosen");
        }
        if (step == 5)
        {
            Task<int> task = Task.FromResult(3).ContinueWith(Choose, TaskContinuationOptions.ExecuteSynchronously);
            Say(task.Exception.InnerException.Message);
            Say("chose");
            return step;
        }
        if (step < 4)
        {
            Left("Exact.Tails.Choose(Task<int>)");
        }
        return Choose(Task.FromResult(step == 9 ? 5 : step - 1));
    }

    private static void Chosen(int steps)
    {
        Count.Hit("Exact.Tails.Chosen(int)");
        Say($"{Choose(Task.FromResult(9))} {steps}");
    }

    private static async Task<int> Slow(int steps)
    {
        Count.Hit("Exact.Tails.Slow(int)");
        Count.Hit("Exact.Tails.Slow(int) (async)");
        await Task.CompletedTask;
        Down(steps, "slow");
        return 1;
    }

    // An asynchronous method stores the exception in its task.
    private static bool Await(int steps, bool first)
    {
        Count.Hit("Exact.Tails.Await(int, bool)");
        if (first)
        {
            return Await(steps, false);
        }
        Task<int> task = Slow(steps);
        bool failed = task.IsFaulted;
        Say(failed ? "failed" : "done");
        return failed;
    }

    private static void Awaited(int steps)
    {
        Count.Hit("Exact.Tails.Awaited(int)");
        Say($"{Await(steps, true)}");
    }

    // While an exception passes, a finally has another one thrown and caught.
    private static void Clean(int depth)
    {
        Count.Hit("Exact.Tails.Clean(int)");
        Count.Thrown("Exact.Tails.Clean(int)");
        try
        {
            Down(depth, "cleaned");
        }
        finally
        {
            Walk(1, depth);
            Say("clean");
        }
    }

    private static void Finally(int steps)
    {
        Count.Hit("Exact.Tails.Finally(int)");
        try
        {
            Clean(steps);
            Say("never");
        }
        catch (InvalidOperationException problem) when (Walks(problem))
        {
            Say(problem.Message);
        }
    }

    private static bool Walks(Exception problem)
    {
        Count.Hit("Exact.Tails.Walks(Exception)");
        Walk(1, 2);
        return problem != null;
    }

    // Calls itself in the middle and last, as sorts do; the exception comes out of the middle.
    private static void Sorted(int n, bool catches)
    {
        Count.Hit("Exact.Tails.Sorted(int, bool)");
        if (catches)
        {
            try
            {
                Sorted(n, false);
                Say("never");
            }
            catch (InvalidOperationException problem)
            {
                Say(problem.Message);
            }
            return;
        }
        if (n == 0)
        {
            Count.Thrown("Exact.Tails.Sorted(int, bool)");
            Throw("sorted");
            return;
        }
        if (n % 2 == 0)
        {
            Count.Thrown("Exact.Tails.Sorted(int, bool)");
            Sorted(n - 1, false);
            Say("never");
            return;
        }
        Left("Exact.Tails.Sorted(int, bool)");
        Sorted(n - 1, false);
    }
}
