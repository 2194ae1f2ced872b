// A call tree in columns. All functions on it are pure: they leave their tree as it is and give a new one.
import { type Async, asyncOf, movedAwaits } from "./async";
import type { Category, ReportMethod, TreeDocument } from "./documents";
import {
  type AsyncFigures,
  addFigures,
  asyncNames,
  eachOf,
  emptyFigure,
  emptyFigures,
  type Figures,
  figureNames,
  figures,
  isNested,
  nested,
  plain,
} from "./figures";

export interface Method {
  /** How links and filters name the method: its name, with the module where two modules have the same name. */
  readonly key: string;
  readonly name: string;
  readonly module: string | null;
  readonly kind: string;
  readonly category: Category;
  readonly document: number | null;
  readonly line: number | null;
  /** What hands it over to be run elsewhere; null: several methods do; absent: none that is known. */
  readonly startedBy?: string | null | undefined;
}

/** Methods of this kind head the roots of a thread or a process. They ran nothing themselves. */
export const headKind = "head";

export interface Tree extends Figures {
  readonly methods: readonly Method[];
  /** Nodes, depth first: those below node n are n + 1 to end[n] - 1. */
  readonly count: number;
  readonly parent: Int32Array;
  readonly end: Int32Array;
  readonly depth: Int32Array;
  readonly method: Int32Array;
  /** False: the recording has no times, and own and total are 0. */
  readonly timed: boolean;
  /** Whether CPU times were sampled. */
  readonly sampled: boolean;
  /** null: no node is async, or the tree is physical. */
  readonly async: Async | null;
}

/** Gathers nodes whose parents come first, in any order besides, and puts them depth first. */
export class Builder {
  readonly parent: Int32Array;
  readonly method: Int32Array;
  readonly figures: Figures;
  /** Of a tree with async nodes. */
  async: Async | null = null;
  count = 0;

  constructor(readonly capacity: number) {
    this.parent = new Int32Array(capacity);
    this.method = new Int32Array(capacity);
    this.figures = emptyFigures(figureNames, capacity);
  }

  /** An empty node; its numbers are added afterwards. */
  add(parent: number, method: number): number {
    const node = this.count++;
    this.parent[node] = parent;
    this.method[node] = method;
    return node;
  }

  finish(methods: readonly Method[], timed: boolean): Tree {
    const n = this.count;
    const order = this.#order();
    const place = new Int32Array(n);
    for (let at = 0; at < n; at++) {
      place[order[at]] = at;
    }
    const column = (values: Float64Array) => {
      const moved = new Float64Array(n);
      for (let at = 0; at < n; at++) {
        moved[at] = values[order[at]];
      }
      return moved;
    };
    const parent = new Int32Array(n);
    const method = new Int32Array(n);
    const depth = new Int32Array(n);
    for (let at = 0; at < n; at++) {
      const above = this.parent[order[at]];
      parent[at] = above < 0 ? -1 : place[above];
      method[at] = this.method[order[at]];
      depth[at] = above < 0 ? 0 : depth[parent[at]] + 1;
    }
    return {
      methods,
      count: n,
      parent,
      end: ends(parent),
      depth,
      method,
      ...eachOf(figureNames, (name) => column(this.figures[name])),
      async: this.async && {
        ...eachOf(asyncNames, (name) => column((this.async as Async)[name])),
        awaits: movedAwaits(this.async.awaits, place),
      },
      timed,
      sampled: this.figures.cpuUser.some((ns) => ns > 0) || this.figures.cpuKernel.some((ns) => ns > 0),
    };
  }

  /** The nodes depth first, siblings in the order of their coming. */
  #order(): Int32Array {
    const n = this.count;
    const first = new Int32Array(n + 1).fill(-1); // of the parent; the roots' is the last
    const next = new Int32Array(n).fill(-1);
    for (let node = n - 1; node >= 0; node--) {
      const above = this.parent[node] < 0 ? n : this.parent[node];
      next[node] = first[above];
      first[above] = node;
    }
    const order = new Int32Array(n);
    let node = first[n];
    for (let at = 0; at < n; at++) {
      order[at] = node;
      let step = first[node];
      let above = node;
      while (step < 0 && above >= 0) {
        step = next[above];
        above = this.parent[above];
      }
      node = step;
    }
    return order;
  }
}

function ends(parent: Int32Array): Int32Array {
  const end = new Int32Array(parent.length);
  for (let node = parent.length - 1; node >= 0; node--) {
    end[node] = Math.max(end[node], node + 1);
    if (parent[node] >= 0) {
      end[parent[node]] = Math.max(end[parent[node]], end[node]);
    }
  }
  return end;
}

/** Rows of the same method in several processes or modules loaded twice become one, as `clew report` adds them up. */
function mergeMethods(rows: TreeDocument["methods"]): { methods: Method[]; of: Int32Array } {
  const of = new Int32Array(rows.length);
  const methods: Method[] = [];
  const known = new Map<string, number>();
  const names = new Map<string, number>();
  rows.forEach((row, index) => {
    const identity = `${row.name}\n${row.module ?? ""}\n${row.kind}`;
    let at = known.get(identity);
    if (at === undefined) {
      at = methods.length;
      known.set(identity, at);
      const same = names.get(row.name) ?? 0;
      names.set(row.name, same + 1);
      const { name, module, kind, category, document, line, started_by: startedBy } = row;
      const key = same === 0 ? name : `${name} [${module ?? same}]`;
      methods.push({ key, name, module, kind, category, document, line, startedBy });
    }
    of[index] = at;
  });
  return { methods, of };
}

/** The head that a root stands below, or null. */
export type HeadOf = (root: { process: number | null; thread: number | null }) => string | null;

function fill(column: Float64Array, values: (number | null)[], none: number): void {
  for (let at = 0; at < values.length; at++) {
    column[at] = values[at] ?? none;
  }
}

export function treeOf(document: TreeDocument, headOf: HeadOf = () => null): Tree {
  const { methods, of } = mergeMethods(document.methods);
  const nodes = document.nodes;
  const size = nodes.parent.length;
  const heads = new Map<string, number>();
  const builder = new Builder(size + document.roots.length);
  const headOfNode = new Map<number, string>();
  for (const root of document.roots) {
    const name = headOf(root);
    if (name !== null) {
      headOfNode.set(root.node, name);
      if (!heads.has(name)) {
        const head = builder.add(-1, methods.length);
        heads.set(name, head);
        methods.push({ key: name, name, module: null, kind: headKind, category: "other", document: null, line: null });
      }
    }
  }
  const shift = builder.count;
  for (let at = 0; at < size; at++) {
    const above = nodes.parent[at];
    const head = above < 0 ? heads.get(headOfNode.get(at) ?? "") : undefined;
    builder.add(above < 0 ? (head ?? -1) : above + shift, of[nodes.method[at]]);
    if (head !== undefined) {
      builder.figures.total[head] += nodes.total_ns?.[at] ?? 0;
    }
  }
  for (const name of figureNames) {
    const values = nodes[figures[name].key];
    if (values) {
      fill(builder.figures[name].subarray(shift), values, emptyFigure(name));
    }
  }
  if (document.async) {
    builder.async = asyncOf(document.async, builder.parent, builder.count, shift);
  }
  return builder.finish(methods, document.total_ns !== null);
}

/** Rows that are no calls: compilation, and where the JIT made a loop of calls. Their time is in the totals above them. */
const notCalled = new Set(["(JIT)", "(JIT for precompiled code)", "(clew)", "(continues as)"]);

export function isCalled(method: Method): boolean {
  return method.module !== null || !notCalled.has(method.name);
}

/** What a method did in all nodes together; nothing for rows that are no calls. */
export interface Sums extends Figures {
  readonly nodes: Int32Array;
  readonly async: AsyncFigures | null;
}

const sumsOf = new WeakMap<Tree, Sums>();

/** By method, in the order of tree.methods. */
export function methodSums(tree: Tree): Sums {
  const known = sumsOf.get(tree);
  if (known) {
    return known;
  }
  const n = tree.methods.length;
  const async = tree.async && emptyFigures(asyncNames, n);
  const sums: Sums = { ...emptyFigures(figureNames, n), nodes: new Int32Array(n), async };
  addFigures(sums, tree, tree.method, plain);
  const target = outermost(tree);
  for (let node = 0; node < tree.count; node++) {
    sums.nodes[tree.method[node]]++;
    target[node] = target[node] ? tree.method[node] : -1;
  }
  addFigures(sums, tree, target, nested);
  if (async && tree.async) {
    for (const name of asyncNames) {
      addFigures(async, tree.async, isNested(name) ? target : tree.method, [name]);
    }
  }
  clearSums(tree, sums, (method) => !isCalled(method));
  sumsOf.set(tree, sums);
  return sums;
}

function clearSums(tree: Tree, sums: Sums, clears: (method: Method) => boolean): void {
  tree.methods.forEach((method, at) => {
    if (clears(method)) {
      for (const name of figureNames) {
        sums[name][at] = emptyFigure(name);
      }
      sums.nodes[at] = 0;
    }
  });
}

/** Rows of a tree that are no methods: the methods below them count their activations. */
const containers = new Set(["(small)", "(caller unknown)"]);

/**
 * Takes the sums that `clew report` gives for the whole session. Nodes have whole ns, and a sum of some thousands of them is
 * some ns beside the rounded sum; and small paths may be folded.
 */
export function correctSums(tree: Tree, rows: readonly ReportMethod[]): void {
  const sums = methodSums(tree);
  clearSums(tree, sums, (method) => method.module === null && containers.has(method.name));
  const places = new Map(
    tree.methods.map((method, at) => [`${method.name}\n${method.module ?? ""}\n${method.kind}`, at]),
  );
  for (const row of rows) {
    const at = places.get(`${row.method}\n${row.module ?? ""}\n${row.kind}`);
    if (at !== undefined && row.calls !== null) {
      for (const name of figureNames) {
        sums[name][at] = row[figures[name].key] ?? emptyFigure(name);
      }
    }
  }
}

const cpuOf = new WeakMap<Tree, Float64Array>();

/** Sampled CPU time of each node with everything below it. */
export function totalCpu(tree: Tree): Float64Array {
  let known = cpuOf.get(tree);
  if (!known) {
    known = Float64Array.from(tree.cpuUser, (ns, node) => ns + (tree.cpuKernel[node] ?? 0));
    for (let node = tree.count - 1; node >= 0; node--) {
      if (tree.parent[node] >= 0) {
        known[tree.parent[node]] += known[node];
      }
    }
    cpuOf.set(tree, known);
  }
  return known;
}

/** That of all roots. */
export function wholeCpu(tree: Tree): number {
  const cpu = totalCpu(tree);
  return roots(tree).reduce((sum, root) => sum + cpu[root], 0);
}

/** CPU time is sampled every 10 ms, so that a hundred samples are needed for shares. */
const leastShared = 1e9;

/** Whether shares, and what is open at first, go by CPU time: wall time includes waiting. `clew report` has the same rule. */
export function goesByCpu(tree: Tree): boolean {
  return tree.timed && tree.sampled && wholeCpu(tree) >= leastShared;
}

/** 1 where no node above has the same method. */
export function outermost(tree: Tree): Int32Array {
  const until = new Int32Array(tree.methods.length);
  const outer = new Int32Array(tree.count);
  for (let node = 0; node < tree.count; node++) {
    const method = tree.method[node];
    if (node >= until[method]) {
      outer[node] = 1;
      until[method] = tree.end[node];
    }
  }
  return outer;
}

/** The nodes of each method: those of method m are nodes[first[m]] to nodes[first[m + 1] - 1], in the tree's order. */
export interface MethodNodes {
  readonly first: Int32Array;
  readonly nodes: Int32Array;
}

const nodesOf = new WeakMap<Tree, MethodNodes>();

export function methodNodes(tree: Tree): MethodNodes {
  let known = nodesOf.get(tree);
  if (!known) {
    const first = new Int32Array(tree.methods.length + 1);
    for (let node = 0; node < tree.count; node++) {
      first[tree.method[node] + 1]++;
    }
    for (let at = 1; at < first.length; at++) {
      first[at] += first[at - 1];
    }
    const next = first.slice();
    const nodes = new Int32Array(tree.count);
    for (let node = 0; node < tree.count; node++) {
      nodes[next[tree.method[node]]++] = node;
    }
    known = { first, nodes };
    nodesOf.set(tree, known);
  }
  return known;
}

export function roots(tree: Tree): number[] {
  const found: number[] = [];
  for (let node = 0; node < tree.count; node = tree.end[node]) {
    found.push(node);
  }
  return found;
}

export function childrenOf(tree: Tree, node: number): number[] {
  const found: number[] = [];
  for (let child = node + 1; child < tree.end[node]; child = tree.end[child]) {
    found.push(child);
  }
  return found;
}

/** From the root to the node itself. */
export function pathOf(tree: Tree, node: number): number[] {
  const path: number[] = [];
  for (let at = node; at >= 0; at = tree.parent[at]) {
    path.push(at);
  }
  return path.reverse();
}

/** The time of all roots, their waiting, and all calls: the whole that shares refer to. */
export interface Whole {
  total: number;
  awaiting: number;
  calls: number;
  exceptions: number;
}

export function whole(tree: Tree): Whole {
  const sum = { total: 0, awaiting: 0, calls: 0, exceptions: 0 };
  for (let node = 0; node < tree.count; node++) {
    sum.calls += isCalled(tree.methods[tree.method[node]]) ? tree.calls[node] : 0;
    sum.exceptions += tree.exceptions[node];
    if (tree.parent[node] < 0) {
      sum.total += tree.total[node];
      sum.awaiting += tree.async?.awaiting[node] ?? 0;
    }
  }
  return sum;
}
