// Methods and properties outside their type.
namespace Features;

internal static class Extensions
{
    public static void Run()
    {
        string text = "word";
        string doubled = text.Twice();
        int vowels = doubled.Vowels;
        Console.WriteLine($"{doubled} {vowels}");
    }
}

internal static class Words
{
    public static string Twice(this string text)
    {
        return text + text;
    }

    extension(string text)
    {
        public int Vowels
        {
            get
            {
                int count = 0;
                foreach (char letter in text)
                {
                    count += "aeiou".Contains(letter) ? 1 : 0;
                }
                return count;
            }
        }
    }
}
