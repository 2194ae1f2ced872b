// Values that may be missing.
namespace Features;

internal static class Nullables
{
    public static void Run()
    {
        int? number = null;
        int orElse = number ?? 7;
        number ??= orElse;
        number += 3;
        bool? less = number < 5;
        number = less == true ? number : null;
        Console.WriteLine($"{orElse} {less} {number.HasValue}");
    }
}
