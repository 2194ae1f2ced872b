// Objects of every kind, each with a number of its own. Some live long, most die at once, while all kinds of collections run:
// `Journey ROUNDS`. `Look` receives each object with its number, so a recording of `Look` shows whether clew ever took one
// object for another. `Journey sizes` makes one object of each kind, and prints the bytes that the heap gave it.
// `Journey total` prints the bytes of all objects that it has made.
using System.Runtime.CompilerServices;

internal sealed class Item(int id)
{
    public readonly int Id = id;
}

internal static class Program
{
    private const int Kept = 400, Looks = 60, Dropped = 150;
    private static readonly object[] kept = new object[Kept];
    private static readonly object frozen = "a literal";
    private static int newest;
    private static volatile bool done;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Look(object thing, int id)
    {
    }

    private static int IdOf(object thing) => thing switch
    {
        Item item => item.Id,
        string text => ReferenceEquals(text, frozen) ? 0 : int.Parse(text),
        long[] numbers => (int)numbers[0],
        int number => number,
        Func<int> made => made(),
        _ => throw new InvalidOperationException(),
    };

    private static object Make(Random random)
    {
        int id = Interlocked.Increment(ref newest);
        switch (random.Next(40))
        {
            case 0:
                return Numbered(new long[12_000], id); // large
            case 1:
            case 2:
                return Numbered(GC.AllocateArray<long>(40, pinned: true), id);
            case < 10:
                return id.ToString("D8");
            case < 15:
                return id;
            case < 20:
                return new Func<int>(() => id);
            case < 25:
                return Numbered(new long[1 + random.Next(30)], id);
            default:
                return new Item(id);
        }
    }

    private static object Numbered(long[] array, int id)
    {
        array[0] = id;
        return array;
    }

    private static void Work(int seed, int rounds)
    {
        var random = new Random(seed);
        for (int round = 0; round < rounds; round++)
        {
            for (int i = 0; i < Dropped; i++)
            {
                object made = Make(random);
                Look(made, IdOf(made));
                if (i % 10 == 0)
                {
                    kept[random.Next(Kept)] = made;
                }
            }
            for (int i = 0; i < Looks; i++)
            {
                object thing = kept[i < 10 ? i : random.Next(Kept)];
                Look(thing, IdOf(thing));
            }
            Look(frozen, 0);
            Collect(random);
        }
    }

    private static void Collect(Random random)
    {
        int what = random.Next(12);
        switch (what)
        {
            case < 3:
                GC.Collect(what, GCCollectionMode.Forced, blocking: true, compacting: true);
                break;
            case < 6:
                GC.Collect(what - 3, GCCollectionMode.Forced, blocking: true);
                break;
            case 6:
                GC.Collect(2, GCCollectionMode.Forced, blocking: false); // in the background, where that is allowed
                break;
            case 7:
                GC.Collect(2, GCCollectionMode.Aggressive, blocking: true, compacting: true);
                break;
        }
    }

    // Leaves holes of all sizes.
    private static void Stir()
    {
        var random = new Random(99);
        var held = new object[2000];
        while (!done)
        {
            for (int i = 0; i < 500; i++)
            {
                held[random.Next(held.Length)] = new byte[random.Next(300)];
            }
            held[random.Next(held.Length)] = new byte[random.Next(200_000)];
            if (random.Next(20) == 0)
            {
                GC.Collect(random.Next(3), GCCollectionMode.Forced, blocking: random.Next(2) == 0);
            }
        }
    }

    // The heap grows until a full collection happens by itself, in the background if that is allowed, while large and pinned
    // objects come and go.
    private static void Grow(int rounds)
    {
        var random = new Random(7);
        var held = new List<byte[]>();
        for (int step = 0; step < 100 * rounds; step++)
        {
            for (int i = 0; i < 50; i++)
            {
                held.Add(new byte[1000]);
            }
            if (held.Count == 100_000)
            {
                held = [];
            }
            object made = Numbered(step % 50 == 0 ? new long[12_000] : GC.AllocateArray<long>(40, pinned: true), ++newest);
            Look(made, newest);
            kept[random.Next(20)] = made;
            for (int i = 0; i < 4; i++)
            {
                object thing = kept[random.Next(20)];
                if (thing != null)
                {
                    Look(thing, IdOf(thing));
                }
            }
        }
    }

    // Nearly all objects are made by the framework. Returns 0.
    private static long Split(int rounds)
    {
        string text = string.Join(',', Enumerable.Range(0, 2000));
        long parts = 0;
        for (int i = 0; i < rounds; i++)
        {
            parts += text.Split(',').Length;
        }
        return parts - 2000 * rounds;
    }

    private static int Main(string[] arguments)
    {
        if (arguments[0] == "sizes")
        {
            Sizes.Run();
            return 0;
        }
        if (arguments[0] == "total")
        {
            Console.WriteLine(Split(500) + GC.GetTotalAllocatedBytes(true));
            return 0;
        }
        if (arguments[0] == "grow")
        {
            Grow(int.Parse(arguments[1]));
            Console.WriteLine("journey: success");
            return 0;
        }
        int rounds = int.Parse(arguments[0]);
        var first = new Random(1);
        for (int i = 0; i < Kept; i++)
        {
            kept[i] = Make(first);
        }
        var stirring = new Thread(Stir);
        var other = new Thread(() => Work(3, rounds));
        stirring.Start();
        other.Start();
        Work(2, rounds);
        other.Join();
        done = true;
        stirring.Join();
        Console.WriteLine("journey: success");
        return 0;
    }
}
