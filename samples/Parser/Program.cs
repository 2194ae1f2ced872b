// A small language: the text becomes tokens, a tree and a simpler tree. That runs twice: by walking the tree, and as code of a
// stack machine. `Parser [FILE]` runs Script.txt or FILE both ways and compares their output.
namespace ParserSample;

internal static class Program
{
    private static int Main(string[] args)
    {
        string source = args.Length > 0 ? File.ReadAllText(args[0]) : Script();
        try
        {
            return Run(source);
        }
        catch (LanguageException problem)
        {
            Console.Error.WriteLine(problem.Message);
            return 1;
        }
    }

    private static int Run(string source)
    {
        Block program = new Parser(source).Parse();
        new Checker().Check(program);
        var folder = new Folder();
        Block folded = folder.Fold(program);
        var walked = new StringWriter();
        var interpreter = new Interpreter(walked);
        interpreter.Run(folded);
        Function code = new Compiler().Compile(folded);
        var executed = new StringWriter();
        var machine = new Machine(executed);
        machine.Run(code);
        Console.Write(walked);
        Console.WriteLine($"{folder.Folded} folded, {interpreter.Steps} steps walked, {machine.Steps} executed");
        if (walked.ToString() != executed.ToString())
        {
            Console.Error.WriteLine("the machine says otherwise:");
            Console.Error.Write(executed);
            return 1;
        }
        Console.WriteLine("parser: success");
        return 0;
    }

    private static string Script()
    {
        using Stream stream = typeof(Program).Assembly.GetManifestResourceStream("Script.txt");
        using var reader = new StreamReader(stream);
        return reader.ReadToEnd();
    }
}
