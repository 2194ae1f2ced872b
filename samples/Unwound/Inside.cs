// The recorded methods. None is in last position in its caller, which would end the caller before the call.
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Unwound.Inside;

internal sealed class Target
{
    public static int Done;

    public Target()
    {
        Paths.Enter("Target..ctor()");
        Paths.Leave();
    }

    public int Fail(int n)
    {
        Paths.Enter("Target.Fail(int)");
        throw new InvalidOperationException($"{n}");
    }

    public int Next(int n)
    {
        Paths.Enter("Target.Next(int)");
        Paths.Leave();
        return n + 1;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int Small(int n)
    {
        Paths.Enter("Target.Small(int)");
        if ((n & 3) == 0)
        {
            throw new FormatException();
        }
        Paths.Leave();
        return n + 1;
    }

    public static int Deep(int n)
    {
        Paths.Enter("Target.Deep(int)");
        if (n == 0)
        {
            throw new InvalidOperationException("deep");
        }
        int below = Deep(n - 1);
        Paths.Leave();
        return below + 1;
    }

    public static int Finally(int n)
    {
        Paths.Enter("Target.Finally(int)");
        try
        {
            return Deep(n) + 1;
        }
        finally
        {
            Paths.Back("Target.Finally(int)");
            Done++;
        }
    }

    public static int FinallyThrows(int n)
    {
        Paths.Enter("Target.FinallyThrows(int)");
        try
        {
            return Deep(n) + 1;
        }
        finally
        {
            Paths.Back("Target.FinallyThrows(int)");
            Done += Deep(n);
        }
    }

    public static int FinallyCatches(int n)
    {
        Paths.Enter("Target.FinallyCatches(int)");
        try
        {
            return Deep(n) + 1;
        }
        finally
        {
            Paths.Back("Target.FinallyCatches(int)");
            try
            {
                Done += Deep(n);
            }
            catch (InvalidOperationException)
            {
                Paths.Back("Target.FinallyCatches(int)");
                Done++;
            }
        }
    }

    // An exception that leaves into native code while another one passes this frame.
    public static int FinallyReflects(Target target)
    {
        Paths.Enter("Target.FinallyReflects(Target)");
        try
        {
            return Deep(2) + 1;
        }
        finally
        {
            Paths.Back("Target.FinallyReflects(Target)");
            try
            {
                Call(target, nameof(Fail), 1);
            }
            catch (TargetInvocationException)
            {
                Paths.Back("Target.FinallyReflects(Target)");
                Done++;
            }
        }
    }

    public static int CatchesThenFails(Target target)
    {
        Paths.Enter("Target.CatchesThenFails(Target)");
        try
        {
            try
            {
                Done += Deep(2);
            }
            finally
            {
                Paths.Back("Target.CatchesThenFails(Target)");
                Done += Deep(1);
            }
        }
        catch (InvalidOperationException)
        {
            Paths.Back("Target.CatchesThenFails(Target)");
        }
        int next = target.Next(1);
        throw new InvalidOperationException($"{next}");
    }

    public static int Filtered(int n)
    {
        Paths.Enter("Target.Filtered(int)");
        try
        {
            return Deep(n) + 1;
        }
        catch (InvalidOperationException) when (n > 100)
        {
            return 0;
        }
    }

    public static int Rethrown(int n)
    {
        Paths.Enter("Target.Rethrown(int)");
        try
        {
            return Deep(n) + 1;
        }
        catch (InvalidOperationException)
        {
            Paths.Back("Target.Rethrown(int)");
            Done++;
            throw;
        }
    }

    // A catch handler that catches exceptions itself, and ends by another one.
    public static int CatchFails(Target target)
    {
        Paths.Enter("Target.CatchFails(Target)");
        try
        {
            return Deep(2) + 1;
        }
        catch (InvalidOperationException)
        {
            Paths.Back("Target.CatchFails(Target)");
            for (int i = 0; i < 2; i++)
            {
                try
                {
                    Call(target, nameof(Rethrown), 1);
                }
                catch (TargetInvocationException)
                {
                    Paths.Back("Target.CatchFails(Target)");
                    Done += target.Next(i);
                }
            }
            return Deep(1) + 1;
        }
    }

    public static int Wrapped(Target target)
    {
        Paths.Enter("Target.Wrapped(Target)");
        try
        {
            return (int)Call(target, nameof(Fail), 1) + 1;
        }
        catch (TargetInvocationException problem)
        {
            Paths.Back("Target.Wrapped(Target)");
            throw new InvalidOperationException("wrapped", problem);
        }
        finally
        {
            Paths.Back("Target.Wrapped(Target)");
            Done += target.Next(1);
        }
    }

    // The compiler's Dispose runs the finally, from a fault handler.
    public static IEnumerable<int> Numbers(int n)
    {
        Paths.Enter("Target.Numbers(int) (iterator)");
        try
        {
            yield return Deep(n);
        }
        finally
        {
            Paths.Back("Target.Numbers(int) (iterator)");
            Done++;
        }
    }

    // Reflection in reflection: the exception leaves two runs of native frames.
    public static int Twice(Target target)
    {
        Paths.Enter("Target.Twice(Target)");
        object result = Call(target, nameof(Fail), 1);
        Paths.Leave();
        return (int)result;
    }

    private static object Call(Target target, string method, int argument)
    {
        Paths.Enter("Target.Call(Target, string, int)");
        object result = typeof(Target).GetMethod(method).Invoke(target, [argument]);
        Paths.Leave();
        return result;
    }

    public static void Start()
    {
        Paths.Enter("Target.Start()");
        try
        {
            Done += Deep(1);
        }
        catch (InvalidOperationException)
        {
            Paths.Back("Target.Start()");
        }
        Paths.Leave();
    }

    // A callback of native code that catches what it calls by reflection.
    [UnmanagedCallersOnly]
    public static unsafe int Compare(int* a, int* b)
    {
        Paths.Enter("Target.Compare(int*, int*)");
        try
        {
            Call(new Target(), nameof(Fail), 1);
        }
        catch (TargetInvocationException)
        {
            Paths.Back("Target.Compare(int*, int*)");
        }
        Paths.Leave();
        return *a - *b;
    }

    public static Assembly Resolve(object sender, ResolveEventArgs wanted)
    {
        Paths.Enter("Target.Resolve(object, ResolveEventArgs)");
        throw new InvalidOperationException("resolve");
    }

    public static int Touch()
    {
        Paths.Enter("Target.Touch()");
        int value = Poisoned.Value;
        Paths.Leave();
        return value;
    }
}

internal sealed class Made
{
    public readonly int Value;

    public Made()
    {
        Paths.Enter("Made..ctor()");
        Value = Target.Deep(2);
        Paths.Leave();
    }

    public Made(int n)
    {
        Paths.Enter("Made..ctor(int)");
        throw new InvalidOperationException($"made {n}");
    }
}

[AttributeUsage(AttributeTargets.Class)]
internal sealed class FailingAttribute : Attribute
{
    public FailingAttribute()
    {
        Paths.Enter("FailingAttribute..ctor()");
        throw new InvalidOperationException("attribute");
    }

    public FailingAttribute(int n)
    {
        Paths.Enter("FailingAttribute..ctor(int)");
        Target.Done += n;
        Paths.Leave();
    }

    public int Number
    {
        get => 0;
        set
        {
            Paths.Enter("FailingAttribute.Number.set(int)");
            throw new InvalidOperationException("property");
        }
    }
}

internal static class Poisoned
{
    public static readonly int Value;

    static Poisoned()
    {
        Paths.Enter("Poisoned..cctor()");
        Value = Target.Deep(1);
        Paths.Leave();
    }
}

internal static class Toxic<T>
{
    public static readonly int Value;

    static Toxic()
    {
        Paths.Enter("Toxic<T>..cctor()");
        Value = typeof(T).IsPublic ? throw new InvalidOperationException($"{typeof(T)}") : 1;
    }
}

internal sealed class Dying
{
    public Dying()
    {
        Paths.Enter("Dying..ctor()");
        Paths.Leave();
    }

    ~Dying()
    {
        Paths.Enter("Dying.Finalize()");
        try
        {
            Target.Done += Target.Deep(2);
        }
        catch (InvalidOperationException)
        {
            Paths.Back("Dying.Finalize()");
        }
        Paths.Leave();
    }
}
