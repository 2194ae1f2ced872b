import { describe, expect, test } from "vitest";
import { asyncRow, awaitRows, awaitsOf, meanLatency, pickAsync } from "./async";
import type { AsyncColumns, TreeDocument } from "./documents";
import { eachFigureKey } from "./figures";
import { ofThreads } from "./shown";
import { methodSums, type Tree, treeOf, whole } from "./tree";
import { callee, callersOf } from "./tree_callers";
import { below, findMethod, folded, grouped, without } from "./tree_filter";

const async: AsyncColumns = {
  node: [1, 2, 4, 5],
  runs: [5, 7, 2, 3],
  pending: [1, 0, 0, 0],
  unknown_ends: [0, 0, 0, 0],
  cancelled: [0, 1, 0, 0],
  ended: [2, 3, 1, 0],
  parallel: [1, 0, 0, 0],
  folded: [0, 0, 1, 0],
  latency_ns: [700, 590, 60, 0],
  latency_min_ns: [300, 90, 60, null],
  latency_max_ns: [400, 300, 60, null],
  own_awaiting_ns: [10, 460, 30, 8],
  awaiting_ns: [471, 460, 38, 8], // a rounded ns more than its parts
  awaits: { node: [1, 2, 2, 4], place: [0, 1, 2, 1], count: [2, 3, 1, 1], awaiting_ns: [450, 400, 60, 30] },
  places: [
    { what: "Repo.LoadAsync", file: "/src/Repo.cs", line: 14, document: 3 },
    { what: "stream.ReadAsync", file: "/src/Repo.cs", line: 41, document: 3 },
    { what: null, file: null, line: null, document: null },
  ],
};

const names = ["Shop.Main()", "Shop.Server.Serve() (async)", "Shop.Repo.Load() (async)", "Shop.Repo.Parse()"];

// Main calls Serve, which calls Load, which calls Parse. Another Load, of process 2, calls itself.
const document: TreeDocument = {
  exact: true,
  view: "logical",
  from_ns: 0,
  to_ns: 1000,
  total_ns: 300,
  calls: 9,
  cut: null,
  methods: names.map((name, id) => ({
    name,
    module: "Shop",
    kind: name.endsWith("(async)") ? "async" : "method",
    category: "mine",
    process: 1,
    id,
    document: null,
    line: null,
  })),
  roots: [
    { node: 0, process: 1, thread: null },
    { node: 4, process: 2, thread: null },
  ],
  nodes: {
    ...eachFigureKey(() => [0, 0, 0, 0, 0, 0]),
    parent: [-1, 0, 1, 2, -1, 4],
    method: [0, 1, 2, 3, 2, 2],
    calls: [1, 3, 3, 3, 1, 1],
    own_ns: [100, 72, 60, 40, 20, 8],
    total_ns: [272, 172, 100, 40, 28, 8],
  },
  async,
};

const tree = treeOf(document);
const places = (of: Tree, takes: (node: number) => boolean = () => true) =>
  awaitsOf(of.async, takes).map((row) => [row.place.what, row.count, row.awaiting]);
const column = (of: Tree, name: "runs" | "ended" | "latency" | "ownAwaiting" | "awaiting") =>
  of.async && [...of.async[name]];

describe("async nodes of a document", () => {
  test("have their figures, and those above them the waiting below", () => {
    expect(column(tree, "runs")).toEqual([0, 5, 7, 0, 2, 3]);
    expect(column(tree, "ownAwaiting")).toEqual([0, 10, 460, 0, 30, 8]);
    expect(column(tree, "awaiting")).toEqual([471, 471, 460, 0, 38, 8]);
    expect([...(tree.async?.latencyMin ?? [])]).toEqual([Number.NaN, 300, 90, Number.NaN, 60, Number.NaN]);
    expect(whole(tree).awaiting).toBe(471 + 38);
    expect(meanLatency(tree.async, 1)).toBe(350);
    expect(meanLatency(tree.async, 5)).toBeNaN();
    expect(meanLatency(null, 0)).toBeNaN();
  });

  test("below the head of a thread or process, too", () => {
    const heads = treeOf(document, (root) => `process ${root.process}`);
    expect(column(heads, "awaiting")).toEqual([471, 471, 471, 460, 0, 38, 38, 8]);
    expect(places(heads, (node) => node === 6)).toEqual([["stream.ReadAsync", 1, 30]]);
  });

  test("add up by method: waiting of outermost nodes, latencies of all", () => {
    const load = findMethod(tree, "Shop.Repo.Load() (async)");
    const sums = methodSums(tree).async;
    expect([sums?.awaiting[load], sums?.ownAwaiting[load], sums?.latency[load], sums?.ended[load]]).toEqual([
      498, 498, 650, 4,
    ]);
    expect([sums?.latencyMin[load], sums?.latencyMax[load]]).toEqual([60, 300]);
    const start = callee(tree, load);
    expect([start.awaiting, start.ownAwaiting, start.latency, start.ended]).toEqual([498, 498, 650, 4]);
    expect(callersOf(tree, start).map((caller) => [caller.method, caller.awaiting])).toEqual([
      [1, 460],
      [2, 0],
    ]);
  });

  test("list their awaits by place, most time first", () => {
    expect(places(tree)).toEqual([
      ["Repo.LoadAsync", 2, 450],
      ["stream.ReadAsync", 4, 430],
      [null, 1, 60],
    ]);
    expect(places(tree, (node) => tree.method[node] === 1)).toEqual([["Repo.LoadAsync", 2, 450]]);
  });
});

describe("JSON of async nodes", () => {
  test("is as the report has it, with null for what is not known; other nodes have none", () => {
    expect(asyncRow(tree.async, 1, true)).toEqual({
      runs: 5,
      pending: 1,
      cancelled: 0,
      latency_ns: 700,
      latency_min_ns: 300,
      latency_max_ns: 400,
      own_awaiting_ns: 10,
      awaiting_ns: 471,
      parallel: true,
    });
    expect(asyncRow(tree.async, 5, true)).toMatchObject({ latency_ns: 0, latency_min_ns: null, parallel: false });
    expect(asyncRow(tree.async, 1, true)).not.toHaveProperty("folded");
    expect(asyncRow(tree.async, 4, true)).toMatchObject({ folded: true });
    expect(asyncRow(tree.async, 1, false)).toMatchObject({ latency_ns: null, awaiting_ns: null, runs: 5 });
    expect(asyncRow(tree.async, 0, true)).toEqual({});
    expect(asyncRow(null, 0, true)).toEqual({});
  });

  test("has the places of each node", () => {
    expect(awaitRows(tree.async).get(2)).toEqual([
      { what: "stream.ReadAsync", file: "/src/Repo.cs", line: 41, count: 3, awaiting_ns: 400 },
      { what: null, file: null, line: null, count: 1, awaiting_ns: 60 },
    ]);
    expect(awaitRows(null).size).toBe(0);
  });
});

describe("filters of async nodes", () => {
  test("without one: its waiting is its caller's, its latency and its places are gone", () => {
    const rest = without(tree, (method) => !method.name.startsWith("Shop.Repo.Load")).tree;
    expect(column(rest, "ownAwaiting")).toEqual([0, 470, 0]);
    expect(column(rest, "awaiting")).toEqual([471, 471, 0]);
    expect(column(rest, "latency")).toEqual([0, 700, 0]);
    expect(places(rest)).toEqual([["Repo.LoadAsync", 2, 450]]);
  });

  test("below one: all of its outermost nodes together", () => {
    const load = below(tree, findMethod(tree, "Shop.Repo.Load() (async)"));
    expect(column(load, "awaiting")).toEqual([498, 0, 8]);
    expect(column(load, "latency")).toEqual([650, 0, 0]);
    expect(places(load, (node) => node === 0)).toEqual([
      ["stream.ReadAsync", 4, 430],
      [null, 1, 60],
    ]);
  });

  test("a folded recursion has the latency of its outermost activation", () => {
    const one = folded(tree);
    expect(column(one, "runs")).toEqual([0, 5, 7, 0, 5]);
    expect(column(one, "ended")).toEqual([0, 2, 3, 0, 1]);
    expect(column(one, "ownAwaiting")).toEqual([0, 10, 460, 0, 38]);
    expect(column(one, "awaiting")).toEqual([471, 471, 460, 0, 38]);
  });

  test("a module has the waiting of all its methods", () => {
    const all = grouped(tree, "module", (method) => method.module ?? "");
    expect([column(all, "awaiting"), column(all, "ended"), places(all).length]).toEqual([[471 + 38], [1], 3]);
  });

  test("the nodes of a process keep theirs", () => {
    const second = treeOf(ofThreads(document, ["2:*"], false));
    expect(column(second, "awaiting")).toEqual([38, 8]);
    expect(places(second)).toEqual([["stream.ReadAsync", 1, 30]]);
    expect(pickAsync(async, [-1, -1, -1, -1, -1, -1]).node).toEqual([]);
  });

  test("a physical tree has none", () => {
    const physical = treeOf({ ...document, view: "physical", async: null });
    expect(folded(physical).async).toBeNull();
    expect(methodSums(physical).async).toBeNull();
    expect(places(physical)).toEqual([]);
  });
});
