import { describe, expect, it } from "vitest";
import { Builder } from "../../data/tree";
import {
  expandAll,
  foundNodes,
  heaviest,
  heaviestRoot,
  hottestPath,
  nextHit,
  openAtFirst,
  revealed,
} from "./interaction";
import { visibleRows } from "./rows";

/** A tree by hand: each node as [parent, method, own time, total time]. */
function treeOf(nodes: [number, number, number, number][], timed = true) {
  const builder = new Builder(nodes.length);
  for (const [parent, method, own, total] of nodes) {
    const node = builder.add(parent, method);
    builder.figures.own[node] = own;
    builder.figures.total[node] = total;
    builder.figures.calls[node] = 100 - total;
  }
  return builder.finish([], timed);
}

// Main (0) calls Load (1), which calls Parse (2) and Read (3), and Save (4); Idle (5) is another root.
const tree = treeOf([
  [-1, 0, 5, 90],
  [0, 1, 5, 70],
  [1, 2, 60, 60],
  [1, 3, 5, 5],
  [0, 2, 15, 15],
  [-1, 5, 10, 10],
]);
const byTotal = { name: "total", down: true };
const rows = (open: ReadonlySet<number>) => [...visibleRows(tree, open, byTotal)];

describe("open nodes", () => {
  it("are the roots and the hottest path at first", () => {
    expect([...openAtFirst(tree)].sort()).toEqual([0, 1, 2, 5]);
    expect(rows(openAtFirst(tree))).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it("are all below a node that is expanded, leaves apart", () => {
    expect([...expandAll(tree, 0, new Set([5]))]).toEqual([5, 0, 1]);
    expect([...expandAll(tree, 0, new Set(), 1)]).toEqual([0]);
  });

  it("lead to a node that is revealed; nothing changes if they do", () => {
    const open = revealed(tree, new Set([5]), 3);
    expect([...open]).toEqual([5, 1, 0]);
    expect(rows(open)).toContain(3);
    expect(revealed(tree, open, 2)).toBe(open);
  });
});

describe("the hottest path", () => {
  it("begins with the heaviest root and ends where most of the time is its own", () => {
    expect(heaviestRoot(tree)).toBe(0);
    expect(hottestPath(tree, 0)).toEqual([0, 1, 2]);
    expect(hottestPath(tree, 5)).toEqual([5]);
    expect(heaviestRoot(treeOf([]))).toBe(-1);
  });

  it("ends before callees that have little: less than a fifth, or less than their caller itself", () => {
    const fifth: [number, number, number, number] = [0, 1, 19, 19];
    expect(hottestPath(treeOf([[-1, 0, 5, 100], fifth, fifth, fifth, fifth, fifth]), 0)).toEqual([0]);
    expect(
      hottestPath(
        treeOf([
          [-1, 0, 50, 90],
          [0, 1, 40, 40],
        ]),
        0,
      ),
    ).toEqual([0]);
  });

  it("goes by calls where no times were recorded", () => {
    const counted = treeOf(
      [
        [-1, 0, 0, 90],
        [-1, 1, 0, 10],
      ],
      false,
    );
    expect(heaviestRoot(counted)).toBe(1);
  });
});

describe("a selected method", () => {
  it("is shown where it has the most weight", () => {
    expect(heaviest(tree, 2)).toBe(2);
    expect(heaviest(tree, 9)).toBe(-1);
  });
});

describe("hits of a search", () => {
  const hits = foundNodes(tree, Uint8Array.of(0, 0, 1, 1, 0, 0));

  it("are in the order of the tree", () => {
    expect(hits).toEqual([2, 3, 4]);
  });

  it("follow each other in both directions, round and round", () => {
    expect(nextHit(hits, 2, true)).toBe(3);
    expect(nextHit(hits, 4, true)).toBe(2);
    expect(nextHit(hits, 4, false)).toBe(3);
    expect(nextHit(hits, 2, false)).toBe(4);
    expect(nextHit(hits, -1, true)).toBe(2);
    expect(nextHit([], 2, true)).toBeUndefined();
  });
});
