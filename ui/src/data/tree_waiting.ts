// What only waited, as one row at the end of the call tree: it used next to nothing of a processor, and shares are of CPU time.

import { emptyAsync, movedAwaits } from "./async";
import { asyncNames, figureNames } from "./figures";
import { Builder, headKind, type Method, type Tree, totalCpu } from "./tree";

/** CPU time is sampled every 10 ms. A path that took ten samples' time and has none waited. */
const leastTotal = 1e8;

/** A path that used less than one part in so many of its time on a processor only waited. */
const part = 1000;

export function isWaiting(tree: Tree, node: number): boolean {
  const method = tree.methods[tree.method[node]];
  return method?.kind === headKind && method.category === "waiting";
}

/** Whether nothing that was recorded called the node: it is a root, or below the head of a thread or a process. */
function isOutermost(tree: Tree, node: number): boolean {
  const above = tree.parent[node];
  const isHead = (at: number) => tree.methods[tree.method[at]]?.kind === headKind;
  return !isHead(node) && (above < 0 || isHead(above));
}

/** Whether the node begins a path that only waited. */
function onlyWaited(tree: Tree, node: number): boolean {
  const waited = tree.total[node] >= leastTotal && totalCpu(tree)[node] < tree.total[node] / part;
  return waited && isOutermost(tree, node);
}

const known = new WeakMap<Tree, Tree>();

/** The tree with what only waited below a head of its own, the last of its siblings. The same tree if nothing did. */
export function withWaiting(tree: Tree): Tree {
  let made = known.get(tree);
  if (!made) {
    const heads = headsOf(tree);
    made = heads.size > 0 ? moved(tree, heads) : tree;
    known.set(tree, made);
  }
  return made;
}

/** How many paths only waited, by what is above them. */
function headsOf(tree: Tree): Map<number, number> {
  const heads = new Map<number, number>();
  for (let node = 0; node < tree.count; node++) {
    if (onlyWaited(tree, node)) {
      heads.set(tree.parent[node], (heads.get(tree.parent[node]) ?? 0) + 1);
    }
  }
  return heads;
}

function headOf(count: number, above: number): Method {
  const name = count === 1 ? "1 path waiting" : `${count} paths waiting`;
  return {
    key: `(waiting) ${above}`,
    name,
    module: null,
    kind: headKind,
    category: "waiting",
    document: null,
    line: null,
  };
}

function moved(tree: Tree, heads: ReadonlyMap<number, number>): Tree {
  const builder = new Builder(tree.count + heads.size);
  const methods = [...tree.methods];
  const to = new Int32Array(tree.count);
  const made = new Map<number, number>();
  const newParent = (node: number) => (tree.parent[node] < 0 ? -1 : to[tree.parent[node]]);
  for (let node = 0; node < tree.count; node++) {
    let above = newParent(node);
    const count = heads.get(tree.parent[node]);
    if (count !== undefined && onlyWaited(tree, node)) {
      const head =
        made.get(tree.parent[node]) ?? builder.add(above, methods.push(headOf(count, tree.parent[node])) - 1);
      made.set(tree.parent[node], head);
      builder.figures.total[head] += tree.total[node];
      above = head;
    }
    to[node] = builder.add(above, tree.method[node]);
  }
  copyFigures(builder, tree, to);
  addAwaiting(builder, tree, made);
  return builder.finish(methods, tree.timed);
}

function copyFigures(builder: Builder, tree: Tree, to: Int32Array): void {
  for (const name of figureNames) {
    to.forEach((into, node) => {
      builder.figures[name][into] = tree[name][node];
    });
  }
  const { async } = tree;
  builder.async = emptyAsync(async, builder.capacity);
  if (builder.async && async) {
    for (const name of asyncNames) {
      const column = builder.async[name];
      to.forEach((into, node) => {
        column[into] = async[name][node];
      });
    }
    builder.async = { ...builder.async, awaits: movedAwaits(async.awaits, to) };
  }
}

/** Adds the waiting of async methods to the heads of what only waited. heads: by what is above them. */
function addAwaiting(builder: Builder, tree: Tree, heads: ReadonlyMap<number, number>): void {
  for (let node = 0; builder.async && tree.async && node < tree.count; node++) {
    const head = heads.get(tree.parent[node]);
    if (head !== undefined && onlyWaited(tree, node)) {
      builder.async.awaiting[head] += tree.async.awaiting[node];
    }
  }
}
