// The parts of the language alone.
using ParserSample;

public class PartTests
{
    [Fact]
    public void Tokens()
    {
        List<Token> tokens = new Lexer("let x1 = 2.50 ** _y; # words\n\"text\" <= 3.").Read();
        Assert.Equal(new[] { "let", "x1", "=", "2.50", "**", "_y", ";", "text", "<=", "3", ".", "" }, tokens.Select(token => token.Text));
        Assert.Equal(Kind.Keyword, tokens[0].Kind);
        Assert.Equal(2.5, tokens[3].Number);
        Assert.Equal(2, tokens[7].Line);
        Assert.True(tokens[8].Is("<="));
        Assert.False(tokens[7].Is("text"));
        Assert.Equal("the end", tokens[^1].ToString());
        Assert.Equal("'x1'", tokens[1].ToString());
    }

    [Theory]
    [InlineData("print(1 + 2 * 3);", 2)]
    [InlineData("print(1 / 0, -\"a\");", 0)]
    [InlineData("if (1 == 1) { print(1); } else { print(2); }", 2)]
    [InlineData("if (false) { print(1); }", 1)]
    [InlineData("while (0) { print(1); }", 1)]
    [InlineData("while (1 > 0) { break; print(1); }", 2)]
    [InlineData("print(true and print, false or null, 1 ? 2 : 3);", 3)]
    [InlineData("fun f() { return 1; print(2); print(3); }", 2)]
    [InlineData("let l = [1 + 1, {a: not true}]; l[1 - 1] = -(2); try { throw 1 + 1; } catch (e) { print(e ? 1 : 2); }", 5)]
    [InlineData("for (x in [1]) { if (x and 1) { x += 1 - 1; } else print(x or 0); }", 1)]
    public void WhatIsConstantIsFolded(string source, int folded)
    {
        var folder = new Folder();
        folder.Fold(new Parser(source).Parse());
        Assert.Equal(folded, folder.Folded);
    }

    [Fact]
    public void EveryBuiltinFunctionHasItsName()
    {
        Assert.Equal(Builtins.Names, new Builtins(TextWriter.Null).All().Select(builtin => builtin.Name));
    }

    [Fact]
    public void CodeOfAnExpression()
    {
        Function code = new Compiler().Compile(new Parser("let a = 1 < 2 and 3;").Parse());
        Assert.Equal(new[] { Code.Enter, Code.Push, Code.Push, Code.Binary, Code.Copy, Code.JumpIfFalse, Code.Drop, Code.Push, Code.Declare,
                             Code.Leave, Code.Push, Code.Return },
                     code.Code.Select(instruction => instruction.Code));
        Assert.Equal(8, code.Code[5].Number);
    }

    [Fact]
    public void StepsAreCounted()
    {
        Block program = new Parser("let n = 0; while (n < 100) { n += 1; }").Parse();
        var interpreter = new Interpreter(TextWriter.Null);
        interpreter.Run(program);
        Assert.Equal(807, interpreter.Steps);
        var machine = new Machine(TextWriter.Null);
        machine.Run(new Compiler().Compile(program));
        Assert.Equal(1110, machine.Steps);
    }
}
