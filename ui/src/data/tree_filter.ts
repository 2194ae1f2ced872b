// Trees from trees: without some methods, below one method, by class or module.
import { globTest } from "../text/name";
import { addFigures, figureNames, plain } from "./figures";
import { Builder, headKind, type Method, methodNodes, type Tree } from "./tree";

/** Numbers for pairs (parent, label), by open addressing: a Map of 200,000 pairs takes three times as long. */
class Pairs {
  readonly #mask: number;
  readonly #slots: Int32Array;

  constructor(
    private readonly builder: Builder,
    most: number,
  ) {
    let size = 16;
    while (size < most * 2) {
      size *= 2;
    }
    this.#mask = size - 1;
    this.#slots = new Int32Array(size).fill(-1);
  }

  /** The child of `parent` with this method; a new one if there is none. */
  child(parent: number, method: number): number {
    let slot = (Math.imul(parent + 1, 0x9e3779b1) ^ Math.imul(method + 1, 0x85ebca6b)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & this.#mask;
    for (;;) {
      const node = this.#slots[slot];
      if (node < 0) {
        this.#slots[slot] = this.builder.count;
        return this.builder.add(parent, method);
      }
      if (this.builder.parent[node] === parent && this.builder.method[node] === method) {
        return node;
      }
      slot = (slot + 1) & this.#mask;
    }
  }
}

/** Time and calls of removed roots, which no remaining node has above it. */
export interface Filtered {
  tree: Tree;
  hidden: number;
}

/**
 * The tree with other methods. label: of each old method the new one, or -1: the time of its nodes becomes their caller's
 * own, and its callees the caller's. With `fold` a node below one of the same new method melts into that, calls included.
 */
export function relabel(tree: Tree, methods: readonly Method[], label: Int32Array, fold: boolean): Filtered {
  const builder = new Builder(tree.count);
  const pairs = new Pairs(builder, tree.count);
  const to = new Int32Array(tree.count);
  const taken = new Int32Array(tree.count).fill(-1); // the node of the new tree that a node's figures add to
  const rounding = roundings(tree);
  let hidden = 0;
  for (let node = 0; node < tree.count; node++) {
    const above = tree.parent[node] < 0 ? -1 : to[tree.parent[node]];
    const method = label[tree.method[node]];
    if (method < 0 || (fold && above >= 0 && builder.method[above] === method)) {
      to[node] = above;
      if (above >= 0) {
        builder.figures.own[above] += tree.own[node];
        builder.figures.cpuUser[above] += tree.cpuUser[node];
        builder.figures.cpuKernel[above] += tree.cpuKernel[node];
        builder.figures.total[above] += rounding[node];
        if (method >= 0) {
          builder.figures.calls[above] += tree.calls[node];
          builder.figures.exceptions[above] += tree.exceptions[node];
          builder.figures.open[above] += tree.open[node];
        }
      } else {
        hidden += tree.own[node] + rounding[node];
      }
      continue;
    }
    const at = pairs.child(above, method);
    to[node] = at;
    taken[node] = at;
    builder.figures.total[at] += rounding[node];
  }
  addFigures(builder.figures, tree, taken, plain);
  addUp(builder);
  return { tree: builder.finish(methods, tree.timed), hidden };
}

/** Times are rounded to ns node by node: by how much totals differ from own time and callees. */
function roundings(tree: Tree): Float64Array {
  const rest = new Float64Array(tree.count);
  for (let node = 0; node < tree.count; node++) {
    rest[node] += tree.total[node] - tree.own[node];
    if (tree.parent[node] >= 0) {
      rest[tree.parent[node]] -= tree.total[node];
    }
  }
  return rest;
}

/** Totals from own times, callees before callers. */
function addUp(builder: Builder): void {
  for (let node = builder.count - 1; node >= 0; node--) {
    builder.figures.total[node] += builder.figures.own[node];
    if (builder.parent[node] >= 0) {
      builder.figures.total[builder.parent[node]] += builder.figures.total[node];
    }
  }
}

/** The tree without the methods for which `keep` is false. */
export function without(tree: Tree, keep: (method: Method) => boolean): Filtered {
  const label = new Int32Array(tree.methods.length);
  let removed = 0;
  tree.methods.forEach((method, index) => {
    const stays = method.kind === headKind || keep(method);
    label[index] = stays ? index : -1;
    removed += stays ? 0 : 1;
  });
  return removed ? relabel(tree, tree.methods, label, false) : { tree, hidden: 0 };
}

/** The tree with each chain of a recursion as one node. */
export function folded(tree: Tree): Tree {
  const label = Int32Array.from(tree.methods, (_, index) => index);
  return relabel(tree, tree.methods, label, true).tree;
}

/** The nodes of a method that are below no other one of it. */
function outermostNodes(tree: Tree, method: number): number[] {
  const found: number[] = [];
  if (method >= 0) {
    const { first, nodes } = methodNodes(tree);
    let until = 0;
    for (let at = first[method]; at < first[method + 1]; at++) {
      if (nodes[at] >= until) {
        found.push(nodes[at]);
        until = tree.end[nodes[at]];
      }
    }
  }
  return found;
}

export interface Callee {
  method: number;
  total: number;
  calls: number;
}

/** What outermost activations of a method called directly, by method: the first level of `below`. */
export function calleesOf(tree: Tree, method: number): Callee[] {
  const found = new Map<number, Callee>();
  for (const top of outermostNodes(tree, method)) {
    for (let node = top + 1; node < tree.end[top]; node = tree.end[node]) {
      const callee = found.get(tree.method[node]) ?? { method: tree.method[node], total: 0, calls: 0 };
      callee.total += tree.total[node];
      callee.calls += tree.calls[node];
      found.set(callee.method, callee);
    }
  }
  return [...found.values()];
}

/** Everything below a method, as the trees of all of its outermost activations together. */
export function below(tree: Tree, method: number): Tree {
  const tops = outermostNodes(tree, method);
  const size = tops.reduce((sum, node) => sum + tree.end[node] - node, 0);
  const largest = tops.reduce((most, node) => Math.max(most, tree.end[node] - node), 0);
  const builder = new Builder(size);
  const pairs = new Pairs(builder, size);
  const to = new Int32Array(largest); // of the nodes below the top at hand
  for (const top of tops) {
    for (let at = top; at < tree.end[top]; at++) {
      const node = pairs.child(at === top ? -1 : to[tree.parent[at] - top], tree.method[at]);
      to[at - top] = node;
    }
    addFigures(builder.figures, tree, to.subarray(0, tree.end[top] - top), figureNames, top);
  }
  return builder.finish(tree.methods, tree.timed);
}

export type Grouping = "method" | "class" | "module";

const groupsOf = new WeakMap<Tree, Map<Grouping, Tree>>();

/** The tree of classes or modules: calls within a group are no nodes. name: of a method's group. */
export function grouped(tree: Tree, by: Grouping, name: (method: Method) => string): Tree {
  if (by === "method") {
    return tree;
  }
  const known = groupsOf.get(tree) ?? new Map<Grouping, Tree>();
  groupsOf.set(tree, known);
  let result = known.get(by);
  if (!result) {
    const methods: Method[] = [];
    const found = new Map<string, number>();
    const label = Int32Array.from(tree.methods, (method) => {
      const group = method.kind === headKind ? method.key : name(method);
      let at = found.get(group);
      if (at === undefined) {
        at = methods.length;
        found.set(group, at);
        const { module, category } = method;
        const kind = method.kind === headKind ? headKind : by;
        methods.push({ key: group, name: group, module, kind, category, document: null, line: null });
      }
      return at;
    });
    result = relabel(tree, methods, label, true).tree;
    known.set(by, result);
  }
  return result;
}

export function findMethod(tree: Tree, key: string | null): number {
  return key === null ? -1 : tree.methods.findIndex((method) => method.key === key);
}

/** Methods whose name a search finds: 1 at their index; null: there is no search. */
export function search(tree: Tree, text: string | null): Uint8Array | null {
  if (!text) {
    return null;
  }
  const test = globTest(text);
  return Uint8Array.from(tree.methods, (method) => (method.kind !== headKind && test(method.name) ? 1 : 0));
}

/** The weight of nodes that a search finds, each below another one not counted: the matched part of the whole. */
export function matchedWeight(tree: Tree, found: Uint8Array, weight: Float64Array): number {
  let sum = 0;
  for (let node = 0; node < tree.count; ) {
    if (found[tree.method[node]]) {
      sum += weight[node];
      node = tree.end[node];
    } else {
      node++;
    }
  }
  return sum;
}
