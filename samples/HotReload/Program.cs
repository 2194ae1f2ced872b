// What `dotnet watch` does to a program: an assembly runs, its methods are edited, and the differences are applied to it. The
// runtime must allow that (DOTNET_MODIFIABLE_ASSEMBLIES=debug).
using System.Collections.Immutable;
using System.Reflection;
using System.Reflection.Metadata;
using System.Runtime.Loader;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Emit;

namespace HotReload;

internal sealed class Edited
{
    private readonly CSharpCompilationOptions options = new(OutputKind.DynamicallyLinkedLibrary, optimizationLevel: OptimizationLevel.Debug);
    private CSharpCompilation current;
    private EmitBaseline baseline;

    public Edited(string text, string path)
    {
        current = CSharpCompilation.Create("Live", [Parse(text)], [MetadataReference.CreateFromFile(typeof(object).Assembly.Location)], options);
        string symbols = Path.ChangeExtension(path, ".pdb");
        using (FileStream dll = File.Create(path), pdb = File.Create(symbols))
        {
            current.Emit(dll, pdb, options: new EmitOptions(debugInformationFormat: DebugInformationFormat.PortablePdb));
        }
        Assembly = AssemblyLoadContext.Default.LoadFromAssemblyPath(path);
        MetadataReader reader = MetadataReaderProvider.FromPortablePdbImage(ImmutableArray.Create(File.ReadAllBytes(symbols))).GetMetadataReader();
        baseline = EmitBaseline.CreateInitialBaseline(current, ModuleMetadata.CreateFromImage(File.ReadAllBytes(path)), _ => default,
                                                      method => reader.GetMethodDebugInformation(method).LocalSignature, true);
    }

    public Assembly Assembly { get; }

    private static SyntaxTree Parse(string text) => CSharpSyntaxTree.ParseText(text, path: "Live.cs", encoding: Encoding.UTF8);

    private static Dictionary<string, IMethodSymbol> Methods(CSharpCompilation compilation) =>
        compilation.GetTypeByMetadataName("Live")!.GetMembers().OfType<IMethodSymbol>().Where(method => !method.IsImplicitlyDeclared)
            .ToDictionary(method => method.Name);

    private static string Body(IMethodSymbol method) => ((MethodDeclarationSyntax)method.DeclaringSyntaxReferences[0].GetSyntax()).ToFullString();

    public void Apply(string text)
    {
        CSharpCompilation next = current.ReplaceSyntaxTree(current.SyntaxTrees[0], Parse(text));
        Dictionary<string, IMethodSymbol> before = Methods(current), after = Methods(next);
        var edits = after.Where(pair => !before.TryGetValue(pair.Key, out IMethodSymbol old) || Body(old) != Body(pair.Value))
            .Select(pair => before.TryGetValue(pair.Key, out IMethodSymbol old)
                        ? new SemanticEdit(SemanticEditKind.Update, old, pair.Value)
                        : new SemanticEdit(SemanticEditKind.Insert, null, pair.Value));
        MemoryStream metadata = new(), il = new(), symbols = new();
        EmitDifferenceResult result = next.EmitDifference(baseline, edits, _ => false, metadata, il, symbols);
        MetadataUpdater.ApplyUpdate(Assembly, metadata.ToArray(), il.ToArray(), symbols.ToArray());
        baseline = result.Baseline!;
        current = next;
    }
}

internal static class Program
{
    // Each version replaces or adds methods: other locals, a further method, a call in last position, a handler.
    private static readonly string[] Versions =
    [
        "int p = n * 2; return p;",
        "long q = n; int p = (int)q * 3; return p;",
        "return Added(n); } public static int Added(int n) { string text = n.ToString(); return text.Length + 100;",
        "try { return Added(n); } finally { Last = n; } } public static int Last; public static int Added(int n) { return Math(n); } public static int Math(int n) { return n * n;",
    ];

    private static string Live(string body) => $"public static class Live {{ public static int Price(int n) {{ {body} }} }}";

    private static int Main()
    {
        var edited = new Edited(Live(Versions[0]), Path.Combine(Directory.CreateTempSubdirectory("clew-edited-").FullName, "Live.dll"));
        var price = edited.Assembly.GetType("Live")!.GetMethod("Price")!.CreateDelegate<Func<int, int>>();
        Console.WriteLine(price(7));
        foreach (string version in Versions[1..])
        {
            edited.Apply(Live(version));
            Console.WriteLine(price(7) + price(8));
        }
        Console.WriteLine("hot reload: success");
        return 0;
    }
}
