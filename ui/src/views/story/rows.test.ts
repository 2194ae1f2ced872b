import { describe, expect, it } from "vitest";
import type { StoryEvent } from "../../data/events";
import { linesOf, matches, parsePosition, plainLine, shortType, valueText } from "./rows";

let ordinal = 0;

function event(kind: string, more: Partial<StoryEvent> = {}): StoryEvent {
  ordinal++;
  return { event: kind, at: `1:1:${ordinal}`, process: 1, thread: 1, depth: 0, call: 1, ...more };
}

describe("lines of a story", () => {
  it("give a call its arguments and a statement its values", () => {
    const lines = linesOf([
      event("enter", { method: "A.Main()", time_ns: 10 }),
      event("argument", { name: "text", type: "System.String", value: "a\nb" }),
      event("statement", { line: 7, text: "int sum = 0;" }),
      event("definition", { name: "sum", type: "System.Int32", value: "0", place: "local" }),
      event("definition", { name: "last", type: "System.Object", value: null, place: "local" }),
    ]);
    expect(lines.map((line) => line.kind)).toEqual(["call", "statement"]);
    expect(lines[0]?.values[0]?.text).toBe('"a\\nb"');
    expect(plainLine(lines[1] as never)).toBe("  7  int sum = 0;  → sum = 0, last = null");
    expect(lines[1]?.values[1]?.isNull).toBe(true);
  });

  it("join the beginning and the end of a call without anything between", () => {
    const lines = linesOf([
      event("enter", { method: "A.F(int)", call: 2, depth: 1, time_ns: 10 }),
      event("argument", { name: "n", type: "System.Int32", value: "5", call: 2, depth: 1 }),
      event("result", { type: "System.Int32", value: "6", call: 2, depth: 1 }),
      event("leave", { method: "A.F(int)", call: 2, depth: 1, duration_ns: 30 }),
    ]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ kind: "call", leaf: true, duration: 30 });
    expect(lines[0]?.values.map((value) => value.kind)).toEqual(["argument", "result"]);
  });

  it("name the item whose path has an index", () => {
    const lines = linesOf([
      event("statement", { line: 7, text: "counts[2]++;" }),
      event("definition", { type: "System.Int32", value: "1", place: "indirect", path: "counts[]", indices: [2] }),
      event("definition", { type: "System.Int32", value: "9", place: "indirect", path: "rows[].Count" }),
      event("definition", {
        type: "System.Int32",
        value: "9",
        place: "field",
        name: "Count",
        path: "tables[][].Count",
        indices: [3],
      }),
    ]);
    expect(lines[0]?.values.map((value) => value.label)).toEqual(["counts[2]", "rows[].Count", "tables[][3].Count"]);
  });

  it("put a value that comes after a call on a line of its own", () => {
    const lines = linesOf([
      event("statement", { line: 3, text: "x = F();" }),
      event("enter", { method: "A.F()", call: 2, depth: 1 }),
      event("statement", { line: 9, text: "return 1;", call: 2, depth: 1 }),
      event("result", { type: "System.Int32", value: "1", call: 2, depth: 1 }),
      event("leave", { method: "A.F()", call: 2, depth: 1 }),
      event("definition", { name: "x", type: "System.Int32", value: "1" }),
    ]);
    expect(lines.map((line) => line.kind)).toEqual(["statement", "call", "statement", "end", "values"]);
    expect(lines[2]?.values.map((value) => value.text)).toEqual(["1"]);
    expect(lines[4]?.values[0]?.label).toBe("x");
  });

  it("leave out what only the compiler's code has", () => {
    const lines = linesOf([
      event("definition", {
        place: "static",
        index: 67108867,
        type: "System.Action",
        value: "System.Action",
        object: 1,
      }),
    ]);
    expect(lines).toHaveLength(0);
  });

  it("say how a call ended, and what is lost", () => {
    const lines = linesOf([
      event("statement", { line: 1 }),
      event("unwind", { method: "A.F()" }),
      event("lost", { count: 12 }),
    ]);
    expect(lines[1]).toMatchObject({ kind: "end", how: "unwind" });
    expect(plainLine(lines[2] as never)).toBe("12 events are lost");
  });

  it("say what was thrown and caught", () => {
    const lines = linesOf([
      event("enter", { method: "A.F()", depth: 1 }),
      event("thrown", { depth: 1, type: "N.EmptyException", message: "no", message_length: 9, below: false }),
      event("unwind", { method: "A.F()", depth: 1 }),
      event("caught", { type: "N.EmptyException", message: null, below: false }),
      event("thrown", { type: null, message: "odd", message_length: 3, below: true }),
    ]);
    expect(lines.map((line) => line.kind)).toEqual(["call", "throw", "end", "throw", "throw"]);
    expect(lines.flatMap((line) => (line.kind === "throw" ? plainLine(line) : []))).toEqual([
      "    throws EmptyException: no...",
      "  catches EmptyException",
      "  (type not known) is thrown below, by code that is not recorded: odd",
    ]);
  });

  it("do not give one thread's values to another's statement", () => {
    const lines = linesOf([
      event("statement", { line: 1 }),
      event("definition", { thread: 2, name: "y", value: "1", type: "System.Int32" }),
    ]);
    expect(lines).toHaveLength(2);
  });
});

describe("values", () => {
  it("are written as C# does", () => {
    expect(valueText({ type: "System.Char", value: "x" }).text).toBe("'x'");
    expect(
      valueText({
        type: "P",
        value: "P",
        fields: [
          { name: "A", type: "System.Int32", value: "1" },
          { name: "B", type: "X", value: null },
        ],
      }).text,
    ).toBe("{ A = 1, B = null }");
    expect(valueText({ not_captured: "redacted" })).toEqual({
      text: "not captured: redacted",
      isNull: false,
      missing: "redacted",
    });
    expect(valueText({ type: "System.Action", value: "System.Action", object: 3 }).text).toBe("Action");
  });

  it("have short types", () => {
    expect(shortType("System.Collections.Generic.Dictionary<System.String, System.Int32[]>")).toBe(
      "Dictionary<string, int[]>",
    );
    expect(shortType("My.String")).toBe("String");
  });
});

describe("search and positions", () => {
  it("finds text and values in either case", () => {
    const [line] = linesOf([
      event("statement", { line: 1, text: "Total()" }),
      event("definition", { name: "Sum", type: "System.Int32", value: "42" }),
    ]);
    expect(line && matches(line, "sum = 42")).toBe(true);
    expect(line && matches(line, "total")).toBe(true);
    expect(line && matches(line, "43")).toBe(false);
  });

  it("reads positions and nothing else", () => {
    expect(parsePosition("1:2:345")).toEqual({ process: 1, thread: 2, ordinal: 345 });
    expect(parsePosition("1:2")).toBeNull();
    expect(parsePosition("345")).toBeNull();
  });
});
