using System.Security.Cryptography;
using System.Text;

static class Digest
{
    public static string Of(string text) => $"{text.Length} characters, {Of(Encoding.UTF8.GetBytes(text))}";

    public static string Of(byte[] bytes) => Convert.ToHexString(SHA256.HashData(bytes));
}
