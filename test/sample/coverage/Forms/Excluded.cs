// What ExcludeFromCodeCoverage leaves out.
using System;
using System.CodeDom.Compiler;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

namespace Forms;

[ExcludeFromCodeCoverage]
public class ExcludedClass
{
    public int Method()
    {
        return new Nested().Method();
    }

    public class Nested
    {
        public int Method()
        {
            return Enumerable.Range(0, 3).Select(x => x + 1).Sum();
        }
    }
}

public class Excluded
{
    private int before = 1;

    [ExcludeFromCodeCoverage]
    public int Method()
    {
        Func<int, int> lambda = x =>
        {
            return x + before;
        };
        return lambda(1) + Local(2);

        int Local(int x)
        {
            return x;
        }
    }

    public int Between()
    {
        return before++;
    }

    [ExcludeFromCodeCoverage]
    public async Task<int> Asynchronous()
    {
        await Task.Yield();
        return before;
    }

    [ExcludeFromCodeCoverage]
    public IEnumerable<int> Iterator()
    {
        yield return 1;
        yield return before;
    }

    [ExcludeFromCodeCoverage]
    public int Property
    {
        get
        {
            return before;
        }
        set
        {
            before = value;
        }
    }

    public int Half
    {
        [ExcludeFromCodeCoverage]
        get
        {
            return before;
        }
        set
        {
            before = value;
        }
    }

    [ExcludeFromCodeCoverage]
    public Excluded()
    {
        before = 2;
    }

    public Excluded(int n)
    {
        before = n;
    }

    public int WithLocal(int n)
    {
        return Out(n) + In(n);

        [ExcludeFromCodeCoverage]
        int Out(int k)
        {
            Func<int> f = () =>
            {
                return k;
            };
            return f();
        }

        int In(int k)
        {
            return k + 1;
        }
    }

    [CompilerGenerated]
    public int Generated()
    {
        return 1;
    }

    [GeneratedCode("tool", "1")]
    public int ByTool()
    {
        return 2;
    }

    [Obsolete]
    public int Old()
    {
        return 3;
    }
}

[ExcludeFromCodeCoverage]
public struct ExcludedStruct
{
    public int Value;

    public ExcludedStruct(int value)
    {
        Value = value;
    }
}

[ExcludeFromCodeCoverage]
public record ExcludedRecord(int A);
