import { describe, expect, it } from "vitest";
import type { SourceLine, StoryEvent } from "../../data/events";
import { costsOf, editorLink, heatOf, sharedFolder, summary, sumsOf, valuesByLine } from "./costs";

function row(line: number, count: number | null, own: number | null): SourceLine {
  return { line, column: 1, end_line: line, end_column: 9, count, own_ns: own, method: "A.F()" };
}

describe("costs of lines", () => {
  const costs = costsOf([row(5, 10, 100), row(5, 11, 50), row(6, 1, 0), row(7, 0, 0)], (method) => String(method));

  it("add the times of a line's statements and take the largest count", () => {
    expect(costs.get(5)).toMatchObject({ count: 11, own: 150, method: "A.F()" });
    expect(sumsOf(costs)).toEqual({ own: 150, count: 12, mostOwn: 150, mostCount: 11 });
  });

  it("heat what ran, by time or else by count", () => {
    const sums = sumsOf(costs);
    expect(heatOf(costs.get(5), sums)).toBe(8);
    expect(heatOf(costs.get(6), sums)).toBe(0);
    expect(heatOf(costs.get(7), sums)).toBeNull();
    expect(heatOf(undefined, sums)).toBeNull();
    const counted = costsOf([row(1, 1000, null), row(2, 10, null)], () => null);
    expect(heatOf(counted.get(1), sumsOf(counted))).toBe(8);
    expect(heatOf(counted.get(2), sumsOf(counted))).toBeGreaterThan(0);
  });
});

describe("values of an activation", () => {
  it("stand at the lines that gave them, without those of other calls", () => {
    const base = { at: "1:1:1", process: 1, thread: 1, depth: 0 };
    const value = (call: number, text: string): StoryEvent => ({
      ...base,
      event: "definition",
      call,
      name: "i",
      type: "System.Int32",
      value: text,
    });
    const found = valuesByLine(
      [
        { ...base, event: "statement", call: 3, line: 7 },
        value(3, "0"),
        { ...base, event: "statement", call: 4, line: 9 },
        value(4, "99"),
        value(3, "0"),
        value(3, "1"),
      ],
      3,
    );
    expect([...found.keys()]).toEqual([7]);
    expect(summary(found.get(7) ?? [])).toBe("i = 0, 1");
  });
});

describe("links and paths", () => {
  it("open the editor, but run no script", () => {
    expect(editorLink("vscode://file/{path}:{line}:{column}", "/a b/c#.cs", 7, 3)).toBe(
      "vscode://file/a%20b/c%23.cs:7:3",
    );
    expect(editorLink("idea://open?file={path}&line={line}", "/a/b.cs", 7)).toBe("idea://open?file=/a/b.cs&line=7");
    expect(editorLink("javascript:alert(1)//{path}", "/a", 1)).toBeNull();
    expect(editorLink("{path}", "/a", 1)).toBeNull();
  });

  it("share a folder", () => {
    expect(sharedFolder(["/a/b/c.cs", "/a/b/d/e.cs"])).toBe("/a/b/");
    expect(sharedFolder(["/a/b.cs", "C:\\x.cs"])).toBe("");
    expect(sharedFolder(["/a/b.cs"])).toBe("/a/");
    expect(sharedFolder([])).toBe("");
  });
});
