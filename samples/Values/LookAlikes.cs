// A collection that is not the core library's, although its name and the start of its assembly's name say so: nothing but its own
// code says what an item is.
extern alias fake;

namespace Values;

internal static class LookAlikes
{
    public static void Run()
    {
        var list = new fake::System.Collections.Generic.List<int>(); Oracle.Local("list", list);
        long added = list.Add(5); Oracle.Local("added", added);
        list[0] = 6;
        int first = list[0]; Oracle.Local("first", first);
    }
}
