// What Early needs, from an assembly that may not be there.
namespace Companion;

public class Base
{
    public static int Answer() => 3;
}
