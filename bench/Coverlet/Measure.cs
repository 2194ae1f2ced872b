// One "test": what bench/Statements prints, for the arguments in BENCH_ARGUMENTS, goes into the file BENCH_RESULT.
namespace Coverlet;

public class Measure
{
    [Fact]
    public void Work()
    {
        string[] words = Environment.GetEnvironmentVariable("BENCH_ARGUMENTS")!.Split(' ');
        string result = Program.Measure(words[0], int.Parse(words[1]), int.Parse(words[2]), int.Parse(words[3]));
        File.WriteAllText(Environment.GetEnvironmentVariable("BENCH_RESULT")!, result);
    }
}
