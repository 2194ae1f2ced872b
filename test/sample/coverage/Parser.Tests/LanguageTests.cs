// Programs, run both ways.
using ParserSample;

public class LanguageTests
{
    [Theory]
    [InlineData("print(1 + 2 * 3);", "7")]
    [InlineData("print((1 + 2) * 3, 7 / 2, 7 % 4, -7 % 4);", "9 3.5 3 1")]
    [InlineData("print(2 ** 3 ** 2, -2 ** 2, 2 ** -1);", "512 -4 0.5")]
    [InlineData("print(1 < 2, 2 <= 1, 3 > 2, 3 >= 4, 1 == 1, 1 != 1);", "true false true false true false")]
    [InlineData("print(\"a\" < \"b\", \"a\" + 1, \"ab\" * 3, \"a\" == \"a\");", "true a1 ababab true")]
    [InlineData("print(not true, not 0, not \"\", not [], not null);", "false true true false true")]
    [InlineData("print(1 and 0, 0 and 1, 0 or \"x\", 2 or 3);", "0 0 x 2")]
    [InlineData("print(true ? 1 : 2, null ? 1 : 2);", "1 2")]
    [InlineData("print([1, [2, null]] == [1, [2, null]], [1] == [1, 2], [1] == [2]);", "true false false")]
    [InlineData("print([1] + [2, 3], {b: 1, \"a c\": [true]});", "[1, 2, 3] {a c: [true], b: 1}")]
    [InlineData("print(2 in [1, 2], 3 in [1], \"b\" in \"abc\", \"k\" in {k: 1});", "true false true true")]
    [InlineData("let s = \"a\\t\\\"b\\\\\\n\"; print(length(s));", "6")]
    public void Expressions(string source, string expected)
    {
        Assert.Equal(expected + "\n", Run(source));
    }

    [Theory]
    [InlineData("let a = 1; a += 2; a *= 5; a -= 1; a /= 2; print(a);", "7")]
    [InlineData("let l = [1, 2, 3]; l[0] = 5; l[-1] += 4; print(l);", "[5, 2, 7]")]
    [InlineData("let m = {}; m.x = 1; m[\"y\"] = m.x; print(m, m.z);", "{x: 1, y: 1} null")]
    [InlineData("let a; { let a = 2; } print(a);", "null")]
    [InlineData("if (1 > 2) print(1); else if (2 > 1) print(2); else print(3);", "2")]
    [InlineData("let n = 0; while (true) { n += 1; if (n == 3) continue; if (n > 5) break; } print(n);", "6")]
    [InlineData("let t = \"\"; for (c in \"abc\") { if (c == \"b\") continue; t += c; } print(t);", "ac")]
    [InlineData("for (k in {b: 1, a: 2}) print(k); for (i in 2) print(i);", "a\nb\n0\n1")]
    [InlineData("for (i in 3) { for (j in 3) { if (j == 1) break; print(i, j); } }", "0 0\n1 0\n2 0")]
    [InlineData("fun f(a, b) { return a - b; } print(f(5, 3));", "2")]
    [InlineData("fun f() { } print(f());", "null")]
    [InlineData("fun f() { return; } print(f());", "null")]
    [InlineData("fun outer() { let n = 0; return fun() { n += 1; return n; }; } let f = outer(); f(); print(f());", "2")]
    [InlineData("fun even(n) => n == 0 ? true : odd(n - 1); fun odd(n) => n == 0 ? false : even(n - 1); print(1);", "nothing declares odd")]
    [InlineData("fun find(l) { for (x in l) { for (y in x) { if (y > 2) { return y; } } } return null; } print(find([[1], [2, 3]]));", "3")]
    public void Statements(string source, string expected)
    {
        string found;
        try
        {
            found = Run(source);
        }
        catch (LanguageException problem)
        {
            found = problem.Problem + "\n";
        }
        Assert.Equal(expected + "\n", found);
    }

    [Theory]
    [InlineData("try { throw 5; } catch (e) { print(e); }", "5")]
    [InlineData("try { print([1][1]); } catch (e) { print(e); }", "1 is outside")]
    [InlineData("try { print(1 / 0); } catch (e) { print(e); }", "division by zero")]
    [InlineData("try { print(1 % 0); } catch (e) { print(e); }", "division by zero")]
    [InlineData("try { print([][0.5]); } catch (e) { print(e); }", "0.5 is no position")]
    [InlineData("try { print(-\"a\"); } catch (e) { print(e); }", "- of text")]
    [InlineData("try { print(1 + null); } catch (e) { print(e); }", "+ of null")]
    [InlineData("try { print(\"a\" - \"b\"); } catch (e) { print(e); }", "no - between texts")]
    [InlineData("try { print(1[0]); } catch (e) { print(e); }", "[] of number")]
    [InlineData("try { let n = 1; n[0] = 2; } catch (e) { print(e); }", "[]= of number")]
    [InlineData("try { for (x in null) { } } catch (e) { print(e); }", "for of null")]
    [InlineData("try { print(1 in 2); } catch (e) { print(e); }", "in of number")]
    [InlineData("try { 1(); } catch (e) { print(e); }", "number cannot be called")]
    [InlineData("fun f(a) { } try { f(); } catch (e) { print(e); }", "f takes 1, not 0")]
    [InlineData("try { (fun(a) => a)(); } catch (e) { print(e); }", "it takes 1, not 0")]
    [InlineData("try { length(); } catch (e) { print(e); }", "length takes 1, not 0")]
    [InlineData("try { length(1); } catch (e) { print(e); }", "length of number")]
    [InlineData("try { pop([]); } catch (e) { print(e); }", "pop of an empty list")]
    [InlineData("try { floor(\"a\"); } catch (e) { print(e); }", "text is not what is wanted")]
    [InlineData("fun f(n) => f(n + 1); try { f(0); } catch (e) { print(e); }", "too deep")]
    [InlineData("for (i in 3) { try { if (i == 1) { break; } print(i); } catch (e) { } }", "0")]
    [InlineData("let n = 0; while (n < 3) { try { n += 1; if (n == 2) { continue; } throw n; } catch (e) { print(e); } }", "1\n3")]
    [InlineData("fun f() { try { return 1; } catch (e) { return 2; } } try { f(); throw 3; } catch (e) { print(e); }", "3")]
    [InlineData("try { try { throw 1; } catch (e) { throw e + 1; } } catch (e) { print(e); }", "2")]
    public void Failures(string source, string expected)
    {
        Assert.Equal(expected + "\n", Run(source));
    }

    [Theory]
    [InlineData("print(floor(2.7), sqrt(9), number(\"2.5\"), number(\"x\"), text([1]));", "2 3 2.5 null [1]")]
    [InlineData("print(type(1), type(\"\"), type(null), type(true), type([]), type({}), type(print), type(fun() => 1));",
                "number text null bool list map function function")]
    [InlineData("let l = []; push(l, 2); push(l, 1); print(sort(l), pop(l), l, length(\"abc\"), keys({b: 1, a: 2}), length({}));",
                "[1, 2] 1 [2] 3 [a, b] 0")]
    [InlineData("print(print);", "function")]
    public void BuiltinFunctions(string source, string expected)
    {
        Assert.Equal(expected + "\n", Run(source));
    }

    [Theory]
    [InlineData("let = 1;", 1)]
    [InlineData("let a = 1", 1)]
    [InlineData("\n\n\"open", 3)]
    [InlineData("print(\"\\q\");", 1)]
    [InlineData("let a = 1 @ 2;", 1)]
    [InlineData("{ let a = 1;", 1)]
    [InlineData("1 = 2;", 1)]
    [InlineData("print(;", 1)]
    [InlineData("print(", 1)]
    [InlineData("break;", 1)]
    [InlineData("\nreturn 1;", 2)]
    [InlineData("let a = 1; let a = 2;", 1)]
    [InlineData("fun f(a, a) { }", 1)]
    [InlineData("while (true) { fun g() { continue; } }", 1)]
    [InlineData("print(b);", 1)]
    [InlineData("throw 5;", 1)]
    [InlineData("\n[1][2];", 2)]
    public void WrongPrograms(string source, int line)
    {
        LanguageException problem = Assert.Throws<LanguageException>(() => Run(source));
        Assert.Equal(line, problem.Line);
        Assert.StartsWith($"line {line}: ", problem.Message);
    }

    // What it prints, the same both ways.
    private static string Run(string source)
    {
        Block program = new Parser(source).Parse();
        new Checker().Check(program);
        var walked = new StringWriter { NewLine = "\n" };
        var executed = new StringWriter { NewLine = "\n" };
        var machine = new Machine(executed);
        LanguageException walking = Catch(() => new Interpreter(walked).Run(program));
        LanguageException executing = Catch(() => machine.Run(new Compiler().Compile(new Folder().Fold(program))));
        Assert.Equal(walking?.Message, executing?.Message);
        Assert.Equal(walked.ToString(), executed.ToString());
        return walking == null ? walked.ToString() : throw walking;
    }

    private static LanguageException Catch(Action run)
    {
        try
        {
            run();
            return null;
        }
        catch (LanguageException problem)
        {
            return problem;
        }
    }
}
