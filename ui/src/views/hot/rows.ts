// The rows of the hot spots: methods, and below an opened one its callers, or its callees, at any level.
import { meanLatency } from "../../data/async";
import { ownCpu } from "../../data/figures";
import { childrenOf, headKind, methodSums, type Tree } from "../../data/tree";
import { type Caller, callee, callersOf } from "../../data/tree_callers";
import { below } from "../../data/tree_filter";

export type Way = "callers" | "callees";

export interface HotRow {
  /** The methods from the first level to this row. */
  id: string;
  level: number;
  method: number;
  own: number;
  /** Sampled, of its own time. */
  cpu: number;
  total: number;
  calls: number;
  exceptions: number;
  min: number;
  max: number;
  /** The mean of the activations of an async method that ended; NaN: none has. */
  latency: number;
  awaiting: number;
  opens: boolean;
  children: () => HotRow[];
}

type Value = Pick<HotRow, "own" | "cpu" | "total" | "calls" | "exceptions" | "min" | "max" | "latency" | "awaiting">;

/** What a column sorts by. Callers and callees of a row are in the same order as the rows. */
export function columnValue(name: string): ((row: Value) => number) | null {
  const of: Record<string, (row: Value) => number> = {
    own: (row) => row.own,
    cpu: (row) => row.cpu,
    total: (row) => row.total,
    calls: (row) => row.calls,
    exceptions: (row) => row.exceptions,
    mean: (row) => (row.calls ? row.own / row.calls : 0),
    min: (row) => (Number.isNaN(row.min) ? -1 : row.min),
    max: (row) => (Number.isNaN(row.max) ? -1 : row.max),
    latency: (row) => (Number.isNaN(row.latency) ? -1 : row.latency),
    awaiting: (row) => row.awaiting,
  };
  return of[name] ?? null;
}

function memo<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function callerRow(tree: Tree, caller: Caller, above: string, level: number): HotRow {
  const id = `${above}/${caller.method}`;
  const { method, own, cpu, total, calls, exceptions, awaiting, latency, ended } = caller;
  return {
    id,
    level,
    method,
    own,
    cpu,
    total,
    calls,
    exceptions,
    min: Number.NaN,
    max: Number.NaN,
    latency: ended > 0 ? latency / ended : Number.NaN,
    awaiting,
    opens: caller.at.some((node) => tree.parent[node] >= 0),
    children: memo(() => callersOf(tree, caller).map((next) => callerRow(tree, next, id, level + 1))),
  };
}

function calleeRow(tree: Tree, node: number, above: string, level: number): HotRow {
  const id = `${above}/${tree.method[node]}`;
  return {
    id,
    level,
    method: tree.method[node],
    own: tree.own[node],
    cpu: ownCpu(tree, node),
    total: tree.total[node],
    calls: tree.calls[node],
    exceptions: tree.exceptions[node],
    min: tree.min[node],
    max: tree.max[node],
    latency: meanLatency(tree.async, node),
    awaiting: tree.async?.awaiting[node] ?? 0,
    opens: tree.end[node] > node + 1,
    children: memo(() => childrenOf(tree, node).map((child) => calleeRow(tree, child, id, level + 1))),
  };
}

/** A row for each method that ran. */
export function hotRows(tree: Tree, way: Way): HotRow[] {
  const sums = methodSums(tree);
  const rows: HotRow[] = [];
  tree.methods.forEach((row, method) => {
    if (row.kind === headKind || sums.nodes[method] === 0) {
      return;
    }
    const id = String(method);
    rows.push({
      id,
      level: 0,
      method,
      own: sums.own[method],
      cpu: ownCpu(sums, method),
      total: sums.total[method],
      calls: sums.calls[method],
      exceptions: sums.exceptions[method],
      min: sums.min[method],
      max: sums.max[method],
      latency: meanLatency(sums.async, method),
      awaiting: sums.async?.awaiting[method] ?? 0,
      opens: true,
      children: memo(() =>
        way === "callers"
          ? callersOf(tree, callee(tree, method)).map((caller) => callerRow(tree, caller, id, 1))
          : calleesOf(tree, method, id),
      ),
    });
  });
  return rows;
}

function calleesOf(tree: Tree, method: number, id: string): HotRow[] {
  const sub = below(tree, method);
  return sub.count === 0 ? [] : childrenOf(sub, 0).map((child) => calleeRow(sub, child, id, 1));
}

export interface Order {
  name: string;
  down: boolean;
}

export function inOrder(tree: Tree, rows: readonly HotRow[], order: Order): HotRow[] {
  const value = columnValue(order.name);
  const sign = order.down ? -1 : 1;
  const name = (row: HotRow) => tree.methods[row.method]?.name ?? "";
  const compare = value
    ? (a: HotRow, b: HotRow) => sign * (value(a) - value(b))
    : (a: HotRow, b: HotRow) => sign * (name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : 0);
  // Few rows have samples of CPU time; the others are in order of own time.
  const then = order.name === "cpu" ? (a: HotRow, b: HotRow) => sign * (a.own - b.own) : () => 0;
  return [...rows].sort((a, b) => compare(a, b) || then(a, b));
}

/** The rows in sight: those of the first level that `keep` keeps, and what is opened below them. */
export function inSight(tree: Tree, top: readonly HotRow[], expanded: ReadonlySet<string>, order: Order): HotRow[] {
  const rows: HotRow[] = [];
  const stack = inOrder(tree, top, order).reverse();
  for (let row = stack.pop(); row; row = stack.pop()) {
    rows.push(row);
    if (expanded.has(row.id)) {
      stack.push(...inOrder(tree, row.children(), order).reverse());
    }
  }
  return rows;
}
