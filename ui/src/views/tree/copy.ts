// The rows of the call tree for copying.
import { asyncRow, awaitRows, meanLatency } from "../../data/async";
import type { Shown } from "../../data/shown";
import { type Tree, totalCpu } from "../../data/tree";
import { visible } from "../../text/foreign";
import { plain, time } from "../../text/format";
import { shareOf } from "./cells";

export function textRows(tree: Tree, rows: Int32Array, shown: Shown, byCpu: boolean): string[][] {
  const async = tree.async ? ["Latency", "Awaiting"] : [];
  const cpu = tree.sampled ? ["CPU"] : [];
  const head = tree.timed ? ["Share", ...cpu, "Total", "Own", "Calls", ...async, "Method"] : ["Calls", "Method"];
  const lines = Array.from(rows, (node) => {
    const name = `${"  ".repeat(tree.depth[node])}${visible(tree.methods[tree.method[node]]?.name ?? "")}`;
    const calls = String(tree.calls[node]);
    return tree.timed
      ? [
          plain(shareOf(tree, node, shown.sum, byCpu)),
          ...(tree.sampled ? [plain(time(totalCpu(tree)[node] || null))] : []),
          plain(time(tree.total[node])),
          plain(time(tree.own[node])),
          calls,
          ...(tree.async
            ? [plain(time(meanLatency(tree.async, node))), plain(time(tree.async.awaiting[node] || null))]
            : []),
          name,
        ]
      : [calls, name];
  });
  return [head, ...lines];
}

export function jsonRows(tree: Tree, rows: Int32Array): unknown {
  const awaits = awaitRows(tree.async);
  return Array.from(rows, (node) => {
    const method = tree.methods[tree.method[node]];
    return {
      method: method?.name,
      module: method?.module,
      kind: method?.kind,
      depth: tree.depth[node],
      calls: tree.calls[node],
      exceptions: tree.exceptions[node],
      open: tree.open[node],
      own_ns: tree.timed ? tree.own[node] : null,
      total_ns: tree.timed ? tree.total[node] : null,
      min_ns: Number.isNaN(tree.min[node]) ? null : tree.min[node],
      max_ns: Number.isNaN(tree.max[node]) ? null : tree.max[node],
      cpu_ns: tree.sampled ? totalCpu(tree)[node] : null,
      ...asyncRow(tree.async, node, tree.timed),
      ...(tree.async && tree.async.runs[node] > 0 ? { awaits: awaits.get(node) ?? [] } : {}),
    };
  });
}
