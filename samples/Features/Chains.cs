// Conditional access: the part after `?.` runs or not. Assignments too.
namespace Features;

internal static class Chains
{
    private sealed class Person
    {
        public string Name;
        public Person Boss;
    }

    public static void Run()
    {
        var person = new Person { Name = "Ann" };
        int? length = person.Boss?.Name.Length;
        person.Boss?.Name = "never";
        person.Boss ??= new Person();
        person.Boss?.Name = "Bob";
        length = person.Boss?.Name?.Length;
        string name = person.Boss?.Boss?.Name ?? "nobody";
        Console.WriteLine($"{length} {name}");
    }
}
