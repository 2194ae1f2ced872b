// Exits by exception in every shape: thrown through, caught, rethrown, filtered, replaced in finally, nested, from the
// processor, from constructors, through framework frames. Nothing here that an exception leaves ends with a call: an optimising
// JIT may leave such a method before the call.
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;

namespace Exact;

internal static class Exceptions
{
    private static string log = "";

    public static void Run()
    {
        Count.Hit("Exact.Exceptions.Run()");
        Count.Add("Exact.Exceptions..cctor()", 1);
        Through();
        Rethrows();
        Filters();
        Finallys();
        Catches();
        Recursion();
        Faults();
        Constructors();
        Framework();
        Loops();
        Tasks();
        Console.WriteLine(log);
    }

    private static void Say(string word)
    {
        Count.Hit("Exact.Exceptions.Say(string)");
        log += word + " ";
    }

    private static void Throw(string what)
    {
        Count.Hit("Exact.Exceptions.Throw(string)");
        Count.Thrown("Exact.Exceptions.Throw(string)");
        throw new InvalidOperationException(what);
    }

    private static int One(string what)
    {
        Count.Hit("Exact.Exceptions.One(string)");
        Count.Thrown("Exact.Exceptions.One(string)");
        Throw(what);
        return 1;
    }

    private static int Two(string what)
    {
        Count.Hit("Exact.Exceptions.Two(string)");
        Count.Thrown("Exact.Exceptions.Two(string)");
        return 1 + One(what);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Three(string what)
    {
        Count.Hit("Exact.Exceptions.Three(string)");
        Count.Thrown("Exact.Exceptions.Three(string)");
        return 1 + Two(what);
    }

    private static int CaughtInside(int n)
    {
        Count.Hit("Exact.Exceptions.CaughtInside(int)");
        try
        {
            if (n > 0)
            {
                throw new ArgumentException("inside");
            }
            return 0;
        }
        catch (ArgumentException problem)
        {
            Say(problem.Message);
            return n;
        }
    }

    private static void Through()
    {
        Count.Hit("Exact.Exceptions.Through()");
        for (int i = 0; i < 3; i++)
        {
            try
            {
                Three("through");
            }
            catch (InvalidOperationException problem)
            {
                Say(problem.Message);
            }
        }
        CaughtInside(0);
        CaughtInside(1);
    }

    private static void Rethrow(bool same)
    {
        Count.Hit("Exact.Exceptions.Rethrow(bool)");
        Count.Thrown("Exact.Exceptions.Rethrow(bool)");
        try
        {
            Throw("rethrow");
        }
        catch (InvalidOperationException problem)
        {
            Say("again");
            if (same)
            {
                throw;
            }
            throw new ArgumentException("wrapped", problem);
        }
    }

    private static void RethrowTwice()
    {
        Count.Hit("Exact.Exceptions.RethrowTwice()");
        Count.Thrown("Exact.Exceptions.RethrowTwice()");
        try
        {
            Rethrow(true);
        }
        catch
        {
            Say("twice");
            throw;
        }
    }

    private static void Captured()
    {
        Count.Hit("Exact.Exceptions.Captured()");
        Count.Thrown("Exact.Exceptions.Captured()");
        ExceptionDispatchInfo captured = null;
        try
        {
            Throw("captured");
        }
        catch (Exception problem)
        {
            captured = ExceptionDispatchInfo.Capture(problem);
        }
        captured.Throw();
        Say("never");
    }

    private static void Rethrows()
    {
        Count.Hit("Exact.Exceptions.Rethrows()");
        try
        {
            RethrowTwice();
        }
        catch (InvalidOperationException problem)
        {
            Say(problem.Message);
        }
        try
        {
            Rethrow(false);
        }
        catch (ArgumentException problem)
        {
            Say(problem.InnerException.Message);
        }
        try
        {
            Captured();
        }
        catch (InvalidOperationException problem)
        {
            Say(problem.Message);
        }
    }

    private static bool Accepts(bool answer)
    {
        Count.Hit("Exact.Exceptions.Accepts(bool)");
        Say(answer ? "yes" : "no");
        return answer;
    }

    private static bool FilterThrows()
    {
        Count.Hit("Exact.Exceptions.FilterThrows()");
        Count.Thrown("Exact.Exceptions.FilterThrows()");
        Throw("in filter");
        return true;
    }

    // A filter that throws and catches inside itself.
    private static bool FilterCatches()
    {
        Count.Hit("Exact.Exceptions.FilterCatches()");
        try
        {
            Two("caught in filter");
            return false;
        }
        catch (InvalidOperationException)
        {
            return Accepts(true);
        }
    }

    private static void Refused()
    {
        Count.Hit("Exact.Exceptions.Refused()");
        Count.Thrown("Exact.Exceptions.Refused()");
        try
        {
            Two("filtered");
        }
        catch (InvalidOperationException) when (Accepts(false))
        {
            Say("never");
        }
    }

    private static void Broken()
    {
        Count.Hit("Exact.Exceptions.Broken()");
        Count.Thrown("Exact.Exceptions.Broken()");
        try
        {
            One("broken filter");
        }
        catch (InvalidOperationException) when (FilterThrows())
        {
            Say("never");
        }
        finally
        {
            Say("finally");
        }
    }

    private static void Filters()
    {
        Count.Hit("Exact.Exceptions.Filters()");
        try
        {
            Refused();
        }
        catch (InvalidOperationException problem) when (Accepts(problem.Message == "filtered"))
        {
            Say(problem.Message);
        }
        try
        {
            Broken();
        }
        catch (InvalidOperationException problem) when (FilterCatches())
        {
            Say(problem.Message);
        }
        try
        {
            Three("two filters");
        }
        catch (InvalidOperationException) when (Accepts(false))
        {
            Say("never");
        }
        catch (Exception) when (Accepts(true))
        {
            Say("second");
        }
    }

    private static void Cleanup(string what)
    {
        Count.Hit("Exact.Exceptions.Cleanup(string)");
        Say(what);
    }

    private static void WithFinally()
    {
        Count.Hit("Exact.Exceptions.WithFinally()");
        Count.Thrown("Exact.Exceptions.WithFinally()");
        try
        {
            try
            {
                Two("finally");
            }
            finally
            {
                Cleanup("inner");
            }
        }
        finally
        {
            Cleanup("outer");
        }
    }

    private static void FinallyThrows()
    {
        Count.Hit("Exact.Exceptions.FinallyThrows()");
        Count.Thrown("Exact.Exceptions.FinallyThrows()");
        try
        {
            Throw("first");
        }
        finally
        {
            One("replaced");
        }
    }

    private static void FinallyCatches()
    {
        Count.Hit("Exact.Exceptions.FinallyCatches()");
        Count.Thrown("Exact.Exceptions.FinallyCatches()");
        try
        {
            Throw("kept");
        }
        finally
        {
            try
            {
                Two("inside finally");
            }
            catch (InvalidOperationException problem)
            {
                Say(problem.Message);
            }
        }
    }

    private static int LeavesTry()
    {
        Count.Hit("Exact.Exceptions.LeavesTry()");
        for (int i = 0; ; i++)
        {
            try
            {
                if (i < 3)
                {
                    continue;
                }
                return i;
            }
            finally
            {
                Cleanup("leave");
            }
        }
    }

    private static void Finallys()
    {
        Count.Hit("Exact.Exceptions.Finallys()");
        Catch(WithFinally);
        Catch(FinallyThrows);
        Catch(FinallyCatches);
        LeavesTry();
    }

    private static void Catch(Action action)
    {
        Count.Hit("Exact.Exceptions.Catch(Action)");
        try
        {
            action();
        }
        catch (Exception problem)
        {
            Say(problem.Message);
        }
    }

    private static void CatchThrows()
    {
        Count.Hit("Exact.Exceptions.CatchThrows()");
        Count.Thrown("Exact.Exceptions.CatchThrows()");
        try
        {
            Two("first");
        }
        catch (InvalidOperationException)
        {
            Three("from catch");
        }
    }

    private static void CatchInCatch()
    {
        Count.Hit("Exact.Exceptions.CatchInCatch()");
        try
        {
            Two("outer");
        }
        catch (InvalidOperationException outer)
        {
            try
            {
                One("inner");
            }
            catch (InvalidOperationException inner)
            {
                Say(outer.Message + inner.Message);
            }
            finally
            {
                Cleanup("after");
            }
        }
    }

    private static void Catches()
    {
        Count.Hit("Exact.Exceptions.Catches()");
        Catch(CatchThrows);
        Catch(CatchInCatch);
        lock (log)
        {
            Catch(Locked);
        }
    }

    private static void Locked()
    {
        Count.Hit("Exact.Exceptions.Locked()");
        Count.Thrown("Exact.Exceptions.Locked()");
        lock (typeof(Exceptions))
        {
            Throw("locked");
        }
    }

    private static int Descend(int depth, int catchAt)
    {
        Count.Hit("Exact.Exceptions.Descend(int, int)");
        if (depth == 0)
        {
            Count.Thrown("Exact.Exceptions.Descend(int, int)");
            Throw("bottom");
        }
        if (depth == catchAt)
        {
            try
            {
                return Descend(depth - 1, catchAt);
            }
            catch (InvalidOperationException)
            {
                return depth;
            }
        }
        // Everything below the activation that catches is left by the exception.
        if (depth < catchAt)
        {
            Count.Thrown("Exact.Exceptions.Descend(int, int)");
        }
        return 1 + Descend(depth - 1, catchAt);
    }

    private static void Recursion()
    {
        Count.Hit("Exact.Exceptions.Recursion()");
        Say(Descend(60, 20).ToString());
        Say(Descend(60, 60).ToString());
        Say(Descend(60, 1).ToString());
    }

    private sealed class Node
    {
        public Node Next = null;
        public int Value = 0;
    }

    private static int Null(Node node)
    {
        Count.Hit("Exact.Exceptions.Null(Exceptions.Node)");
        Count.Thrown("Exact.Exceptions.Null(Exceptions.Node)");
        return node.Next.Value;
    }

    private static int Divide(int a, int b)
    {
        Count.Hit("Exact.Exceptions.Divide(int, int)");
        if (b == 0)
        {
            Count.Thrown("Exact.Exceptions.Divide(int, int)");
        }
        return a / b;
    }

    private static int Index(int[] numbers, int at)
    {
        Count.Hit("Exact.Exceptions.Index(int[], int)");
        if (at >= numbers.Length)
        {
            Count.Thrown("Exact.Exceptions.Index(int[], int)");
        }
        return numbers[at];
    }

    private static string Cast(object thing)
    {
        Count.Hit("Exact.Exceptions.Cast(object)");
        if (thing is not string)
        {
            Count.Thrown("Exact.Exceptions.Cast(object)");
        }
        return (string)thing;
    }

    private static int Overflow(int n)
    {
        Count.Hit("Exact.Exceptions.Overflow(int)");
        Count.Thrown("Exact.Exceptions.Overflow(int)");
        return checked(n + int.MaxValue);
    }

    // Faults of the processor and of the runtime's checks.
    private static void Faults()
    {
        Count.Hit("Exact.Exceptions.Faults()");
        Count.Add("Exact.Exceptions.Node..ctor()", 1);
        var node = new Node();
        int right = Divide(6, 3) + Index([1, 2], 1) + Cast("abc").Length;
        for (int i = 0; i < 5; i++)
        {
            try
            {
                right += i switch
                {
                    0 => Null(node),
                    1 => Divide(1, right - right),
                    2 => Index([1, 2], 2),
                    3 => Cast(node).Length,
                    _ => Overflow(right),
                };
            }
            catch (Exception problem)
            {
                Say(problem.GetType().Name);
            }
        }
    }

    private class Fragile
    {
        public int Strength;

        public Fragile(bool fails)
        {
            Count.Hit("Exact.Exceptions.Fragile..ctor(bool)");
            if (fails)
            {
                Count.Thrown("Exact.Exceptions.Fragile..ctor(bool)");
                Throw("constructor");
            }
            Strength = 1;
        }
    }

    private sealed class Derived : Fragile
    {
        public Derived(bool fails) : base(fails)
        {
            Count.Hit("Exact.Exceptions.Derived..ctor(bool)");
            Strength++;
        }
    }

    private sealed class Poisoned
    {
        public static readonly int Value;

        static Poisoned()
        {
            Count.Hit("Exact.Exceptions.Poisoned..cctor()");
            Count.Thrown("Exact.Exceptions.Poisoned..cctor()");
            Throw("static constructor");
            Value = 1;
        }
    }

    private static int TouchPoisoned()
    {
        Count.Hit("Exact.Exceptions.TouchPoisoned()");
        Count.Thrown("Exact.Exceptions.TouchPoisoned()");
        return Poisoned.Value;
    }

    private static void Constructors()
    {
        Count.Hit("Exact.Exceptions.Constructors()");
        _ = new Derived(false);
        try
        {
            // The base's exception leaves Derived's constructor before its first statement.
            Count.Add("Exact.Exceptions.Derived..ctor(bool)", 1);
            Count.Thrown("Exact.Exceptions.Derived..ctor(bool)");
            _ = new Derived(true);
        }
        catch (InvalidOperationException problem)
        {
            Say(problem.Message);
        }
        for (int i = 0; i < 2; i++)
        {
            try
            {
                TouchPoisoned();
            }
            catch (TypeInitializationException problem)
            {
                Say(problem.InnerException.Message);
            }
        }
    }

    private sealed class BadComparer : IComparer<int>
    {
        public int Compare(int a, int b)
        {
            Count.Hit("Exact.Exceptions.BadComparer.Compare(int, int)");
            Count.Thrown("Exact.Exceptions.BadComparer.Compare(int, int)");
            throw new NotSupportedException("compare");
        }
    }

    // Framework frames between thrower and catcher.
    private static void Framework()
    {
        Count.Hit("Exact.Exceptions.Framework()");
        Count.Add("Exact.Exceptions.BadComparer..ctor()", 1);
        try
        {
            Array.Sort([3, 2, 1], new BadComparer());
        }
        catch (InvalidOperationException problem)
        {
            Say(problem.InnerException.Message);
        }
        try
        {
            typeof(Exceptions).GetMethod(nameof(One), BindingFlags.NonPublic | BindingFlags.Static).Invoke(null, ["reflected"]);
        }
        catch (TargetInvocationException problem)
        {
            Say(problem.InnerException.Message);
        }
        try
        {
            new List<int> { 1, 2, 3 }.ForEach(n =>
            {
                Count.Hit("Exact.Exceptions.Framework.lambda#1(int)");
                if (n == 2)
                {
                    Count.Thrown("Exact.Exceptions.Framework.lambda#1(int)");
                    Two("each");
                }
            });
        }
        catch (InvalidOperationException problem)
        {
            Say(problem.Message);
        }
        var lazy = new Lazy<int>(() =>
        {
            Count.Hit("Exact.Exceptions.Framework.lambda#2()");
            Count.Thrown("Exact.Exceptions.Framework.lambda#2()");
            return 1 + One("lazy");
        });
        for (int i = 0; i < 2; i++)
        {
            try
            {
                Say(lazy.Value.ToString());
            }
            catch (InvalidOperationException problem)
            {
                Say(problem.Message);
            }
        }
    }

    // Small enough to be inlined once hot.
    private static int Small(int n)
    {
        Count.Hit("Exact.Exceptions.Small(int)");
        if ((n & 15) == 0)
        {
            Count.Thrown("Exact.Exceptions.Small(int)");
        }
        return 1 + Smaller(n);
    }

    private static int Smaller(int n)
    {
        Count.Hit("Exact.Exceptions.Smaller(int)");
        if ((n & 15) == 0)
        {
            Count.Thrown("Exact.Exceptions.Smaller(int)");
            throw new FormatException();
        }
        return n;
    }

    private static void Loops()
    {
        Count.Hit("Exact.Exceptions.Loops()");
        int caught = 0;
        long sum = 0;
        for (int i = 0; i < 20_000; i++)
        {
            try
            {
                sum += Small(i);
            }
            catch (FormatException)
            {
                caught++;
            }
        }
        Say($"{caught}/{sum}");
    }

    private static void Tasks()
    {
        Count.Hit("Exact.Exceptions.Tasks()");
        Task[] tasks = new Task[8];
        for (int i = 0; i < tasks.Length; i++)
        {
            tasks[i] = Task.Run(() =>
            {
                Count.Hit("Exact.Exceptions.Tasks.lambda#1()");
                Count.Thrown("Exact.Exceptions.Tasks.lambda#1()");
                Two("task");
            });
        }
        try
        {
            Task.WaitAll(tasks);
        }
        catch (AggregateException problem)
        {
            Say(problem.InnerExceptions.Count.ToString());
        }
    }
}
