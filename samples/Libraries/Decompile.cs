using ICSharpCode.Decompiler;
using ICSharpCode.Decompiler.CSharp;
using ICSharpCode.Decompiler.Metadata;

// The decompiler over one of the assemblies that this program itself uses.
static class Decompile
{
    public static string Run()
    {
        string path = typeof(YamlDotNet.Core.Parser).Assembly.Location;
        using var file = new PEFile(path);
        var resolver = new UniversalAssemblyResolver(path, false, file.DetectTargetFrameworkId());
        var decompiler = new CSharpDecompiler(file, resolver, new DecompilerSettings { ThrowOnAssemblyResolveErrors = false });
        string[] types =
        [
            "YamlDotNet.Core.Scanner", "YamlDotNet.Core.Parser", "YamlDotNet.Core.Emitter", "YamlDotNet.Core.Mark",
            "YamlDotNet.Core.SimpleKey", "YamlDotNet.Serialization.SerializerBuilder",
        ];
        return Digest.Of(string.Concat(types.Select(type =>
            decompiler.DecompileTypeAsString(new ICSharpCode.Decompiler.TypeSystem.FullTypeName(type)))));
    }
}
