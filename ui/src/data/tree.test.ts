import { describe, expect, test } from "vitest";
import type { MethodRow, TreeDocument } from "./documents";
import { eachFigureKey } from "./figures";
import { childrenOf, methodSums, roots, treeOf, whole } from "./tree";
import { callee, callersOf, invert } from "./tree_callers";
import { below, findMethod, folded, grouped, matchedWeight, search, without } from "./tree_filter";

/** A tree by hand: [depth, method, own, calls] depth first. */
function document(lines: [number, string, number, number][], timed = true): TreeDocument {
  const names = [...new Set(lines.map((line) => line[1]))];
  const methods: MethodRow[] = names.map((name, id) => ({
    name,
    module: name.startsWith("(") ? null : name.startsWith("System.") ? "System.Linq" : "Shop",
    kind: "method",
    category: name.startsWith("System.") ? "framework" : "mine",
    process: 1,
    id,
    document: null,
    line: null,
  }));
  const parent: number[] = [];
  const last: number[] = [];
  lines.forEach(([depth], at) => {
    parent.push(depth === 0 ? -1 : (last[depth - 1] as number));
    last[depth] = at;
  });
  const total = lines.map((line) => line[2]);
  for (let at = lines.length - 1; at >= 0; at--) {
    const above = parent[at] as number;
    if (above >= 0) {
      total[above] = (total[above] as number) + (total[at] as number);
    }
  }
  const tops = lines.flatMap(([depth], at) => (depth === 0 ? [at] : []));
  return {
    exact: true,
    from_ns: 0,
    to_ns: 1000,
    total_ns: timed ? tops.reduce((sum, at) => sum + (total[at] as number), 0) : null,
    calls: lines.reduce((sum, line) => sum + line[3], 0),
    cut: null,
    methods,
    roots: tops.map((node) => ({ node, process: 1, thread: null })),
    nodes: {
      ...eachFigureKey(() => lines.map(() => 0)),
      parent,
      method: lines.map((line) => names.indexOf(line[1])),
      calls: lines.map((line) => line[3]),
      own_ns: lines.map((line) => line[2]),
      total_ns: total,
    },
  };
}

const shop = document([
  [0, "Shop.Program.Main()", 10, 1],
  [1, "Shop.Cart.Add(int)", 20, 3],
  [2, "System.Linq.Where()", 5, 3],
  [3, "Shop.Cart.Check()", 7, 30],
  [2, "Shop.Cart.Add(int)", 8, 2],
  [1, "Shop.Cart.Check()", 4, 1],
  [0, "Shop.Worker.Run()", 50, 1],
  [1, "Shop.Cart.Check()", 6, 2],
]);

function lines(tree: ReturnType<typeof treeOf>): string[] {
  return Array.from(
    { length: tree.count },
    (_, node) =>
      `${" ".repeat(tree.depth[node])}${tree.methods[tree.method[node]]?.name} ${tree.own[node]}/${tree.total[node]} ${tree.calls[node]}`,
  );
}

describe("the tree of a document", () => {
  const tree = treeOf(shop);
  test("keeps order, depth and ends", () => {
    expect([...tree.end]).toEqual([6, 5, 4, 4, 5, 6, 8, 8]);
    expect(roots(tree)).toEqual([0, 6]);
    expect(childrenOf(tree, 1)).toEqual([2, 4]);
    expect(whole(tree)).toEqual({ total: 110, awaiting: 0, calls: 43, exceptions: 0 });
  });

  test("counts outermost activations alone in a method's total", () => {
    const sums = methodSums(tree);
    const add = findMethod(tree, "Shop.Cart.Add(int)");
    expect([sums.own[add], sums.total[add], sums.calls[add]]).toEqual([28, 40, 5]);
    const check = findMethod(tree, "Shop.Cart.Check()");
    expect([sums.own[check], sums.total[check], sums.calls[check]]).toEqual([17, 17, 33]);
  });

  test("puts roots of several threads below heads", () => {
    const apart = treeOf(shop, (root) => (root.thread === null ? `from ${root.process}` : null));
    expect(apart.methods[apart.method[0]]?.name).toBe("from 1");
    expect(apart.total[0]).toBe(110);
    expect(apart.depth[1]).toBe(1);
    expect(lines(apart).length).toBe(9);
  });

  test("gives methods of one name in two modules two keys", () => {
    const twice = { ...shop, methods: shop.methods.map((row) => ({ ...row, name: "A.B()", module: `M${row.id}` })) };
    expect(new Set(treeOf(twice).methods.map((method) => method.key)).size).toBe(5);
  });

  test("is empty without nodes", () => {
    expect(treeOf(document([])).count).toBe(0);
  });
});

describe("filters", () => {
  const tree = treeOf(shop);
  test("without: time and callees go to the caller, and siblings merge", () => {
    const mine = without(tree, (method) => method.category === "mine");
    expect(lines(mine.tree)).toEqual([
      "Shop.Program.Main() 10/54 1",
      " Shop.Cart.Add(int) 25/40 3",
      "  Shop.Cart.Check() 7/7 30",
      "  Shop.Cart.Add(int) 8/8 2",
      " Shop.Cart.Check() 4/4 1",
      "Shop.Worker.Run() 50/56 1",
      " Shop.Cart.Check() 6/6 2",
    ]);
    expect(mine.hidden).toBe(0);
  });

  test("without a root: its own time has no caller", () => {
    const rest = without(tree, (method) => method.name !== "Shop.Worker.Run()");
    expect(rest.hidden).toBe(50);
    expect(whole(rest.tree).total).toBe(60);
  });

  test("below: outermost activations together", () => {
    expect(lines(below(tree, findMethod(tree, "Shop.Cart.Add(int)")))).toEqual([
      "Shop.Cart.Add(int) 20/40 3",
      " System.Linq.Where() 5/12 3",
      "  Shop.Cart.Check() 7/7 30",
      " Shop.Cart.Add(int) 8/8 2",
    ]);
    expect(below(tree, -1).count).toBe(0);
  });

  test("folded recursion is one node", () => {
    expect(lines(folded(tree))[1]).toBe(" Shop.Cart.Add(int) 28/40 5");
  });

  test("by module: calls within a module are no nodes", () => {
    expect(lines(grouped(tree, "module", (method) => method.module ?? ""))).toEqual([
      "Shop 98/110 10",
      " System.Linq 5/12 3",
      "  Shop 7/7 30",
    ]);
  });

  test("a search counts what is found once", () => {
    const found = search(tree, "cart") as Uint8Array;
    expect(matchedWeight(tree, found, tree.total)).toBe(40 + 4 + 6);
    expect(search(tree, "")).toBeNull();
    expect(search(tree, "Shop.*.Check")?.reduce((a, b) => a + b)).toBe(1);
  });
});

describe("callers", () => {
  const tree = treeOf(shop);
  test("split a method's numbers by who called", () => {
    const check = callee(tree, findMethod(tree, "Shop.Cart.Check()"));
    const callers = callersOf(tree, check).map((one) => [tree.methods[one.method]?.name, one.own, one.calls]);
    expect(callers).toEqual([
      ["System.Linq.Where()", 7, 30],
      ["Shop.Program.Main()", 4, 1],
      ["Shop.Worker.Run()", 6, 2],
    ]);
  });

  test("invert gives each weight once", () => {
    const all = tree.methods.map((_, index) => index);
    const inverted = invert(tree, all, (caller) => caller.own, 0);
    expect(whole(inverted).total).toBe(110);
    expect(inverted.own.reduce((sum, own) => sum + own, 0)).toBe(110);
  });
});

test("compilation counts in totals, and is neither a method nor a call", () => {
  const tree = treeOf(
    document([
      [0, "Shop.Program.Main()", 10, 1],
      [1, "(JIT)", 40, 2],
      [1, "Shop.Cart.Add(int)", 20, 3],
      [2, "(clew)", 5, 1],
    ]),
  );
  expect(whole(tree)).toMatchObject({ total: 75, calls: 4 });
  const sums = methodSums(tree);
  const called = tree.methods.filter((_, at) => (sums.nodes[at] ?? 0) > 0).map((method) => method.name);
  expect(called).toEqual(["Shop.Program.Main()", "Shop.Cart.Add(int)"]);
  expect(sums.own.reduce((sum, own) => sum + own, 0)).toBe(30);
});
