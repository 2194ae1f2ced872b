import { describe, expect, it } from "vitest";
import { coloured, languageOf } from "./syntax";

const source = [
  "using System;",
  "/* a",
  "   b */ class A<T> {",
  '  string s = "</script>" + $"{1 + 2}";',
  "",
  "  int F() => 0x1F; // end",
  "}",
];

describe("syntax colours", () => {
  it("are known for the languages of .NET", () => {
    expect(["/a/b.cs", "x.FS", "y.vb", "z.txt", "z", "x.constructor"].map(languageOf)).toEqual([
      "csharp",
      "fsharp",
      "vbnet",
      null,
      null,
      null,
    ]);
  });

  it("keep every letter, line by line", () => {
    for (const path of ["a.cs", "a.fs", "a.vb", "a.txt"]) {
      expect(coloured(source, path).map((line) => line.map((piece) => piece.text).join(""))).toEqual(source);
    }
  });

  it("colour keywords, comments over lines, strings", () => {
    const lines = coloured(source, "a.cs");
    expect(lines[0]?.[0]).toEqual({ text: "using", kind: "keyword" });
    expect(lines[2]?.[0]).toEqual({ text: "   b */", kind: "comment" });
    expect(lines[3]?.some((piece) => piece.kind === "string" && piece.text.includes("</script>"))).toBe(true);
  });

  it("leave very long texts plain", () => {
    const long = Array.from({ length: 20_000 }, () => "int aaaaaaaaaaaaaaaaaaaaaaaaaaaa = 1;");
    expect(coloured(long, "a.cs")[0]).toEqual([{ text: long[0], kind: null }]);
  });
});
