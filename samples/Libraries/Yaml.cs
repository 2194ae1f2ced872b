using YamlDotNet.Serialization;
using YamlDotNet.Serialization.NamingConventions;

// Objects written as YAML, read again, and written once more.
static class Yaml
{
    public enum Kind { Plain, Fancy, Custom }

    public class Part
    {
        public string Name { get; set; } = "";
        public Kind Kind { get; set; }
        public decimal Price { get; set; }
        public DateTime Since { get; set; }
        public double? Weight { get; set; }
        public Dictionary<string, int[]> Stock { get; set; } = [];
        public List<Part> Parts { get; set; } = [];
    }

    public static string Run()
    {
        ISerializer serializer = new SerializerBuilder().WithNamingConvention(CamelCaseNamingConvention.Instance).Build();
        IDeserializer deserializer = new DeserializerBuilder().WithNamingConvention(CamelCaseNamingConvention.Instance).Build();
        string once = serializer.Serialize(Make(5, 3));
        Part read = deserializer.Deserialize<Part>(once);
        string twice = serializer.Serialize(read);
        return $"{(once == twice ? "the same" : "another")} after reading, {Digest.Of(twice)}";
    }

    static Part Make(int depth, int width)
    {
        var part = new Part
        {
            Name = $"part: {depth}\n\"of {width}\" #é", Kind = (Kind)(depth % 3), Price = depth * 1.10m + width,
            Since = new DateTime(2020, 1, 1).AddHours(depth * 31), Weight = depth % 2 == 0 ? null : depth / 3.0,
        };
        part.Stock["here"] = [depth, width];
        part.Stock["there & elsewhere"] = [];
        for (int i = 0; depth > 0 && i < width; i++)
        {
            part.Parts.Add(Make(depth - 1, width));
        }
        return part;
    }
}
