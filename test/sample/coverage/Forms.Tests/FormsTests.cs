using System;
using System.Linq;
using System.Threading.Tasks;

namespace Forms.Tests;

public class FormsTests
{
    [Fact]
    public async Task Asynchronous_methods()
    {
        Assert.Equal(3, await Asynchronous.Sum(3));
        Assert.Equal("caught", await Asynchronous.Caught(true));
        Assert.Equal("fine", await Asynchronous.Caught(false));
        await Assert.ThrowsAsync<InvalidOperationException>(Asynchronous.Rethrown);
        Assert.Equal(new[] { 1, 3, 5 }, Asynchronous.Odd(6));
        Assert.NotNull(Asynchronous.NeverEnumerated());
        Assert.Equal(3, await Asynchronous.Using());
        Assert.Equal(10, await Asynchronous.InLambda());
    }

    [Fact]
    public void Functions_within_functions()
    {
        Assert.Equal(60, Functions.Lambdas(10));
        Assert.Equal(3, Functions.NeverWithin());
        Assert.Equal(29, Functions.Local(4));
        Assert.Equal("a-none", Functions.Long("a", ""));
        Assert.Equal(new[] { 6, 4 }, Functions.Query(new[] { 1, 2, 3 }));
        Assert.Equal(2, Functions.Initialiser().Count);
    }

    [Fact]
    public void Types_with_generated_members()
    {
        var point = new Point(1, 2);
        Assert.Equal(3, (point with { X = 1 }).Sum);
        Assert.Equal("1,2", point.ToString());
        Assert.True(new Size(1, 2) == new Size(1, 2));
        Assert.Equal("d", new Derived(1, 2, "d").Name);
        var properties = new Properties { Auto = 3, Init = "x" };
        Assert.Equal(8, properties.Auto + properties.ReadOnly);
        properties.Full = 4;
        Assert.Throws<ArgumentOutOfRangeException>(() => properties.Full = -1);
        Assert.Equal(5, properties[1]);
        properties.Own += (_, _) => properties.Auto++;
        properties.Raise();
        Assert.Equal(42, Static.Other);
        Assert.Equal(3, new Several().Sum());
        Assert.Equal(5, new Several("four").Sum());
        Assert.Equal(4, new Primary(1, 2).Sum());
        Assert.Equal(3, new Partial().First());
        new Partial().Calls();
        var generic = new Generic<int>();
        generic.Set(3);
        Assert.Equal("3", generic.Map(x => x.ToString()));
        var text = new Generic<string>();
        text.Set("t");
        Assert.Equal("t", text.Get());
        Assert.Equal(5, ((IDefault)new Implements()).Default());
        Assert.Equal(3m, new Money(1) + new Money(2));
    }

    [Fact]
    public void Flow_of_control()
    {
        Assert.Equal("large", Flow.Switch(11));
        Assert.Equal("x", Flow.Switch("x"));
        Assert.Equal("other", Flow.Switch(1.5));
        Assert.Equal("one", Flow.Expression(Kind.One, 0));
        Assert.Equal("two", Flow.Expression(Kind.Two, 1));
        Assert.Throws<ArgumentException>(() => Flow.Expression(Kind.Three, 1));
        Assert.Equal(5, Flow.Nested(5));
        Assert.Equal(2, Flow.Nested("b"));
        Assert.Equal(313, Flow.Loops(10));
        Assert.Equal(11, Flow.Try(1));
        Assert.Equal(13, Flow.Try(2));
        Assert.Equal(1113, Flow.Try(3));
        Assert.Throws<InvalidOperationException>(() => Flow.AfterFail(0));
        Assert.Equal(1, Flow.AfterFail(1));
        Assert.Throws<InvalidOperationException>(Flow.OnlyFails);
        Assert.Equal(2, Flow.Lock(new object()));
        Assert.Equal(0, Flow.Goto(3));
        Assert.Null(Flow.Nulls(null, null));
        Assert.Equal(3, Flow.Fixed(new[] { 1, 2 }));
        Assert.Equal(7, Flow.Endless(3));
        Assert.True(Flow.Const());
        Flow.Returned()(3);
    }

    [Fact]
    public async Task Excluded_code()
    {
        Assert.Equal(6, new ExcludedClass().Method());
        var excluded = new Excluded();
        Assert.Equal(5, excluded.Method());
        Assert.Equal(2, excluded.Between());
        Assert.Equal(3, await excluded.Asynchronous());
        Assert.Equal(2, excluded.Iterator().Count());
        excluded.Property = 4;
        Assert.Equal(4, excluded.Property + excluded.Half - 4);
        excluded.Half = 5;
        Assert.Equal(5, new Excluded(1).WithLocal(2));
        Assert.Equal(3, excluded.Generated() + excluded.ByTool());
        Assert.Equal(1, new ExcludedRecord(1).A + new ExcludedStruct(0).Value);
    }
}
