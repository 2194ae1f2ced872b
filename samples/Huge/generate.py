"""Writes the methods of Huge: generate.py OUT SIZE... One method for each shape and size, of so many statements."""
import sys

HEAD = "        [MethodImpl(MethodImplOptions.NoInlining)]\n        internal static long {name}()\n        {{"


def ifs(size):
    yield from ("if (On) Total++;" for _ in range(size))


def assignments(size):
    yield "long a = Total, b = 3;"
    yield from (f"a = b + {k};" if k % 2 else "b = a ^ Total;" for k in range(size - 2))
    yield "Total += a + b;"


def calls(size):
    yield from ("Total += Next(Total);" for _ in range(size))


# A hundred cases each: the C# compiler takes quadratic time and memory over larger ones.
def switch(size):
    for n in range(size // 100):
        yield "switch (Total % 100)"
        yield "{"
        yield from (f"case {k}: Total += {(k + n) % 7}; break;" for k in range(100))
        yield "}"


def locals_(size):
    yield "long v0 = Total;"
    for k in range(1, size // 2):
        yield f"long v{k} = v{k - 1} + {k};"
        yield f"Total ^= v{k} + v{k - 1};"


def objects(size):
    yield "Node node = new Node();"
    for k in range(size // 2):
        yield f"node.Next = new Node {{ Count = node.Count + {k} }};"
        yield "node = node.Next;"
    yield "Total += node.Count;"


# The JIT itself takes quadratic time for exception clauses, so only one statement in ten has one.
def handlers(size):
    for k in range(size // 20):
        yield f"try {{ Total += Next({k}); }} catch (ArgumentException) {{ Total--; }} finally {{ Total ^= {k}; }}"


SHAPES = {"Ifs": ifs, "Assignments": assignments, "Calls": calls, "Switch": switch, "Locals": locals_, "Objects": objects,
          "Handlers": handlers}


def main():
    out, *sizes = sys.argv[1:]
    with open(out, "w", encoding="utf-8") as text:
        text.write("using System.Runtime.CompilerServices;\n\nnamespace Huge\n{\n    internal static partial class Methods\n    {\n")
        for shape, statements in SHAPES.items():
            for size in sizes:
                text.write(HEAD.format(name=shape + size) + "\n")
                text.writelines(f"            {line}\n" for line in statements(int(size)))
                text.write("            return Total;\n        }\n\n")
        text.write("    }\n}\n")


main()
