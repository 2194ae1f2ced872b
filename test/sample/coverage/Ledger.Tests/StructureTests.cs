// The data structures, against simpler ones.
using LedgerSample;

public class StructureTests
{
    [Theory]
    [InlineData(1, 10)]
    [InlineData(2, 200)]
    [InlineData(3, 500)]
    public void AMapIsLikeASortedDictionary(int seed, int count)
    {
        var random = new Numbers(seed);
        var map = new Map<int, string>();
        var expected = new SortedDictionary<int, string>();
        for (int i = 0; i < count; i++)
        {
            int key = random.Next(count);
            map[key] = expected[key] = $"{key} {i}";
            if (random.Next(3) == 0)
            {
                int removed = random.Next(count);
                Assert.Equal(expected.Remove(removed), map.Remove(removed));
            }
        }
        Assert.Equal(expected.Count, map.Count);
        Assert.Equal(expected.Select(entry => (entry.Key, entry.Value)), map.Entries());
        Assert.Equal(expected.Where(entry => entry.Key >= 3 && entry.Key < 7).Select(entry => entry.Value),
                     map.Between(3, 7).Select(entry => entry.Value));
        Assert.True(map.Height() <= 2 * Math.Log2(map.Count + 1) + 1);
        foreach (int key in expected.Keys)
        {
            Assert.Equal(expected[key], map[key]);
            Assert.True(map.Remove(key));
        }
        Assert.Equal(0, map.Count);
        Assert.False(map.Remove(1));
        Assert.Throws<LedgerException>(() => map[1]);
    }

    [Fact]
    public void AHeapGivesTheLeastFirst()
    {
        var random = new Numbers(5);
        var heap = new Heap<(int Key, int Order)>((left, right) => left.Key - right.Key);
        var expected = new List<(int Key, int Order)>();
        for (int i = 0; i < 100; i++)
        {
            expected.Add((random.Next(20), i));
            heap.Push(expected[i]);
        }
        var found = new List<(int, int)>();
        while (heap.Count > 0)
        {
            found.Add(heap.Pop());
        }
        Assert.Equal(expected.OrderBy(item => item.Key).ThenBy(item => item.Order), found);
        Assert.Throws<LedgerException>(() => heap.Pop());
    }

    [Fact]
    public void SumsOfParts()
    {
        var sums = new Sums(10);
        for (int i = 0; i < 10; i++)
        {
            sums.Add(i, i + 0.5m);
        }
        sums.Add(3, 100);
        Assert.Equal(10, sums.Count);
        Assert.Equal(0, sums.Before(0));
        Assert.Equal(150, sums.Before(10));
        Assert.Equal(2.5m + 103.5m, sums.Between(2, 4));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(9)]
    [InlineData(100)]
    public void SortingKeepsTheOrderOfEquals(int count)
    {
        var random = new Numbers(count + 1);
        List<(int Key, int Order)> items = Enumerable.Range(0, count).Select(i => (random.Next(10), i)).ToList();
        List<(int Key, int Order)> expected = items.OrderBy(item => item.Key).ToList();
        Sorting.Sort(items, (left, right) => left.Key.CompareTo(right.Key));
        Assert.Equal(expected, items);
    }

    [Fact]
    public void SelectingFindsWhatSortingWould()
    {
        var random = new Numbers(9);
        List<int> numbers = Enumerable.Range(0, 50).Select(_ => random.Next(30)).ToList();
        List<int> sorted = numbers.OrderBy(n => n).ToList();
        for (int place = 0; place < 50; place++)
        {
            Assert.Equal(sorted[place], Sorting.Select(numbers, place));
        }
    }

    [Fact]
    public void RecentEntriesStay()
    {
        var recent = new Recent<string, int>(2);
        recent.Add("a", 1);
        recent.Add("b", 2);
        Assert.True(recent.TryGet("a", out int value));
        recent.Add("c", 3);
        recent.Add("c", 4);
        Assert.Equal(1, value);
        Assert.False(recent.TryGet("b", out _));
        Assert.True(recent.TryGet("c", out value));
        Assert.Equal(4, value);
        Assert.Equal(2, recent.Count);
        recent.Clear();
        Assert.Equal(0, recent.Count);
    }

    [Theory]
    [InlineData("", "", 0)]
    [InlineData("abc", "", 3)]
    [InlineData("kitten", "sitting", 3)]
    [InlineData("ab", "ba", 1)]
    public void Distances(string left, string right, int expected)
    {
        Assert.Equal(expected, Suggestions.Distance(left, right));
        Assert.Equal(expected, Suggestions.Distance(right, left));
    }

    [Fact]
    public void NothingIsSuggestedThatIsFarAway()
    {
        Assert.Null(Suggestions.For("xyz", new[] { "Expenses", "Income" }));
        Assert.Equal("Income", Suggestions.For("Incme", new[] { "Expenses", "Income" }));
    }

    // The same numbers on every runtime.
    private sealed class Numbers(int seed)
    {
        private uint state = (uint)seed * 2654435761;

        public int Next(int below)
        {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            return (int)(state % (uint)below);
        }
    }
}
