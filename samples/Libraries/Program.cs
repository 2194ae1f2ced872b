// Third-party libraries at real work: each part prints the digest and the size of its output, which must not change.
// `Libraries [PART...]`; without one, all of them.
var parts = new (string Name, Func<string> Run)[]
{
    ("decompile", Decompile.Run),
    ("html", Html.Run),
    ("sheet", Sheet.Run),
    ("yaml", Yaml.Run),
};
foreach ((string name, Func<string> run) in parts)
{
    if (args.Length == 0 || args.Contains(name))
    {
        Console.WriteLine($"{name}: {run()}");
    }
}
Console.WriteLine("libraries: success");
return 0;
