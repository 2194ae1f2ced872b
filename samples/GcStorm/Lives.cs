// Lifetimes of exceptions: weak references and finalizers must see each die where it does without a profiler.
using System;
using System.Collections.Generic;
using System.Linq.Expressions;
using System.Runtime.CompilerServices;
using System.Threading;

internal static class Lives
{
    private sealed class Mortal(string name) : Exception(name)
    {
        public static int Finalized;

        ~Mortal() => Interlocked.Increment(ref Finalized);
    }

    private static readonly List<WeakReference> Seen = [];

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Throw(string name)
    {
        Mortal mortal = new(name);
        Seen.Add(new WeakReference(mortal));
        throw mortal;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static string Alive()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();
        return string.Concat(Seen.ConvertAll(reference => reference.IsAlive ? "+" : "-"));
    }

    private static bool Tell(string where)
    {
        Console.WriteLine($"  {where}: {Alive()}");
        return true;
    }

    private static bool ThrowInFilter(string name)
    {
        Throw(name);
        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Caught()
    {
        try
        {
            Throw("caught");
        }
        catch (Mortal)
        {
            Tell("in the handler");
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Filtered()
    {
        try
        {
            Throw("filtered");
        }
        catch (Mortal) when (Tell("in the filter"))
        {
            Tell("in the handler");
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Rethrown()
    {
        try
        {
            try
            {
                Throw("rethrown");
            }
            catch (Mortal)
            {
                throw;
            }
        }
        catch (Mortal)
        {
            Tell("in the outer handler");
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Replaced()
    {
        try
        {
            try
            {
                Throw("gone");
            }
            finally
            {
                Throw("instead");
            }
        }
        catch (Mortal) when (Tell("in the filter"))
        {
            Tell("in the handler");
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void ReplacedInHandler()
    {
        try
        {
            try
            {
                Throw("first");
            }
            catch (Mortal)
            {
                Throw("second");
            }
        }
        catch (Mortal)
        {
            Tell("in the handler");
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Swallow(string name)
    {
        try
        {
            Throw(name);
        }
        catch (Mortal)
        {
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CaughtInFinally()
    {
        try
        {
            try
            {
                Throw("passing");
            }
            finally
            {
                Swallow("inner");
                Tell("in the finally");
            }
        }
        catch (Mortal) when (Tell("in the filter"))
        {
            Tell("in the handler");
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CaughtInHandler()
    {
        try
        {
            Throw("outer");
        }
        catch (Mortal)
        {
            Swallow("inner");
            Tell("in the handler");
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void ThrownByFilters()
    {
        try
        {
            try
            {
                Throw("outer");
            }
            catch (Mortal) when (ThrowInFilter("first"))
            {
            }
            catch (Mortal) when (ThrowInFilter("second"))
            {
            }
        }
        catch (Mortal)
        {
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CaughtByDynamicCode() =>
        Expression.Lambda<Action>(Expression.TryCatch(Expression.Invoke((Expression<Action>)(() => Throw("lambda"))),
            Expression.Catch(typeof(Mortal), Expression.Empty()))).Compile()();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void OnAThread()
    {
        Thread thread = new(() =>
        {
            Swallow("thread");
            Replaced();
        });
        thread.Start();
        thread.Join();
    }

    // Handlers inside handlers, deeper than an agent may want to remember.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Nested(int depth)
    {
        try
        {
            Throw("nested");
        }
        catch (Mortal)
        {
            if (depth > 1)
            {
                Nested(depth - 1);
            }
        }
    }

    private static void Try(string name, Action scenario)
    {
        Console.WriteLine(name);
        scenario();
        Tell("after");
        Seen.Clear();
    }

    public static void Run()
    {
        Try("caught", Caught);
        Try("filtered", Filtered);
        Try("rethrown", Rethrown);
        Try("replaced by a finally", Replaced);
        Try("replaced by a handler", ReplacedInHandler);
        Try("caught in a finally", CaughtInFinally);
        Try("caught in a handler", CaughtInHandler);
        Try("thrown by filters", ThrownByFilters);
        Try("caught by dynamic code", CaughtByDynamicCode);
        Try("on a thread", OnAThread);
        Try("nested", () => Nested(40));
        Try("nested deeply", () =>
        {
            Thread thread = new(() => Nested(300), 16 << 20);
            thread.Start();
            thread.Join();
        });
        Console.WriteLine($"{Mortal.Finalized} finalized");
    }
}
