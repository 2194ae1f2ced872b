// The tree engine against `clew report --json` of real recordings. test/page/run records them and names their folder.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ReportMethod, TreeDocument } from "./documents";
import { childrenOf, correctSums, methodSums, type Tree, treeOf, whole } from "./tree";
import { callee, callersOf, invert } from "./tree_callers";
import { below, calleesOf, folded, grouped, relabel } from "./tree_filter";

const folder = process.env.CLEW_PAGE_DATA;
const names = folder
  ? readdirSync(folder).flatMap((name) => (name.endsWith(".tree.json") ? [name.slice(0, -10)] : []))
  : [];

function read<T>(name: string): T {
  return JSON.parse(readFileSync(join(folder ?? "", name), "utf8")) as T;
}

type Row = Pick<
  ReportMethod,
  "module" | "method" | "calls" | "exceptions" | "open" | "own_ns" | "total_ns" | "min_ns" | "max_ns"
>;

/** A row that is no method, such as `(caller unknown)`: the report has none for it. */
const isPseudo = ({ name, module }: Tree["methods"][number]) => module === null && name.startsWith("(");

function rowsOf(tree: Tree): Row[] {
  const sums = methodSums(tree);
  const none = (value: number) => (Number.isNaN(value) ? null : value);
  return tree.methods.flatMap((method, at) =>
    isPseudo(method)
      ? []
      : {
          module: method.module,
          method: method.name,
          calls: sums.calls[at],
          exceptions: sums.exceptions[at],
          open: sums.open[at],
          own_ns: sums.own[at],
          total_ns: sums.total[at],
          min_ns: none(sums.min[at]),
          max_ns: none(sums.max[at]),
        },
  );
}

describe.skipIf(!folder)("recordings", () => {
  test("there are some", () => expect(names.length).toBeGreaterThan(1));

  for (const name of names) {
    const document = read<TreeDocument>(`${name}.tree.json`);
    const tree = treeOf(document);
    const sums = methodSums(tree);

    test(`${name}: methods`, () => {
      const { methods } = read<{ methods: ReportMethod[] }>(`${name}.methods.json`);
      const ours = rowsOf(tree);
      const theirs = methods.map(({ module, method, calls, exceptions, open, own_ns, total_ns, min_ns, max_ns }) => ({
        module,
        method,
        calls,
        exceptions,
        open,
        own_ns,
        total_ns,
        min_ns,
        max_ns,
      }));
      // Several modules can have methods of the same name.
      const fullName = (row: Row) => `${row.method} ${row.module}`;
      const order = (rows: Row[]) => rows.sort((a, b) => (fullName(a) < fullName(b) ? -1 : 1));
      const rounded = order(ours);
      order(theirs).forEach((row, at) => {
        const nodes =
          sums.nodes[tree.methods.findIndex((method) => `${method.name} ${method.module}` === fullName(row))] ?? 0;
        const mine = rounded[at];
        for (const column of ["own_ns", "total_ns"] as const) {
          expect(Math.abs((mine?.[column] ?? 0) - (row[column] ?? 0)), row.method).toBeLessThanOrEqual(nodes);
        }
        expect({ ...mine, own_ns: row.own_ns, total_ns: row.total_ns }).toEqual(row);
      });
      correctSums(tree, methods);
      expect(order(rowsOf(tree))).toEqual(theirs);
    });

    test(`${name}: a total is own time and callees`, () => {
      const same = Int32Array.from(tree.methods, (_, at) => at);
      const again = relabel(tree, tree.methods, same, false).tree;
      expect([...again.total]).toEqual([...tree.total]);
      expect(again.async).toEqual(tree.async);
      expect(Math.abs(whole(tree).total - (document.total_ns ?? 0))).toBeLessThanOrEqual(document.roots.length);
    });

    test(`${name}: nothing is lost by turning, folding and grouping`, () => {
      const all = tree.methods.map((_, at) => at);
      expect(whole(invert(tree, all, (caller) => caller.own, 0)).total).toBe(
        tree.own.reduce((sum, own) => sum + own, 0),
      );
      expect(whole(folded(tree))).toEqual(whole(tree));
      expect(whole(grouped(tree, "module", (method) => method.module ?? ""))).toEqual(whole(tree));
    });

    test(`${name}: callers and callees of each method add up`, () => {
      tree.methods.forEach((method, at) => {
        if (isPseudo(method)) {
          return; // correctSums() leaves nothing of it
        }
        const start = callee(tree, at);
        const outside = [...start.nodes]
          .filter((node) => tree.parent[node] < 0)
          .reduce((sum, node) => sum + tree.calls[node], 0);
        const calls = callersOf(tree, start).reduce((sum, caller) => sum + caller.calls, outside);
        expect(calls).toBe(sums.calls[at]);
        const sub = below(tree, at);
        const direct = childrenOf(sub, 0).map((node) => [sub.method[node], sub.total[node], sub.calls[node]]);
        expect(calleesOf(tree, at).map((row) => [row.method, row.total, row.calls])).toEqual(direct);
        expect(Math.abs(whole(below(tree, at)).total - sums.total[at])).toBeLessThanOrEqual(sums.nodes[at]);
      });
    });
  }
});
