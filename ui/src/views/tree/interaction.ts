// What keys and a selection do to the call tree: which nodes are open, and which one is next. Nothing here changes its input.
import { ownCpu } from "../../data/figures";
import { childrenOf, goesByCpu, roots, type Tree, totalCpu } from "../../data/tree";
import { isWaiting } from "../../data/tree_waiting";

/** What a node weighs, for the hottest path and for a selection: its CPU time, its time, or its calls. */
export function weightOf(tree: Tree): Float64Array {
  return !tree.timed ? tree.calls : goesByCpu(tree) ? totalCpu(tree) : tree.total;
}

function ownWeightOf(tree: Tree, node: number): number {
  return goesByCpu(tree) ? ownCpu(tree, node) : tree.own[node];
}

/** The nodes that are open at first: the heaviest roots, and the first steps of the hottest path. */
export function openAtFirst(tree: Tree): Set<number> {
  const weight = weightOf(tree);
  const heavy = roots(tree)
    .filter((root) => !isWaiting(tree, root))
    .sort((a, b) => weight[b] - weight[a]);
  const open = new Set(heavy.slice(0, 40));
  if (heavy[0] !== undefined) {
    for (const node of hottestPath(tree, heavy[0]).slice(0, 6)) {
      open.add(node);
    }
  }
  return open;
}

/** The open nodes, the node and all of its callees at every level. */
export function expandAll(tree: Tree, node: number, open: ReadonlySet<number>, most = 50_000): Set<number> {
  const next = new Set(open);
  for (let at = node; at < tree.end[node] && at < node + most; at++) {
    if (tree.end[at] > at + 1) {
      next.add(at);
    }
  }
  return next;
}

/** The way down to where the most time is lost: the heaviest callee, as long as it has a fifth of its caller's weight. */
export function hottestPath(tree: Tree, from: number): number[] {
  const weight = weightOf(tree);
  const path: number[] = [];
  let node = from;
  for (;;) {
    path.push(node);
    const next = childrenOf(tree, node).reduce(
      (best, child) => (best < 0 || weight[child] > weight[best] ? child : best),
      -1,
    );
    if (next < 0 || weight[next] < weight[node] * 0.2 || ownWeightOf(tree, node) > weight[next]) {
      return path;
    }
    node = next;
  }
}

/** The root with the most weight; -1: there is none. */
export function heaviestRoot(tree: Tree): number {
  const weight = weightOf(tree);
  return roots(tree).reduce((best, root) => (best < 0 || weight[root] > weight[best] ? root : best), -1);
}

/** The open nodes, and all above a node, so that it is in sight. The same set if they are open. */
export function revealed(tree: Tree, open: ReadonlySet<number>, node: number): ReadonlySet<number> {
  const way: number[] = [];
  for (let at = tree.parent[node]; at >= 0; at = tree.parent[at]) {
    way.push(at);
  }
  return way.every((each) => open.has(each)) ? open : new Set([...open, ...way]);
}

/** Where a method has the most weight: the node that a selection scrolls to. */
export function heaviest(tree: Tree, method: number): number {
  const weight = weightOf(tree);
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

/** The hit after a node, or before it; after the last one, the first. */
export function nextHit(hits: readonly number[], node: number, forward: boolean): number | undefined {
  const next = forward ? hits.find((hit) => hit > node) : hits.findLast((hit) => hit < node);
  return next ?? (forward ? hits[0] : hits.at(-1));
}
