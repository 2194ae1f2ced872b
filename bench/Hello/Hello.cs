// The smallest program, to measure start-up.
Console.WriteLine("Hello, world!");
