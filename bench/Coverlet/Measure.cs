// One "test", which runs bench/Statements with BENCH_ARGUMENTS and writes its output to the file BENCH_RESULT.
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
