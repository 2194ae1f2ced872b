// Virtual, overridden, hidden and base calls.
namespace Features;

internal static class Inheritance
{
    private abstract class Animal
    {
        public abstract string Name { get; }

        public virtual string Speak()
        {
            return Name + " is silent";
        }
    }

    private sealed class Dog : Animal
    {
        public override string Name => "dog";

        public override string Speak()
        {
            string silence = base.Speak();
            return silence.Replace("silent", "loud");
        }
    }

    private sealed class Fish : Animal
    {
        public override string Name => "fish";
    }

    public static void Run()
    {
        Animal[] animals = { new Dog(), new Fish() };
        foreach (Animal animal in animals)
        {
            Console.WriteLine(animal.Speak());
        }
    }
}
