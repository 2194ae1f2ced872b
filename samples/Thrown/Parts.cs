using System.Reflection;
using System.Runtime.CompilerServices;

namespace Thrown;

public static class Parts
{
    private static readonly MethodInfo Target = typeof(Parts).GetMethod(nameof(Invoked));

    public static void All(int rounds)
    {
        for (int i = 0; i < rounds; i++)
        {
            Direct(i);
            Again();
            Filtered();
            Swallowed();
            Replaced();
            Nested();
            Library();
            OfRuntime(null, 0);
            Reflected();
        }
        Places.Note("Thrown.DirectException", "Thrown.Parts.Throw", "Thrown.Parts.Direct", rounds);
        Places.Note("Thrown.AgainException", "Thrown.Parts.ThrowAgain", "Thrown.Parts.CatchAndThrow", rounds);
        Places.Note("Thrown.AgainException", "Thrown.Parts.CatchAndThrow", "Thrown.Parts.Again", rounds);
        Places.Note("Thrown.FilteredException", "Thrown.Parts.PassFilters", "Thrown.Parts.Filtered", rounds);
        Places.Note("Thrown.FilteredException", "Thrown.Parts.Swallowed", "Thrown.Parts.Swallowed", rounds);
        Places.Note("Thrown.SwallowedException", "Thrown.Parts.ThrowingFilter", "", rounds);
        Places.Note("Thrown.ReplacedException", "Thrown.Parts.Replace", "", rounds);
        Places.Note("Thrown.ReplacingException", "Thrown.Parts.Replace", "Thrown.Parts.Replaced", rounds);
        Places.Note("Thrown.InnerException<System.String>", "Thrown.Parts.CatchInside", "Thrown.Parts.CatchInside", rounds);
        Places.Note("Thrown.OuterException", "Thrown.Parts.GoOn", "Thrown.Parts.Nested", rounds);
        Places.Note("System.FormatException", "below Thrown.Parts.Library", "Thrown.Parts.Library", rounds);
        Places.Note("System.NullReferenceException", "Thrown.Parts.Read", "Thrown.Parts.OfRuntime", rounds);
        Places.Note("System.DivideByZeroException", "Thrown.Parts.Divide", "Thrown.Parts.OfRuntime", rounds);
        Places.Note("System.IndexOutOfRangeException", "Thrown.Parts.Take", "Thrown.Parts.OfRuntime", rounds);
        Places.Note("System.Reflection.TargetInvocationException", "below Thrown.Parts.Reflected", "Thrown.Parts.Reflected", rounds);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Throw(int i) => throw new DirectException("message " + i % 3);

    private static void Direct(int i)
    {
        try
        {
            Throw(i);
        }
        catch (DirectException)
        {
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void ThrowAgain() => throw new AgainException();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CatchAndThrow()
    {
        try
        {
            ThrowAgain();
        }
        catch (AgainException)
        {
            throw;
        }
    }

    private static void Again()
    {
        try
        {
            CatchAndThrow();
        }
        catch (AgainException)
        {
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool No() => false;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void PassFilters()
    {
        try
        {
            throw new FilteredException();
        }
        catch (FilteredException) when (No())
        {
        }
    }

    private static void Filtered()
    {
        try
        {
            PassFilters();
        }
        catch (FilteredException) when (!No())
        {
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool ThrowingFilter() => throw new SwallowedException();

    private static void Swallowed()
    {
        try
        {
            try
            {
                throw new FilteredException();
            }
            catch (FilteredException) when (ThrowingFilter())
            {
            }
        }
        catch (FilteredException)
        {
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Replace()
    {
        try
        {
            throw new ReplacedException();
        }
        finally
        {
            throw new ReplacingException();
        }
    }

    private static void Replaced()
    {
        try
        {
            Replace();
        }
        catch (Exception exception) when (exception is ReplacedException or ReplacingException)
        {
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CatchInside()
    {
        try
        {
            throw new InnerException<string>();
        }
        catch (InnerException<string>)
        {
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void GoOn()
    {
        try
        {
            throw new OuterException();
        }
        finally
        {
            CatchInside();
        }
    }

    private static void Nested()
    {
        try
        {
            GoOn();
        }
        catch (OuterException)
        {
        }
    }

    private static void Library()
    {
        try
        {
            _ = int.Parse("no number");
        }
        catch (FormatException)
        {
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Read(string text) => text.Length;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Divide(int by) => 1 / by;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Take(int[] items) => items[1];

    private static void OfRuntime(string text, int zero)
    {
        try
        {
            _ = Read(text);
        }
        catch (NullReferenceException)
        {
        }
        try
        {
            _ = Divide(zero);
        }
        catch (DivideByZeroException)
        {
        }
        try
        {
            _ = Take(new int[1]);
        }
        catch (IndexOutOfRangeException)
        {
        }
    }

    public static void Invoked() => throw new InvokedException();

    private static void Reflected()
    {
        try
        {
            Target.Invoke(null, null);
        }
        catch (TargetInvocationException)
        {
        }
    }
}
