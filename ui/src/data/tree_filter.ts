// Trees from trees: without some methods, below one method, by class or module.
import { globTest } from "../text/name";
import { emptyAsync, movedAwaits } from "./async";
import { addFigures, asyncNames, figureNames, isNested, plain } from "./figures";
import { Builder, headKind, isCalled, type Method, methodNodes, type Tree } from "./tree";

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

/** A column that adds to one of the new tree. */
interface Moved {
  from: Float64Array;
  into: Float64Array;
}

/**
 * What a caller takes over from a node. rests: times are rounded node by node, so that totals differ from own times and callees.
 * removed: from one that is removed; melted: from one that becomes a part of it.
 */
function takenOver(tree: Tree, builder: Builder): Record<"rests" | "removed" | "melted", Moved[]> {
  const { figures, async } = builder;
  const times = (["own", "cpuUser", "cpuKernel"] as const).map((name) => ({ from: tree[name], into: figures[name] }));
  const counts = (["calls", "exceptions", "open"] as const).map((name) => ({ from: tree[name], into: figures[name] }));
  const rests = [{ from: roundings(tree, tree.own, tree.total), into: figures.total }];
  if (async && tree.async) {
    const { ownAwaiting, awaiting, runs, pending, unknownEnds, cancelled } = tree.async;
    rests.push({ from: roundings(tree, ownAwaiting, awaiting), into: async.awaiting });
    times.push({ from: ownAwaiting, into: async.ownAwaiting });
    counts.push({ from: runs, into: async.runs }, { from: pending, into: async.pending });
    counts.push({ from: unknownEnds, into: async.unknownEnds }, { from: cancelled, into: async.cancelled });
  }
  return { rests, removed: [...rests, ...times], melted: [...rests, ...times, ...counts] };
}

function take(columns: readonly Moved[], node: number, into: number): void {
  for (const column of columns) {
    column.into[into] += column.from[node];
  }
}

/**
 * The tree with other methods. label: of each old method the new one, or -1: the time of its nodes becomes their caller's
 * own, and its callees the caller's. With `fold` a node below one of the same new method melts into that, calls included.
 */
export function relabel(tree: Tree, methods: readonly Method[], label: Int32Array, fold: boolean): Filtered {
  const builder = new Builder(tree.count);
  builder.async = emptyAsync(tree.async, tree.count);
  const pairs = new Pairs(builder, tree.count);
  const to = new Int32Array(tree.count);
  const taken = new Int32Array(tree.count).fill(-1); // the node of the new tree that a node's figures add to
  const waits = new Int32Array(tree.count).fill(-1); // and its awaits
  const { rests, removed, melted } = takenOver(tree, builder);
  let hidden = 0;
  for (let node = 0; node < tree.count; node++) {
    const above = tree.parent[node] < 0 ? -1 : to[tree.parent[node]];
    const method = label[tree.method[node]];
    const melts = fold && above >= 0 && method >= 0 && builder.method[above] === method;
    const at = method < 0 || melts ? above : pairs.child(above, method);
    to[node] = at;
    if (at < 0) {
      hidden += tree.own[node] + (rests[0] as Moved).from[node];
    } else if (method < 0) {
      take(removed, node, at);
    } else {
      waits[node] = at;
      taken[node] = melts ? -1 : at;
      take(melts ? melted : rests, node, at);
    }
  }
  addFigures(builder.figures, tree, taken, plain);
  addUp(builder, builder.figures.own, builder.figures.total);
  if (builder.async && tree.async) {
    addFigures(builder.async, tree.async, taken, asyncPlain);
    addUp(builder, builder.async.ownAwaiting, builder.async.awaiting);
    builder.async = { ...builder.async, awaits: movedAwaits(tree.async.awaits, waits) };
  }
  return { tree: builder.finish(methods, tree.timed), hidden };
}

const asyncPlain = asyncNames.filter((name) => !isNested(name));

/** By how much totals differ from own figures and callees, node by node. */
function roundings(tree: Tree, own: Float64Array, total: Float64Array): Float64Array {
  const rest = new Float64Array(tree.count);
  for (let node = 0; node < tree.count; node++) {
    rest[node] += total[node] - own[node];
    if (tree.parent[node] >= 0) {
      rest[tree.parent[node]] -= total[node];
    }
  }
  return rest;
}

/** Totals from own figures, callees before callers. */
function addUp(builder: Builder, own: Float64Array, total: Float64Array): void {
  for (let node = builder.count - 1; node >= 0; node--) {
    total[node] += own[node];
    if (builder.parent[node] >= 0) {
      total[builder.parent[node]] += total[node];
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
  builder.async = emptyAsync(tree.async, size);
  const pairs = new Pairs(builder, size);
  const to = new Int32Array(largest); // of the nodes below the top at hand
  const waits = builder.async && new Int32Array(tree.count).fill(-1);
  for (const top of tops) {
    for (let at = top; at < tree.end[top]; at++) {
      const node = pairs.child(at === top ? -1 : to[tree.parent[at] - top], tree.method[at]);
      to[at - top] = node;
    }
    const targets = to.subarray(0, tree.end[top] - top);
    addFigures(builder.figures, tree, targets, figureNames, top);
    if (builder.async && tree.async) {
      addFigures(builder.async, tree.async, targets, asyncNames, top);
      waits?.set(targets, top);
    }
  }
  if (builder.async && waits) {
    builder.async = { ...builder.async, awaits: movedAwaits(builder.async.awaits, waits) };
  }
  return builder.finish(tree.methods, tree.timed);
}

export type Grouping = "method" | "class" | "module";

const groupsOf = new WeakMap<Tree, Map<Grouping, Tree>>();

/** The tree of classes or modules: calls within a group are no nodes, and what is no call stays as it is. name: of a method's group. */
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
      const group = method.kind === headKind || !isCalled(method) ? method.key : name(method);
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
