// Vectors of the machine, and those of geometry.
using System.Numerics;
using System.Runtime.Intrinsics;

namespace Values;

internal static class Vectors
{
    private struct Holder
    {
        public Vector128<int> Wide;
        public Vector3 Direction;
    }

    private static Vector4 last;

    public static void Run()
    {
        Machine();
        Geometry();
    }

    private static void Machine()
    {
        Vector64<short> narrow = Vector64.Create((short)1, 2, 3, 4); Oracle.Local("narrow", narrow);
        Vector128<int> four = Vector128.Create(1, 2, 3, 4); Oracle.Local("four", four);
        four += four; Oracle.Local("four", four);
        four = default; Oracle.Local("four", four);
        Vector256<double> wide = Vector256.Create(1.5); Oracle.Local("wide", wide);
        Vector512<byte> wider = Vector512.Create((byte)7); Oracle.Local("wider", wider);
        Vector<float> any = new(2f); Oracle.Local("any", any);
        Holder holder = default; Oracle.Local("holder", holder);
        holder.Wide = Vector128<int>.One; Oracle.Field("Wide", holder.Wide);
        Vector128<int>[] list = new Vector128<int>[1]; Oracle.Local("list", list);
        list[0] = Vector128.Create(9); Oracle.Item("list[0]", list[0]);
    }

    private static void Geometry()
    {
        Vector2 flat = new(1, 2); Oracle.Local("flat", flat);
        flat.X = 3; Oracle.Field("X", flat.X);
        Vector3 room = Vector3.UnitY; Oracle.Local("room", room);
        room *= 2; Oracle.Local("room", room);
        last = new Vector4(room, 1); Oracle.Field("last", last);
        Quaternion turn = Quaternion.Identity; Oracle.Local("turn", turn);
        Complex root = Complex.ImaginaryOne; Oracle.Local("root", root);
        Matrix3x2 matrix = Matrix3x2.CreateScale(2); Oracle.Local("matrix", matrix);
    }
}
