// Throws an object that is no exception, in code that does not wrap such objects: its filter receives the object itself. The
// C# compiler cannot emit such code, so it is generated at run time.
using System;
using System.Reflection;
using System.Reflection.Emit;

internal static class Wrapped
{
    // Throws its first argument, and calls the second one with the object that the filter receives and the first argument.
    private delegate void Throw(object thrown, Action<object, object> filter);

    private static readonly Throw ThrowRaw = Make();

    private static Throw Make()
    {
        TypeBuilder type = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("Raw"), AssemblyBuilderAccess.Run)
            .DefineDynamicModule("Raw").DefineType("Raw", TypeAttributes.Public);
        MethodBuilder method = type.DefineMethod(nameof(Throw), MethodAttributes.Public | MethodAttributes.Static, null,
            [typeof(object), typeof(Action<object, object>)]);
        ILGenerator code = method.GetILGenerator();
        LocalBuilder given = code.DeclareLocal(typeof(object));
        code.BeginExceptionBlock();
        code.Emit(OpCodes.Ldarg_0);
        code.Emit(OpCodes.Throw);
        code.BeginExceptFilterBlock();
        code.Emit(OpCodes.Stloc, given);
        code.Emit(OpCodes.Ldarg_1);
        code.Emit(OpCodes.Ldloc, given);
        code.Emit(OpCodes.Ldarg_0);
        code.Emit(OpCodes.Callvirt, typeof(Action<object, object>).GetMethod("Invoke")!);
        code.Emit(OpCodes.Ldc_I4_1);
        code.BeginCatchBlock(null!);
        code.Emit(OpCodes.Pop);
        code.EndExceptionBlock();
        code.Emit(OpCodes.Ret);
        return type.CreateType().GetMethod(nameof(Throw))!.CreateDelegate<Throw>();
    }

    public static int Round(int n, Action<object, object> filter)
    {
        Box thrown = new(n);
        ThrowRaw(thrown, filter);
        return thrown.Value;
    }
}
