// Every kind of compiler-generated method of C#, in few lines.
using Shop;

int Twice(int x) => x * 2;

await Task.Delay(1);
var numbers = new List<int> { 1, 2, 3 };
var named = new { Name = "sum", Sum = numbers.Select(x => Twice(x)).Sum() };
Console.WriteLine(named);

namespace Shop
{
    interface IStock
    {
        int Count { get; set; }
        void Fill();
    }

    interface IStock<T>
    {
        event Action Changed;
        T Get(T item);
    }

    record Point(int X, int Y);

    class Cart<TItem> : IStock, IStock<List<string>>, IEnumerable<TItem> where TItem : class
    {
        static Cart() => Console.Write("");

        public Cart(int count, string name)
        {
            Func<int> twice = () => count * 2;
            Console.Write(twice() + name);
        }

        ~Cart() => Console.Write("");

        int IStock.Count { get => 1; set { } }

        void IStock.Fill()
        {
            Action write = () => Console.Write(this);
            write();
        }

        List<string> IStock<List<string>>.Get(List<string> item) => item;
        event Action IStock<List<string>>.Changed { add { } remove { } }

        public event Action Emptied;
        public int Total { get; init; }
        public int this[int index, string key] { get => index; set => Emptied?.Invoke(); }
        public int Lazy => new Func<int>(() => 3)();

        public async Task<int> AddAsync(int count)
        {
            await Task.Yield();
            return count;
        }

        public async Task<int> AddAsync(string name)
        {
            Func<Task> print = async () =>
            {
                await Task.Yield();
                Console.Write(name);
            };
            await print();
            return 1;
        }

        public IEnumerable<T> Items<T>(T[] items) where T : struct
        {
            foreach (var item in items)
            {
                try
                {
                    yield return item;
                }
                finally
                {
                    Console.Write("");
                }
            }
        }

        public async IAsyncEnumerable<(int, string)> Stream(int count)
        {
            for (int i = 0; i < count; i++)
            {
                await Task.Yield();
                yield return (i, "");
            }
        }

        IEnumerator<TItem> IEnumerable<TItem>.GetEnumerator()
        {
            yield return null;
        }

        System.Collections.IEnumerator System.Collections.IEnumerable.GetEnumerator() => null;

        public unsafe void Shapes(ref int a, out string b, in DateTime c, int? d, (int x, string y) e, int[][,] f, int* g,
            delegate*<int, string> h, Dictionary<string, List<int[]>[]>.Enumerator i, ref readonly int j,
            params decimal[] k) => b = "";

        public void Wide((int, int, int, int, int, int, int, int, string) tuple, nint native, dynamic anything,
            List<(TItem, int?[])[]> items) { }

        public T Map<T, U>(T first, U second)
        {
            Func<T> keep = () => first;
            Func<U, int> hide = value => Fixed(3);
            Func<int, int> nest = static number =>
            {
                Func<int> inner = () => number;
                return inner();
            };

            void Outer()
            {
                void Inner() => Console.Write(second);
                Inner();
            }

            V Own<V>(V value)
            {
                T copy = first;
                return copy is null ? default : value;
            }

            async Task Later()
            {
                await Task.Yield();
                Console.Write(first);
            }

            IEnumerable<int> Numbers()
            {
                yield return 1;
            }

            static int Fixed(int number) => number;
            Outer();
            Later().Wait();
            Console.Write(keep() is null ? hide(second) : nest(Numbers().First()));
            return Own(first);
        }

        public int Sum(int seed)
        {
            int total = seed;
            void Add(int number) => total += number;
            Add(1);
            return total;
        }

        public static Cart<TItem> operator +(Cart<TItem> left, Cart<TItem> right) => left;

        public class Shelf<TPlace>
        {
            public object Put<T>(TItem item, TPlace place, T other, Shelf<T> next) => new { item, place };
        }
    }

    static class Texts
    {
        extension(string text)
        {
            public int Size => text.Length;

            public void Show(int times)
            {
                Action once = () => Console.Write(times);
                once();
            }
        }

        public static int Old(this string text) => text.Length;

        public static int Listed(int first, __arglist) => first;
    }

    file class Hidden
    {
        public void Go(Hidden other) { }
    }

    class Pairs : IEnumerable<KeyValuePair<string, int[,]>>
    {
        IEnumerator<KeyValuePair<string, int[,]>> IEnumerable<KeyValuePair<string, int[,]>>.GetEnumerator()
        {
            yield break;
        }

        System.Collections.IEnumerator System.Collections.IEnumerable.GetEnumerator() => null;
    }

    class Base
    {
        protected virtual Task<int> Load(int number) => Task.FromResult(number);
    }

    class Derived : Base
    {
        protected override async Task<int> Load(int number) => await base.Load(number);
    }
}
