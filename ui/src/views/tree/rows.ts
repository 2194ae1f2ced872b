// The rows of the call tree: which nodes are in sight, in which order.
import { meanLatency } from "../../data/async";
import { childrenOf, roots, type Tree, totalCpu } from "../../data/tree";
import { isWaiting } from "../../data/tree_waiting";
import type { Sort } from "../../frame/table";

/** The number by which a column sorts nodes; names sort by their text. */
export function sortValue(tree: Tree, name: string): ((node: number) => number) | null {
  const columns: Record<string, Float64Array | undefined> = {
    total: tree.total,
    own: tree.own,
    cpu: totalCpu(tree),
    calls: tree.calls,
    exceptions: tree.exceptions,
    min: tree.min,
    max: tree.max,
    awaiting: tree.async?.awaiting,
  };
  const column = columns[name];
  if (column) {
    return (node) => (Number.isNaN(column[node]) ? -1 : column[node]);
  }
  if (name === "latency") {
    return (node) => {
      const mean = meanLatency(tree.async, node);
      return Number.isNaN(mean) ? -1 : mean;
    };
  }
  return name === "mean" ? (node) => (tree.calls[node] ? tree.total[node] / tree.calls[node] : -1) : null;
}

/** Siblings in order; equal ones stay as they are. What only waited is the last. */
export function sorted(tree: Tree, nodes: number[], sort: Sort): number[] {
  const value = sortValue(tree, sort.name);
  const sign = sort.down ? -1 : 1;
  if (value) {
    // Few nodes have samples of CPU time; the others are in order of total time.
    const then = sort.name === "cpu" ? (a: number, b: number) => sign * (tree.total[a] - tree.total[b]) : () => 0;
    const last = (node: number) => Number(isWaiting(tree, node));
    return nodes.sort((a, b) => last(a) - last(b) || sign * (value(a) - value(b)) || then(a, b));
  }
  const name = (node: number) => tree.methods[tree.method[node]]?.name ?? "";
  return nodes.sort((a, b) => (name(a) < name(b) ? -sign : name(a) > name(b) ? sign : 0));
}

/** The nodes in sight, from top to bottom. */
export function visibleRows(tree: Tree, expanded: ReadonlySet<number>, sort: Sort): Int32Array {
  const rows: number[] = [];
  const stack = sorted(tree, roots(tree), sort).reverse();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    rows.push(node);
    if (expanded.has(node)) {
      const children = sorted(tree, childrenOf(tree, node), sort);
      for (let at = children.length - 1; at >= 0; at--) {
        stack.push(children[at] as number);
      }
    }
  }
  return Int32Array.from(rows);
}
