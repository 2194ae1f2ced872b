// Stable sorting, and the k-th item of a list without sorting it.
namespace LedgerSample;

internal static class Sorting
{
    private const int Short = 8;

    public static void Sort<T>(List<T> items, Comparison<T> compare)
    {
        var spare = new T[items.Count];
        Sort(items, spare, 0, items.Count, compare);
    }

    // The item that would be at that place if the list were sorted. Changes the order of the list.
    public static T Select<T>(List<T> items, int place) where T : IComparable<T>
    {
        int first = 0;
        int end = items.Count;
        while (end - first > 1)
        {
            (int less, int more) = Partition(items, first, end);
            if (place < less)
            {
                end = less;
            }
            else if (place >= more)
            {
                first = more;
            }
            else
            {
                break;
            }
        }
        return items[place];
    }

    private static void Sort<T>(List<T> items, T[] spare, int first, int end, Comparison<T> compare)
    {
        if (end - first <= Short)
        {
            Insert(items, first, end, compare);
            return;
        }
        int middle = first + (end - first) / 2;
        Sort(items, spare, first, middle, compare);
        Sort(items, spare, middle, end, compare);
        Merge(items, spare, first, middle, end, compare);
    }

    private static void Insert<T>(List<T> items, int first, int end, Comparison<T> compare)
    {
        for (int i = first + 1; i < end; i++)
        {
            T item = items[i];
            int place = i;
            while (place > first && compare(item, items[place - 1]) < 0)
            {
                items[place] = items[place - 1];
                place--;
            }
            items[place] = item;
        }
    }

    private static void Merge<T>(List<T> items, T[] spare, int first, int middle, int end, Comparison<T> compare)
    {
        int left = first;
        int right = middle;
        for (int i = first; i < end; i++)
        {
            bool takesRight = left == middle || (right < end && compare(items[right], items[left]) < 0);
            spare[i] = takesRight ? items[right++] : items[left++];
        }
        for (int i = first; i < end; i++)
        {
            items[i] = spare[i];
        }
    }

    // Smaller ones to the front, larger ones to the back; equals to the middle one from `less` to `more`.
    private static (int Less, int More) Partition<T>(List<T> items, int first, int end) where T : IComparable<T>
    {
        T pivot = items[first + (end - first) / 2];
        int less = first;
        int more = end;
        int at = first;
        while (at < more)
        {
            int order = items[at].CompareTo(pivot);
            if (order < 0)
            {
                (items[at], items[less]) = (items[less], items[at]);
                less++;
                at++;
            }
            else if (order > 0)
            {
                more--;
                (items[at], items[more]) = (items[more], items[at]);
            }
            else
            {
                at++;
            }
        }
        return (less, more);
    }
}
