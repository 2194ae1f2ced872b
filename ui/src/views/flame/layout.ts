// Where frames stand: positions are shares of the whole width, so that zooming is looking at a part of it.
import { type AsyncFigures, type Figures, ownCpu } from "../../data/figures";
import { childrenOf, goesByCpu, type Method, pathOf, roots, type Tree, totalCpu } from "../../data/tree";

/** What frames are as wide as. */
export interface Weights {
  own: Float64Array;
  total: Float64Array;
  /** What of own weights is waiting; null: none is. */
  waiting: Float64Array | null;
  sum: number;
}

export type WeightName = "cpu" | "time" | "awaiting" | "latency" | "calls" | "exceptions";

interface WeightKind {
  /** In the list of weights. */
  label: string;
  /** What the widths are, for the legend. */
  widths: string;
  /** The beginning of the sentence where there is none. */
  none: string;
  isTime: boolean;
}

export const weightKinds: Readonly<Record<WeightName, WeightKind>> = {
  cpu: {
    label: "CPU ~",
    widths: "sampled CPU time, callees included",
    none: "No CPU time was sampled",
    isTime: true,
  },
  time: { label: "Time", widths: "time in code, callees included", none: "There is no time", isTime: true },
  awaiting: {
    label: "Awaiting",
    widths: "time in which async methods waited and nothing that they called ran, callees included",
    none: "There is no waiting",
    isTime: true,
  },
  latency: {
    label: "Total + awaiting",
    widths: "time in code and waiting, callees included: what roots took, unless callees overlap",
    none: "There is no time",
    isTime: true,
  },
  calls: { label: "Calls", widths: "calls, callees included", none: "There are no calls", isTime: false },
  exceptions: {
    label: "Exceptions",
    widths: "activations that an exception ended, callees included",
    none: "There are no exceptions",
    isTime: false,
  },
};

export function isAsync(method: Method): boolean {
  return method.kind === "async" || method.kind === "async_iterator";
}

/** What something weighs: its own figures, and those with all that it called. */
export interface Weighing {
  own: number;
  total: number;
  cpu: number;
  ownAwaiting: number;
  awaiting: number;
  calls: number;
  exceptions: number;
}

export function ownWeight(of: Weighing, name: WeightName): number {
  const { own, cpu, ownAwaiting, calls, exceptions } = of;
  return { cpu, time: own, awaiting: ownAwaiting, latency: own + ownAwaiting, calls, exceptions }[name];
}

/** Calls and exceptions are those of the method itself. */
export function totalWeight(of: Weighing & { totalCpu: number }, name: WeightName): number {
  const { total, totalCpu: cpu, awaiting, calls, exceptions } = of;
  return { cpu, time: total, awaiting, latency: total + awaiting, calls, exceptions }[name];
}

/** The figures of a method, or of a node. */
export function weighingOf(of: Figures & { async: AsyncFigures | null }, at: number): Weighing {
  return {
    own: of.own[at],
    total: of.total[at],
    cpu: ownCpu(of, at),
    ownAwaiting: of.async?.ownAwaiting[at] ?? 0,
    awaiting: of.async?.awaiting[at] ?? 0,
    calls: of.calls[at],
    exceptions: of.exceptions[at],
  };
}

/** What shares are of, unless another weight is chosen. */
export function firstWeight(tree: Tree): WeightName {
  return !tree.timed ? "calls" : goesByCpu(tree) ? "cpu" : "time";
}

const known = new WeakMap<Tree, Map<WeightName, Weights>>();

/** Of a tree's nodes; of calls and exceptions the total is that of the node and all below. */
export function weigh(tree: Tree, name: WeightName): Weights {
  const cache = known.get(tree) ?? new Map<WeightName, Weights>();
  known.set(tree, cache);
  let weights = cache.get(name);
  if (!weights) {
    const { own, total } = columnsOf(tree, name);
    const sum = roots(tree).reduce((all, root) => all + total[root], 0);
    const waiting = (name === "awaiting" || name === "latency") && tree.async ? tree.async.ownAwaiting : null;
    weights = { own, total, waiting, sum };
    cache.set(name, weights);
  }
  return weights;
}

function columnsOf(tree: Tree, name: WeightName): Pick<Weights, "own" | "total"> {
  if (name === "calls" || name === "exceptions") {
    return { own: tree[name], total: addedUp(tree, tree[name]) };
  }
  if (name === "time") {
    return tree;
  }
  const cpu = totalCpu(tree);
  return {
    own: Float64Array.from(tree.own, (_, node) => ownWeight(weighingOf(tree, node), name)),
    total: Float64Array.from(tree.own, (_, node) =>
      totalWeight({ ...weighingOf(tree, node), totalCpu: cpu[node] }, name),
    ),
  };
}

function addedUp(tree: Tree, own: Float64Array): Float64Array {
  const total = Float64Array.from(own);
  for (let node = tree.count - 1; node >= 0; node--) {
    const above = tree.parent[node];
    if (above >= 0) {
      total[above] += total[node];
    }
  }
  return total;
}

/** A part of the whole width, from 0 to 1. */
export interface Span {
  from: number;
  to: number;
}

export const everything: Span = { from: 0, to: 1 };

export interface Frame {
  /** -1: callees too small to be drawn one by one. */
  node: number;
  depth: number;
  from: number;
  to: number;
}

export interface Layout {
  tree: Tree;
  span: Span;
  /** By depth, each from left to right. */
  rows: Frame[][];
}

const orders = new WeakMap<Float64Array, Map<number, number[]>>();

/** Children, the heaviest first; -1: the roots. */
function ordered(tree: Tree, total: Float64Array, node: number): number[] {
  const cache = orders.get(total) ?? new Map<number, number[]>();
  orders.set(total, cache);
  let order = cache.get(node);
  if (!order) {
    order = (node < 0 ? roots(tree) : childrenOf(tree, node)).sort((a, b) => total[b] - total[a]);
    cache.set(node, order);
  }
  return order;
}

/** The frames that are in sight and at least `least` of the sight wide. */
export function layOut(tree: Tree, weights: Weights, span: Span, least: number): Layout {
  const rows: Frame[][] = [];
  if (weights.sum <= 0) {
    return { tree, span, rows };
  }
  const narrow = least * (span.to - span.from);
  const stack: { node: number; from: number; depth: number }[] = [{ node: -1, from: 0, depth: -1 }];
  for (let top = stack.pop(); top; top = stack.pop()) {
    let from = top.from;
    const depth = top.depth + 1;
    const waiting: typeof stack = [];
    for (const node of ordered(tree, weights.total, top.node)) {
      const to = from + weights.total[node] / weights.sum;
      if (to - from < narrow) {
        const end =
          top.node < 0 ? 1 : top.from + weights.total[top.node] / weights.sum - weights.own[top.node] / weights.sum;
        if (end - from >= narrow && end > span.from && from < span.to) {
          row(rows, depth).push({ node: -1, depth, from, to: end });
        }
        break;
      }
      if (to > span.from && from < span.to) {
        row(rows, depth).push({ node, depth, from, to });
        waiting.push({ node, from, depth });
      }
      from = to;
    }
    stack.push(...waiting.reverse());
  }
  return { tree, span, rows };
}

function row(rows: Frame[][], depth: number): Frame[] {
  let frames = rows[depth];
  if (!frames) {
    frames = [];
    rows[depth] = frames;
  }
  return frames;
}

/** Where a node's frame is; -1: everything. */
export function spanOf(tree: Tree, weights: Weights, node: number): Span {
  if (node < 0 || node >= tree.count || weights.sum <= 0) {
    return everything;
  }
  let from = 0;
  let above = -1;
  for (const step of pathOf(tree, node)) {
    for (const sibling of ordered(tree, weights.total, above)) {
      if (sibling === step) {
        break;
      }
      from += weights.total[sibling] / weights.sum;
    }
    above = step;
  }
  return { from, to: from + weights.total[node] / weights.sum };
}

/** The frame at a place of the sight (0 to 1) and a depth. */
export function frameAt(layout: Layout, x: number, depth: number): Frame | null {
  const at = layout.span.from + x * (layout.span.to - layout.span.from);
  const frames = layout.rows[depth] ?? [];
  let low = 0;
  let high = frames.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const frame = frames[middle] as Frame;
    if (at < frame.from) {
      high = middle - 1;
    } else if (at >= frame.to) {
      low = middle + 1;
    } else {
      return frame;
    }
  }
  return null;
}

/** The frame that an arrow key leads to. Left and right stay on the level. */
export function neighbour(layout: Layout, node: number, direction: "in" | "out" | "left" | "right"): number {
  const { tree } = layout;
  if (node < 0) {
    return layout.rows[0]?.[0]?.node ?? -1;
  }
  if (direction === "out") {
    return tree.parent[node] >= 0 ? tree.parent[node] : node;
  }
  const depth = tree.depth[node];
  if (direction === "in") {
    const inside = (layout.rows[depth + 1] ?? []).find((frame) => frame.node >= 0 && tree.parent[frame.node] === node);
    return inside?.node ?? node;
  }
  const frames = (layout.rows[depth] ?? []).filter((frame) => frame.node >= 0);
  const at = frames.findIndex((frame) => frame.node === node);
  return frames[at + (direction === "left" ? -1 : 1)]?.node ?? node;
}

export function between(a: Span, b: Span, share: number): Span {
  return { from: a.from + (b.from - a.from) * share, to: a.to + (b.to - a.to) * share };
}
