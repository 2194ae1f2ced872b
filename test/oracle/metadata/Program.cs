// Prints what System.Reflection.Metadata reads in modules, one line per row; dump.c prints the same with clew's readers.
// After --symbols: what it reads in PDBs, alone and in modules.
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

using var output = new StreamWriter(Console.OpenStandardOutput(), null, 1 << 20);
if (args.Length > 0 && args[0] == "--symbols")
{
    foreach (string file in args[1..])
    {
        Symbols.Write(file, output);
    }
    return;
}
foreach (string file in args)
{
    using var image = new PEReader(File.OpenRead(file));
    if (!image.HasMetadata)
    {
        continue;
    }
    var metadata = image.GetMetadataReader();
    string name = metadata.IsAssembly ? metadata.GetString(metadata.GetAssemblyDefinition().Name) : "";
    output.WriteLine($"module {file} {metadata.GetGuid(metadata.GetModuleDefinition().Mvid):N} {name} " +
                     $"{image.PEHeaders.CorHeader!.EntryPointTokenOrRelativeVirtualAddress:x}");
    WriteMethods(metadata);
    WriteRows(metadata);
}

void WriteMethods(MetadataReader metadata)
{
    foreach (var handle in metadata.MethodDefinitions)
    {
        var method = metadata.GetMethodDefinition(handle);
        var outer = metadata.GetTypeDefinition(method.GetDeclaringType()).GetDeclaringType();
        var blob = metadata.GetBlobReader(method.Signature);
        int generics = blob.ReadSignatureHeader().IsGeneric ? blob.ReadCompressedInteger() : 0;
        output.WriteLine($"method {MetadataTokens.GetToken(handle):x} {method.RelativeVirtualAddress:x} " +
                         $"{(int)method.ImplAttributes:x} {(int)method.Attributes:x} " +
                         $"{MetadataTokens.GetToken(method.GetDeclaringType()):x} {TokenOf(outer):x} " +
                         $"{generics} {method.GetGenericParameters().Count} {blob.ReadCompressedInteger()} " +
                         $"{Convert.ToHexString(metadata.GetBlobBytes(method.Signature))} {metadata.GetString(method.Name)}");
    }
}

void WriteRows(MetadataReader metadata)
{
    foreach (var handle in metadata.CustomAttributes)
    {
        var row = metadata.GetCustomAttribute(handle);
        output.WriteLine($"attribute {TokenOf(row.Parent):x} {TokenOf(row.Constructor):x} {SizeOf(metadata, row.Value)}");
    }
    for (int i = 1; i <= metadata.GetTableRowCount(TableIndex.Param); i++)
    {
        var row = metadata.GetParameter(MetadataTokens.ParameterHandle(i));
        output.WriteLine($"parameter {(int)row.Attributes:x} {row.SequenceNumber} {metadata.GetString(row.Name)}");
    }
    foreach (var handle in metadata.MemberReferences)
    {
        var row = metadata.GetMemberReference(handle);
        output.WriteLine($"reference {TokenOf(row.Parent):x} {SizeOf(metadata, row.Signature)} {metadata.GetString(row.Name)}");
    }
    foreach (var handle in metadata.TypeReferences)
    {
        var row = metadata.GetTypeReference(handle);
        output.WriteLine($"type {TokenOf(row.ResolutionScope):x} {metadata.GetString(row.Namespace)} {metadata.GetString(row.Name)}");
    }
}

static int TokenOf(EntityHandle handle) => handle.IsNil ? 0 : MetadataTokens.GetToken(handle);

static int SizeOf(MetadataReader metadata, BlobHandle blob) => metadata.GetBlobReader(blob).Length;
