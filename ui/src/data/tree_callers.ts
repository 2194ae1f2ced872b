// Who called: trees that grow from a method towards the roots. They are built as far as somebody looks.
import { ownCpu } from "./figures";
import { Builder, methodNodes, outermost, type Tree, totalCpu } from "./tree";

/** A method and the way from it to the one where the walk began. */
export interface Caller {
  readonly method: number;
  /** Of the method at the beginning, when it was called this way. */
  readonly own: number;
  readonly cpu: number;
  /** With callees. */
  readonly totalCpu: number;
  readonly total: number;
  readonly calls: number;
  readonly exceptions: number;
  /** Latency of the activations that ended, and how many; waiting of the method alone, and with all below. */
  readonly latency: number;
  readonly ended: number;
  readonly ownAwaiting: number;
  readonly awaiting: number;
  /** Nodes of the method at the beginning, and where the walk stands for each of them. */
  readonly nodes: Int32Array;
  readonly at: Int32Array;
}

const outerOf = new WeakMap<Tree, Int32Array>();

function outer(tree: Tree): Int32Array {
  let known = outerOf.get(tree);
  if (!known) {
    known = outermost(tree);
    outerOf.set(tree, known);
  }
  return known;
}

function gather(tree: Tree, method: number, nodes: ArrayLike<number>, at: ArrayLike<number>): Caller {
  const isOuter = outer(tree);
  const sum = {
    own: 0,
    cpu: 0,
    totalCpu: 0,
    total: 0,
    calls: 0,
    exceptions: 0,
    latency: 0,
    ended: 0,
    ownAwaiting: 0,
    awaiting: 0,
  };
  const async = tree.async;
  const cpu = totalCpu(tree);
  for (let index = 0; index < nodes.length; index++) {
    const node = nodes[index];
    sum.own += tree.own[node];
    sum.cpu += ownCpu(tree, node);
    sum.calls += tree.calls[node];
    sum.exceptions += tree.exceptions[node];
    sum.total += isOuter[node] ? tree.total[node] : 0;
    sum.totalCpu += isOuter[node] ? cpu[node] : 0;
    if (async) {
      sum.latency += async.latency[node];
      sum.ended += async.ended[node];
      sum.ownAwaiting += async.ownAwaiting[node];
      sum.awaiting += isOuter[node] ? async.awaiting[node] : 0;
    }
  }
  return { method, ...sum, nodes: Int32Array.from(nodes), at: Int32Array.from(at) };
}

/** Where the walk begins: the method itself, in all of its nodes. */
export function callee(tree: Tree, method: number): Caller {
  const all = methodNodes(tree);
  const nodes = all.nodes.subarray(all.first[method], all.first[method + 1]);
  return gather(tree, method, nodes, nodes);
}

/** One step towards the roots, by method. Calls from outside of the recorded code are no callers. */
export function callersOf(tree: Tree, from: Caller): Caller[] {
  const groups = new Map<number, { nodes: number[]; at: number[] }>();
  for (let index = 0; index < from.at.length; index++) {
    const above = tree.parent[from.at[index]];
    if (above >= 0) {
      const method = tree.method[above];
      const group = groups.get(method) ?? { nodes: [], at: [] };
      groups.set(method, group);
      group.nodes.push(from.nodes[index]);
      group.at.push(above);
    }
  }
  return [...groups].map(([method, group]) => gather(tree, method, group.nodes, group.at));
}

/** What a caller weighs, in the unit of a chart. */
export type Weigh = (caller: Caller) => number;

/**
 * The callers of methods as one tree, whose totals and own times are weights. Callers of less than `least` weight are left
 * out, and so is what is more than `most` levels away: their weight is own weight of the one that they called.
 */
export function invert(tree: Tree, methods: readonly number[], weigh: Weigh, least: number, most = 200): Tree {
  const builder = new Builder(Math.max(16, Math.min(400_000, tree.count * 4)));
  const queue: { caller: Caller; node: number; depth: number }[] = [];
  const add = (caller: Caller, parent: number, depth: number) => {
    const node = builder.add(parent, caller.method);
    builder.figures.total[node] = weigh(caller);
    builder.figures.own[node] = builder.figures.total[node];
    builder.figures.calls[node] = caller.calls;
    builder.figures.exceptions[node] = caller.exceptions;
    queue.push({ caller, node, depth });
  };
  for (const method of methods) {
    const start = callee(tree, method);
    if (weigh(start) > least) {
      add(start, -1, 0);
    }
  }
  for (let next = queue.pop(); next; next = queue.pop()) {
    if (next.depth >= most) {
      continue;
    }
    for (const caller of callersOf(tree, next.caller)) {
      if (weigh(caller) > least && builder.count < builder.capacity) {
        builder.figures.own[next.node] -= weigh(caller);
        add(caller, next.node, next.depth + 1);
      }
    }
  }
  return builder.finish(tree.methods, tree.timed);
}
