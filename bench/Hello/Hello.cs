// The smallest program, for what starting costs.
Console.WriteLine("Hello, world!");
