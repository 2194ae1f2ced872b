import { describe, expect, it } from "vitest";
import { emptyAsync } from "../../data/async";
import { Builder, type Tree } from "../../data/tree";
import { ownWeight, totalWeight, weigh, weighingOf } from "./layout";

/** Main runs 10 ns and calls Load, which runs 20 ns and waits 70 ns; another Load waits 5 ns of 6. */
function made(async: boolean): Tree {
  const builder = new Builder(3);
  const awaits = {
    node: new Int32Array(),
    place: new Int32Array(),
    count: new Float64Array(),
    awaiting: new Float64Array(),
    places: [],
  };
  const empty = emptyAsync({ awaits } as unknown as Tree["async"], 3);
  builder.async = async ? empty : null;
  for (const [parent, method, own, total, calls, ownAwaiting, awaiting] of [
    [-1, 0, 10, 30, 1, 0, 70],
    [0, 1, 20, 20, 3, 70, 70],
    [-1, 1, 1, 1, 2, 5, 5],
  ] as const) {
    const node = builder.add(parent, method);
    builder.figures.own[node] = own;
    builder.figures.total[node] = total;
    builder.figures.calls[node] = calls;
    if (empty) {
      empty.ownAwaiting[node] = ownAwaiting;
      empty.awaiting[node] = awaiting;
    }
  }
  return builder.finish([], true);
}

const tree = made(true);

describe("weights of frames", () => {
  it("are time in code, waiting, or both", () => {
    expect(weigh(tree, "time")).toMatchObject({ sum: 31, waiting: null });
    const awaiting = weigh(tree, "awaiting");
    expect([[...awaiting.own], [...awaiting.total], awaiting.sum]).toEqual([[0, 70, 5], [70, 70, 5], 75]);
    const both = weigh(tree, "latency");
    expect([[...both.own], [...both.total], both.sum]).toEqual([[10, 90, 6], [100, 90, 6], 106]);
    expect([...(both.waiting ?? [])]).toEqual([0, 70, 5]);
  });

  it("of calls are the node's, and those of all below", () => {
    const calls = weigh(tree, "calls");
    expect([[...calls.own], [...calls.total], calls.sum, calls.waiting]).toEqual([[1, 3, 2], [4, 3, 2], 6, null]);
  });

  it("have no waiting in a physical tree", () => {
    expect(weigh(made(false), "awaiting")).toMatchObject({ sum: 0, waiting: null });
    expect(weigh(made(false), "latency").sum).toBe(31);
  });

  it("of one node are those of its column", () => {
    for (const name of ["time", "awaiting", "latency"] as const) {
      const { own, total } = weigh(tree, name);
      const node = { ...weighingOf(tree, 1), totalCpu: 0 };
      expect([ownWeight(node, name), totalWeight(node, name)]).toEqual([own[1], total[1]]);
    }
  });
});
