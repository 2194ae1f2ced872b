// Prints what System.Reflection.Metadata reads in portable PDBs, one line per row; dump_symbols.c does with clew's readers.
using System.Collections.Immutable;
using System.IO.Compression;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

sealed class Symbols(MetadataReader pdb, TextWriter output)
{
    // Kinds of custom debug information whose decoded content is compared, too.
    static readonly Guid HoistedScopes = new("6DA9A61E-F8C7-4874-BE62-68BC5630DF71");
    static readonly Guid AsyncSteps = new("54FD2AC5-E925-401A-9C2A-F94F171072F8");
    static readonly Guid TupleNames = new("ED9FDF71-8879-4747-8ED3-FE5EDE3CE710");
    static readonly Guid EmbeddedSource = new("0E8A571B-6926-466E-B4AD-8AB04611F5FE");

    // A PDB, or a module with one inside.
    public static void Write(string file, TextWriter output)
    {
        using var stream = new MemoryStream(File.ReadAllBytes(file));
        using var provider = file.EndsWith(".pdb") ? MetadataReaderProvider.FromPortablePdbStream(stream) : Embedded(stream);
        if (provider == null)
        {
            return;
        }
        var pdb = provider.GetMetadataReader();
        var header = pdb.DebugMetadataHeader!;
        output.WriteLine($"pdb {file} {Convert.ToHexString(header.Id.AsSpan())} {TokenOf(header.EntryPoint):x}");
        var symbols = new Symbols(pdb, output);
        symbols.WriteDocuments();
        symbols.WriteMethods();
        symbols.WriteCustom();
    }

    static MetadataReaderProvider Embedded(Stream stream)
    {
        var image = new PEReader(stream);
        var entry = image.ReadDebugDirectory().FirstOrDefault(e => e.Type == DebugDirectoryEntryType.EmbeddedPortablePdb);
        return entry.DataSize == 0 ? null : image.ReadEmbeddedPortablePdbDebugDirectoryData(entry);
    }

    void WriteDocuments()
    {
        foreach (var handle in pdb.Documents)
        {
            var row = pdb.GetDocument(handle);
            output.WriteLine($"document {MetadataTokens.GetRowNumber(handle)} {LanguageOf(row)} {HashOf(row)} {pdb.GetString(row.Name)}");
        }
    }

    string LanguageOf(Document row) => pdb.GetGuid(row.Language).ToString() switch
    {
        "3f5162f8-07c6-11d3-9053-00c04fa302a1" => "C#",
        "3a12d0b8-c26c-11d0-b442-00a0244a1dd2" => "VB",
        "ab4f38c9-b6e6-43ba-be3b-58080b2ccce3" => "F#",
        _ => "?",
    };

    string HashOf(Document row)
    {
        var hash = pdb.GetBlobBytes(row.Hash);
        return hash.Length == 0 ? "none" : pdb.GetGuid(row.HashAlgorithm).ToString() switch
        {
            "406ea660-64cf-4c82-b6f0-42d48172a799" => "md5",
            "ff1816ec-aa5e-4d10-87f7-6f4963833460" => "sha1",
            "8829d00f-11b8-4213-878b-770e8597ac16" => "sha256",
            _ => "?",
        } + " " + Convert.ToHexString(hash);
    }

    void WriteMethods()
    {
        foreach (var handle in pdb.MethodDebugInformation)
        {
            var method = pdb.GetMethodDebugInformation(handle);
            int kickoff = TokenOf(method.GetStateMachineKickoffMethod());
            output.WriteLine($"method {MetadataTokens.GetToken(handle.ToDefinitionHandle()):x} {kickoff:x}");
            foreach (var point in method.GetSequencePoints())
            {
                int document = point.Document.IsNil ? 0 : MetadataTokens.GetRowNumber(point.Document);
                output.WriteLine(point.IsHidden
                    ? $"point {point.Offset:x} {document} hidden"
                    : $"point {point.Offset:x} {document} {point.StartLine}:{point.StartColumn}-{point.EndLine}:{point.EndColumn}");
            }
            foreach (var scope in pdb.GetLocalScopes(handle))
            {
                WriteScope(pdb.GetLocalScope(scope));
            }
        }
    }

    void WriteScope(LocalScope scope)
    {
        output.WriteLine($"scope {scope.StartOffset:x} {scope.EndOffset:x}");
        foreach (var handle in scope.GetLocalVariables())
        {
            var variable = pdb.GetLocalVariable(handle);
            string hidden = (variable.Attributes & LocalVariableAttributes.DebuggerHidden) != 0 ? " hidden" : "";
            output.WriteLine($"variable {variable.Index} {pdb.GetString(variable.Name)}{hidden}");
        }
        foreach (var handle in scope.GetLocalConstants())
        {
            var constant = pdb.GetLocalConstant(handle);
            output.WriteLine($"constant {pdb.GetString(constant.Name)} {ValueOf(pdb.GetBlobReader(constant.Signature))}");
        }
    }

    // The value, and the type if it is not a primitive.
    static string ValueOf(BlobReader blob)
    {
        var code = blob.ReadSignatureTypeCode();
        while (code is SignatureTypeCode.OptionalModifier or SignatureTypeCode.RequiredModifier)
        {
            blob.ReadTypeHandle();
            code = blob.ReadSignatureTypeCode();
        }
        switch (code)
        {
            case SignatureTypeCode.Boolean: return blob.ReadByte() + " boolean" + TypeOf(blob);
            case SignatureTypeCode.Char: return blob.ReadUInt16() + " character" + TypeOf(blob);
            case SignatureTypeCode.SByte: return blob.ReadSByte() + " signed" + TypeOf(blob);
            case SignatureTypeCode.Byte: return blob.ReadByte() + " unsigned" + TypeOf(blob);
            case SignatureTypeCode.Int16: return blob.ReadInt16() + " signed" + TypeOf(blob);
            case SignatureTypeCode.UInt16: return blob.ReadUInt16() + " unsigned" + TypeOf(blob);
            case SignatureTypeCode.Int32: return blob.ReadInt32() + " signed" + TypeOf(blob);
            case SignatureTypeCode.UInt32: return blob.ReadUInt32() + " unsigned" + TypeOf(blob);
            case SignatureTypeCode.Int64: return blob.ReadInt64() + " signed" + TypeOf(blob);
            case SignatureTypeCode.UInt64: return blob.ReadUInt64() + " unsigned" + TypeOf(blob);
            case SignatureTypeCode.Single: return blob.ReadUInt32() + " single" + TypeOf(blob);
            case SignatureTypeCode.Double: return blob.ReadUInt64() + " double" + TypeOf(blob);
            case SignatureTypeCode.String:
                var text = blob.ReadBytes(blob.RemainingBytes);
                return text is [0xFF] ? "null" : Convert.ToHexString(text) + " string";
            case SignatureTypeCode.Object: return "null";
        }
        blob.Reset(); // a class or a value type
        while (blob.ReadByte() is not (0x11 or 0x12))
        {
            blob.ReadCompressedInteger(); // of a modifier
        }
        bool isClass = blob.Offset > 0 && PreviousByte(blob) == 0x12;
        int type = TokenOf(blob.ReadTypeHandle());
        return blob.RemainingBytes switch
        {
            0 => isClass ? $"null of {type:x}" : $"default of {type:x}",
            8 => $"{blob.ReadInt64()} ticks of {type:x}",
            _ => $"{Convert.ToHexString(blob.ReadBytes(blob.RemainingBytes))} decimal of {type:x}",
        };
    }

    static byte PreviousByte(BlobReader blob)
    {
        blob.Offset--;
        return blob.ReadByte();
    }

    static string TypeOf(BlobReader blob) => blob.RemainingBytes == 0 ? "" : $" of {TokenOf(blob.ReadTypeHandle()):x}";

    void WriteCustom()
    {
        foreach (var handle in pdb.CustomDebugInformation)
        {
            var row = pdb.GetCustomDebugInformation(handle);
            var kind = pdb.GetGuid(row.Kind);
            var blob = pdb.GetBlobReader(row.Value);
            output.WriteLine($"custom {TokenOf(row.Parent):x} {kind:N} {Digest(pdb.GetBlobBytes(row.Value))}");
            if (kind == HoistedScopes)
            {
                WriteHoisted(row.Parent, blob);
            }
            else if (kind == AsyncSteps)
            {
                WriteSteps(row.Parent, blob);
            }
            else if (kind == TupleNames)
            {
                WriteTupleNames(row.Parent, blob);
            }
            else if (kind == EmbeddedSource)
            {
                WriteSource(row.Parent, blob);
            }
        }
    }

    void WriteHoisted(EntityHandle parent, BlobReader blob)
    {
        for (int slot = 0; blob.RemainingBytes > 0; slot++)
        {
            uint start = blob.ReadUInt32(), length = blob.ReadUInt32();
            output.WriteLine(length == 0 ? $"hoisted {TokenOf(parent):x} {slot} none"
                                         : $"hoisted {TokenOf(parent):x} {slot} {start:x} {start + length:x}");
        }
    }

    void WriteSteps(EntityHandle parent, BlobReader blob)
    {
        output.WriteLine($"async {TokenOf(parent):x} {(int)blob.ReadUInt32() - 1:x}");
        while (blob.RemainingBytes > 0)
        {
            output.WriteLine($"await {blob.ReadUInt32():x} {blob.ReadUInt32():x} {blob.ReadCompressedInteger() | 0x06000000:x}");
        }
    }

    void WriteTupleNames(EntityHandle parent, BlobReader blob)
    {
        output.Write($"names {TokenOf(parent):x}");
        while (blob.RemainingBytes > 0)
        {
            output.Write(" [" + blob.ReadUTF8(blob.IndexOf(0)) + "]");
            blob.ReadByte();
        }
        output.WriteLine();
    }

    void WriteSource(EntityHandle parent, BlobReader blob)
    {
        int size = blob.ReadInt32();
        byte[] content = blob.ReadBytes(blob.RemainingBytes);
        if (size > 0)
        {
            using var unpacked = new MemoryStream();
            using var deflate = new DeflateStream(new MemoryStream(content), CompressionMode.Decompress);
            deflate.CopyTo(unpacked);
            content = unpacked.ToArray();
        }
        output.WriteLine($"source {TokenOf(parent):x} {Digest(content)}");
    }

    // Size and FNV-1a.
    static string Digest(byte[] bytes)
    {
        ulong hash = 0xCBF29CE484222325;
        foreach (byte each in bytes)
        {
            hash = (hash ^ each) * 0x100000001B3;
        }
        return $"{bytes.Length} {hash:x16}";
    }

    static int TokenOf(EntityHandle handle) => handle.IsNil ? 0 : MetadataTokens.GetToken(handle);
}
