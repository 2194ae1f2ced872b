// An event with a field of the compiler's, and one with accessors of its own.
namespace Features;

internal static class Events
{
    private sealed class Bell
    {
        private EventHandler<int> own;

        public event Action Rung;

        public event EventHandler<int> Counted
        {
            add
            {
                own += value;
            }
            remove
            {
                own -= value;
            }
        }

        public void Ring(int times)
        {
            Rung?.Invoke();
            own?.Invoke(this, times);
        }
    }

    public static void Run()
    {
        int heard = 0;
        var bell = new Bell();
        EventHandler<int> listener = (_, times) => heard += times;
        bell.Rung += () => heard++;
        bell.Counted += listener;
        bell.Ring(5);
        bell.Counted -= listener;
        bell.Ring(5);
        Console.WriteLine(heard);
    }
}
