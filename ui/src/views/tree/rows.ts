// The rows of the call tree: which nodes are in sight, in which order.
import { childrenOf, roots, type Tree, totalCpu } from "../../data/tree";
import type { Sort } from "../../frame/table";

/** The number by which a column sorts nodes; names sort by their text. */
export function sortValue(tree: Tree, name: string): ((node: number) => number) | null {
  const columns: Record<string, Float64Array> = {
    total: tree.total,
    own: tree.own,
    cpu: totalCpu(tree),
    calls: tree.calls,
    exceptions: tree.exceptions,
    min: tree.min,
    max: tree.max,
  };
  const column = columns[name];
  if (column) {
    return (node) => (Number.isNaN(column[node]) ? -1 : column[node]);
  }
  return name === "mean" ? (node) => (tree.calls[node] ? tree.total[node] / tree.calls[node] : -1) : null;
}

/** Siblings in order; equal ones stay as they are. */
export function sorted(tree: Tree, nodes: number[], sort: Sort): number[] {
  const value = sortValue(tree, sort.name);
  const sign = sort.down ? -1 : 1;
  if (value) {
    // Few nodes have samples of CPU time; the others are in order of total time.
    const then = sort.name === "cpu" ? (a: number, b: number) => sign * (tree.total[a] - tree.total[b]) : () => 0;
    return nodes.sort((a, b) => sign * (value(a) - value(b)) || then(a, b));
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

/** The node and all of its callees at every level. */
export function expandAll(tree: Tree, node: number, expanded: ReadonlySet<number>, most = 50_000): Set<number> {
  const next = new Set(expanded);
  for (let at = node; at < tree.end[node] && at < node + most; at++) {
    if (tree.end[at] > at + 1) {
      next.add(at);
    }
  }
  return next;
}

/** The way down to where the most time is lost: the heaviest callee, as long as it has a fifth of its caller's weight. */
export function hottestPath(tree: Tree, from: number, weight: Float64Array, own: Float64Array): number[] {
  const path: number[] = [];
  let node = from;
  for (;;) {
    path.push(node);
    const next = childrenOf(tree, node).reduce(
      (best, child) => (best < 0 || weight[child] > weight[best] ? child : best),
      -1,
    );
    if (next < 0 || weight[next] < weight[node] * 0.2 || own[node] > weight[next]) {
      return path;
    }
    node = next;
  }
}

/** All nodes above, for opening the way to a node. */
export function above(tree: Tree, node: number): number[] {
  const found: number[] = [];
  for (let at = tree.parent[node]; at >= 0; at = tree.parent[at]) {
    found.push(at);
  }
  return found;
}

/** Where a method has the most weight: the node that a selection scrolls to. */
export function heaviest(tree: Tree, method: number, weight: Float64Array): number {
  let best = -1;
  for (let node = 0; node < tree.count; node++) {
    if (tree.method[node] === method && (best < 0 || weight[node] > weight[best])) {
      best = node;
    }
  }
  return best;
}

/** Nodes that a search finds, in the order of the tree. */
export function foundNodes(tree: Tree, found: Uint8Array): number[] {
  const nodes: number[] = [];
  for (let node = 0; node < tree.count; node++) {
    if (found[tree.method[node]]) {
      nodes.push(node);
    }
  }
  return nodes;
}
