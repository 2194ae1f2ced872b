// Secrets in every kind of place: texts that begin with "hunter" and numbers that begin with 4711. Only places whose names
// are redacted ever get one.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Loader;
using System.Threading;
using System.Threading.Tasks;

static class Program
{
    static int s_next;

    static void Main(string[] args)
    {
        if (args.Length == 0)
        {
            // Once more in a context that goes away.
            var context = new AssemblyLoadContext("again", isCollectible: true);
            var again = context.LoadFromAssemblyPath(typeof(Program).Assembly.Location);
            again.EntryPoint!.Invoke(null, [new[] { "again" }]);
            context.Unload();
        }
        Variables();
        Properties();
        Structs();
        Parts();
        Tuples();
        Within();
        Copies().GetAwaiter().GetResult();
        Spared(default, new(2026, 1, 2), DayOfWeek.Friday);
        Console.WriteLine("secrets: success");
    }

    struct Account
    {
        public int Number;
        public (string Name, string Password) Owner;
    }

    static void Tuples()
    {
        (string Name, string Password) tuple = ("Cid", MakeSecret());
        tuple.Password = MakeSecret();
        tuple.Name = "Dan";
        var account = new Account { Number = 5, Owner = tuple };
        account.Owner.Password = MakeSecret();
        Console.WriteLine(tuple.Password.Length + account.Owner.Password.Length + account.Number > 0);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static string MakeSecret() => "hun" + "ter".Insert(3, (++s_next).ToString());

    static int MakeSecretNumber() => int.Parse("4711") * 1000 + ++s_next;

    static void Variables()
    {
        string password = MakeSecret();
        Take(password, out string secret);
        Console.WriteLine(password.Length + secret.Length > 0);
    }

    static void Take(string accessToken, out string secret) => secret = accessToken + MakeSecret();

    static void Properties()
    {
        var user = new User { Name = "Ann" };
        user.Password = MakeSecret();
        ((IUser)user).Secret = MakeSecret();
        user["pin"] = MakeSecret();
        Console.WriteLine(user.Password.Length + ((IUser)user).Secret.Length + user["pin"].Length + user.ReadPassword().Length > 0);
    }

    static void Structs()
    {
        var login = new Login { Name = "Ann", Password = MakeSecret(), Number = 1 };
        var copy = login;
        Show(login);
        Show(in copy);
        login.Password = MakeSecret();
        Console.WriteLine(Keep(login).Name);
    }

    static void Show(Login login) => Console.WriteLine(login.Name);

    static void Show(in Login login) => Console.WriteLine(login.Name);

    static T Keep<T>(T value)
    {
        T kept = value;
        return kept;
    }

    static void Parts()
    {
        var login = new Login { Name = "Bea", Password = MakeSecret() };
        var logins = new[] { login };
        logins[0] = login;
        Login? perhaps = login;
        var pair = new Pair<int, Login> { Key = 7, Value = login };
        var named = KeyValuePair.Create("Ann", login);
        var number = new Number { PinSecret = MakeSecretNumber(), Count = 3 };
        var overlap = new Overlap { SecretBits = MakeSecretNumber(), Count = 4 };
        var view = new View { Password = login.Password, Count = 5 };
        object boxed = login;
        object pinSecret = number.PinSecret;
        pair.Value.Password = MakeSecret();
        number.PinSecret = MakeSecretNumber();
        Console.WriteLine(logins.Length + pair.Key + number.Count + overlap.Count + view.Count > 0);
        Console.WriteLine(perhaps.HasValue && named.Key == "Ann" && Keep(number).Count == 3 && Keep(pair).Key == 7);
        Console.WriteLine(boxed is Login && pinSecret is int);
    }

    // Structs in places with such a name; their fields have other names.
    class Vault
    {
        public Note Secret;
        public (Note First, int Count) Credentials;
        public static Note SharedSecret;
        public readonly string[] Passwords = new string[1];
        public readonly Note[] Secrets = new Note[2];

        public void Close() => Secret.Text = MakeSecret();
    }

    struct Note
    {
        public string Text;
        public int Number;
    }

    static void Within()
    {
        var vault = new Vault();
        vault.Secret.Text = MakeSecret();
        vault.Secret.Number = MakeSecretNumber();
        vault.Credentials.First.Text = MakeSecret();
        Vault.SharedSecret.Text = MakeSecret();
        vault.Close();
        SetText(ref vault.Secret.Text);
        ref Note secret = ref vault.Secret;
        secret.Text = MakeSecret();
        ref string password = ref secret.Text;
        password = MakeSecret();
        vault.Passwords[0] = MakeSecret();
        vault.Secrets[1].Text = MakeSecret();
        string[] passphrases = ["", ""];
        passphrases[1] = MakeSecret();
        int[,] secretNumbers = new int[2, 2];
        secretNumbers[1, 0] = MakeSecretNumber();
        Console.WriteLine(secret.Text.Length + vault.Secret.Text.Length + vault.Passwords[0].Length > 0);
        Console.WriteLine(vault.Secrets[1].Text.Length + passphrases[1].Length + secretNumbers[1, 0] > 0);
    }

    // Compilers copy secrets to places that have no name.
    static async Task Copies()
    {
        int sum = 0;
        foreach (int size in Iterate(MakeSecret()))
        {
            sum += size;
        }
        sum += Switch(MakeSecret()) + Letters(MakeSecret()) + Lock(MakeSecret()) + In(MakeSecret()) + Parts(MakeSecret());
        sum += Number(MakeSecretNumber()) + Long(MakeSecretNumber()) + Else(MakeSecret()) + Span(MakeSecret());
        sum += await Spill(MakeSecret(), MakeSecretNumber()) + await Later();
        Console.WriteLine(sum > 0);
    }

    static IEnumerable<int> Iterate(string password)
    {
        yield return password.Length;
    }

    static int Switch(string password)
    {
        switch (password)
        {
            case "a": return 1;
            case "b": return 2;
            default: return 3;
        }
    }

    static int Letters(string password)
    {
        int sum = 0;
        foreach (char letter in password)
        {
            sum += letter;
        }
        return sum;
    }

    static int Lock(string password)
    {
        lock (password)
        {
            return password.Length;
        }
    }

    static int In(in string password) => password.Length;

    static int Parts(string password)
    {
        (string user, string password) both = ("u", password);
        return both switch { ("a", _) => 1, (_, { Length: > 2 } secret) => secret.Length, _ => 0 };
    }

    static int Number(int? passwordNumber) => passwordNumber is int secret ? secret.ToString().Length : 0;

    static int Long(int secretNumber)
    {
        switch ((long)secretNumber)
        {
            case 1: return 1;
            case 1L << 40: return 2;
            default: return ((object)secretNumber).GetHashCode() > 0 ? 3 : 4;
        }
    }

    static int Else(string password)
    {
        switch (password ?? "none")
        {
            case "a": return 1;
            case "none": return 2;
            default: return $"{password}{password}".Length;
        }
    }

    static int Span(string password)
    {
        switch ((ReadOnlySpan<char>)password)
        {
            case "a": return 1;
            case "b": return 2;
            default: return 3;
        }
    }

    static async Task<int> Spill(string password, int passwordNumber)
    {
        return Size(password, await Task.Run(() => 1)) + passwordNumber % await Task.Run(() => 2);
    }

    static int Size(string password, int more) => password.Length + more;

    static async Task<int> Later()
    {
        string password = await MakeSecretAsync();
        return password.Length + (await MakeSecretAsync()).Length;
    }

    static async Task<string> MakeSecretAsync()
    {
        await Task.Yield();
        return MakeSecret();
    }

    // Values of these types are no secrets, whatever they are called.
    static void Spared(CancellationToken token, DateTime passwordChanged, DayOfWeek secretDay)
    {
        bool hasPassword = passwordChanged.Year > 2000 && !token.IsCancellationRequested;
        Console.WriteLine(hasPassword && secretDay == DayOfWeek.Friday);
    }

    static void SetText(ref string password) => password = MakeSecret();
}

interface IUser
{
    string Secret { get; set; }
}

class User : IUser
{
    string _password = "";
    readonly Dictionary<string, string> _secrets = [];

    public string Name { get; set; } = "";

    public string Password
    {
        get { return _password; }
        set { _password = value; }
    }

    string IUser.Secret { get; set; } = "";

    [IndexerName("Credentials")]
    public string this[string key]
    {
        get => _secrets[key];
        set => _secrets[key] = value;
    }

    public string ReadPassword() => Password + "!";
}

struct Login
{
    public string Name;
    public string Password;
    public int Number;
}

struct Pair<TKey, TValue>
{
    public TKey Key;
    public TValue Value;
}

struct Number
{
    public int PinSecret;
    public int Count;
}

[StructLayout(LayoutKind.Explicit)]
struct Overlap
{
    [FieldOffset(0)] public long SecretBits;
    [FieldOffset(4)] public byte High;
    [FieldOffset(8)] public int Count;
}

ref struct View
{
    public ReadOnlySpan<char> Password;
    public int Count;
}
