// A class that Early needs, in an assembly that may be missing.
namespace Companion;

public class Base
{
    public static int Answer() => 3;
}
