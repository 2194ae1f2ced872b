import { describe, expect, it } from "vitest";
import { type Branch, listKey, toggled, treeKey } from "./rows";

/** A, open, with B, closed, and C, a leaf; then D, closed. */
const rows: Branch[] = [
  { level: 1, expanded: true },
  { level: 2, expanded: false },
  { level: 2 },
  { level: 1, expanded: false },
];
const key = (name: string, active: number) => treeKey(name, active, (row) => rows[row] ?? {});

describe("keys on a tree's rows", () => {
  it("open a closed row and go into an open one", () => {
    expect(key("ArrowRight", 1)).toEqual({ kind: "toggle" });
    expect(key("ArrowRight", 0)).toEqual({ kind: "go", row: 1 });
    expect(key("ArrowRight", 2)).toBeNull();
  });

  it("close an open row, and go from others to the row they belong to", () => {
    expect(key("ArrowLeft", 0)).toEqual({ kind: "toggle" });
    expect(key("ArrowLeft", 1)).toEqual({ kind: "go", row: 0 });
    expect(key("ArrowLeft", 2)).toEqual({ kind: "go", row: 0 });
    expect(key("ArrowLeft", 3)).toEqual({ kind: "stay" });
  });

  it("turn rows with Space, and enter them", () => {
    expect(key(" ", 0)).toEqual({ kind: "toggle" });
    expect(key(" ", 1)).toEqual({ kind: "toggle" });
    expect(key(" ", 2)).toBeNull();
    expect(key("Enter", 2)).toEqual({ kind: "enter" });
    expect(key("ArrowDown", 0)).toBeNull();
  });
});

describe("keys on a list's rows", () => {
  const go = (name: string, active: number, count = 100) => listKey(name, active, count, 10);

  it("go on by a row or a page, and end at the ends", () => {
    expect(go("ArrowDown", 5)).toEqual({ kind: "go", row: 6 });
    expect(go("ArrowUp", 0)).toEqual({ kind: "go", row: 0 });
    expect(go("PageDown", 95)).toEqual({ kind: "go", row: 99 });
    expect(go("PageUp", 25)).toEqual({ kind: "go", row: 15 });
    expect(go("Home", 50)).toEqual({ kind: "go", row: 0 });
    expect(go("End", 50)).toEqual({ kind: "go", row: 99 });
    expect(go("End", -1, 0)).toBeNull();
    expect(go("x", 5)).toBeNull();
  });

  it("enter the active row; without one, the only row becomes active", () => {
    expect(go("Enter", 5)).toEqual({ kind: "enter" });
    expect(go("Enter", -1, 1)).toEqual({ kind: "go", row: 0 });
    expect(go("Enter", -1, 2)).toBeNull();
  });
});

describe("open rows", () => {
  it("are another set after each change", () => {
    const none = new Set<number>();
    const one = toggled(none, 7);
    expect([[...none], [...one]]).toEqual([[], [7]]);
    expect([...toggled(one, 7)]).toEqual([]);
  });
});
