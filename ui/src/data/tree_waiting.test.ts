import { describe, expect, it } from "vitest";
import { openAtFirst } from "../views/tree/interaction";
import { visibleRows } from "../views/tree/rows";
import { Builder, goesByCpu, headKind, type Method, totalCpu, wholeCpu } from "./tree";
import { isWaiting, withWaiting } from "./tree_waiting";

const names = ["Main", "Work", "Take", "Wait", "Tick"];
const methods: Method[] = names.map((name) => ({
  key: name,
  name,
  module: "M",
  kind: "method",
  category: "mine",
  document: null,
  line: null,
}));
const ms = 1e6;

/** Each node as [parent, method, total in ms, own CPU time in ms]. */
function treeOf(nodes: [number, number, number, number][], heads: readonly Method[] = []) {
  const builder = new Builder(nodes.length);
  for (const [parent, method, total, cpu] of nodes) {
    const node = builder.add(parent, method);
    builder.figures.total[node] = total * ms;
    builder.figures.own[node] = total * ms;
    builder.figures.cpuUser[node] = cpu * ms;
    builder.figures.calls[node] = 1;
  }
  return builder.finish([...methods, ...heads], true);
}

// Take (2) waits in Wait (3); Tick (4) was sampled once in 20 s; another Tick (5) took less than ten samples' time.
const tree = treeOf([
  [-1, 0, 3000, 500],
  [0, 1, 2000, 600],
  [-1, 2, 3000, 0],
  [2, 3, 3000, 0],
  [-1, 4, 20000, 10],
  [-1, 4, 90, 0],
]);

describe("what only waited", () => {
  it("is below one row, whose time is the sum", () => {
    const made = withWaiting(tree);
    const head = made.methods.length - 1;
    const rows = [...visibleRows(made, openAtFirst(made), { name: "cpu", down: true })];
    expect(rows.map((node) => made.methods[made.method[node]]?.name)).toEqual([
      "Main",
      "Work",
      "Tick",
      "2 paths waiting",
    ]);
    const node = rows[3] as number;
    expect(made.method[node]).toBe(head);
    expect(isWaiting(made, node)).toBe(true);
    expect([made.total[node], made.own[node], made.calls[node], totalCpu(made)[node]]).toEqual([
      23000 * ms,
      0,
      0,
      10 * ms,
    ]);
    expect(made.count).toBe(tree.count + 1);
    expect(wholeCpu(made)).toBe(wholeCpu(tree));
  });

  it("stays the last row in any order, and opens", () => {
    const made = withWaiting(tree);
    const node = [...visibleRows(made, new Set(), { name: "total", down: true })].at(-1) as number;
    expect(isWaiting(made, node)).toBe(true);
    const open = visibleRows(made, new Set([node, node + 1]), { name: "cpu", down: true });
    expect([...open].slice(-3).map((at) => [made.methods[made.method[at]]?.name, made.depth[at]])).toEqual([
      ["Tick", 1],
      ["Take", 1],
      ["Wait", 2],
    ]);
  });

  it("is below the head of its thread", () => {
    const head: Method = { ...(methods[0] as Method), name: "thread 1", kind: headKind, category: "other" };
    const apart = treeOf(
      [
        [-1, 5, 6000, 0],
        [0, 0, 3000, 1100],
        [0, 2, 3000, 0],
      ],
      [head],
    );
    const made = withWaiting(apart);
    expect([...made.depth].map((depth, node) => [depth, made.methods[made.method[node]]?.name])).toEqual([
      [0, "thread 1"],
      [1, "Main"],
      [1, "1 path waiting"],
      [2, "Take"],
    ]);
  });

  it("is nothing where all paths used a processor", () => {
    const busy = treeOf([[-1, 0, 3000, 1500]]);
    expect(withWaiting(busy)).toBe(busy);
  });
});

describe("shares", () => {
  it("are of CPU time where there is a second of it", () => {
    expect(goesByCpu(treeOf([[-1, 0, 3000, 1000]]))).toBe(true);
    expect(goesByCpu(treeOf([[-1, 0, 3000, 990]]))).toBe(false);
  });
});
