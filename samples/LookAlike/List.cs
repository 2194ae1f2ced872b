// A class that has the name of a collection of the core library, in an assembly whose name begins like the framework's, but other
// fields: where the real one has the reference to its items, this one has a number.
namespace System.Collections.Generic;

public sealed class List<T>
{
    private readonly long first = 1;
    private T last;

    public T this[int index]
    {
        get => last;
        set => last = value;
    }

    public long Add(T item)
    {
        last = item;
        return first;
    }
}
