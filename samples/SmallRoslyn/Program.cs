// The C# compiler as a library: compiles a fixed text and prints hashes of its output, which must not change.
using System.Security.Cryptography;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Emit;
using Microsoft.CodeAnalysis.Text;

using Stream resource = typeof(Program).Assembly.GetManifestResourceStream("Source.txt");
using var reader = new StreamReader(resource);
string text = reader.ReadToEnd();
int failures = 0;
foreach (OptimizationLevel level in new[] { OptimizationLevel.Debug, OptimizationLevel.Release })
{
    failures += Compile(text, level) ? 0 : 1;
}
Compile(text.Replace("int count", "string count"), OptimizationLevel.Debug);
Console.WriteLine(failures == 0 ? "smallroslyn: success" : "smallroslyn: failure");
return failures;

static bool Compile(string text, OptimizationLevel level)
{
    var source = SourceText.From(text, System.Text.Encoding.UTF8);
    SyntaxTree tree = CSharpSyntaxTree.ParseText(source, CSharpParseOptions.Default, "/Source.cs");
    string platform = (string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES");
    MetadataReference[] references = platform.Split(Path.PathSeparator)
        .Where(path => Path.GetFileName(path).StartsWith("System.", StringComparison.Ordinal) && File.Exists(path))
        .Order(StringComparer.Ordinal)
        .Select(path => (MetadataReference)MetadataReference.CreateFromFile(path))
        .ToArray();
    var options = new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, optimizationLevel: level,
        deterministic: true, concurrentBuild: true, allowUnsafe: true);
    CSharpCompilation compilation = CSharpCompilation.Create("Compiled", [tree], references, options);
    using var image = new MemoryStream();
    using var symbols = new MemoryStream();
    EmitResult result = compilation.Emit(image, symbols,
        options: new EmitOptions(debugInformationFormat: DebugInformationFormat.PortablePdb));
    foreach (Diagnostic diagnostic in result.Diagnostics.Where(d => d.Severity == DiagnosticSeverity.Error))
    {
        Console.WriteLine(diagnostic.ToString());
    }
    Console.WriteLine($"{level} {result.Success} {Hash(image)} {Hash(symbols)}");
    return result.Success;
}

static string Hash(MemoryStream stream) => Convert.ToHexString(SHA256.HashData(stream.ToArray()));
