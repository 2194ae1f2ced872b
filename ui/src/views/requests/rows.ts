// The rows of the table of requests: in which order, and how many of all they are.
import type { RequestRow, SlowNode } from "../../data/documents";
import type { Sort } from "../../frame/table";
import { globTest } from "../../text/name";

/** Activations that did not end as they should. */
export function failed(row: RequestRow): number {
  return row.failures + row.cancelled;
}

/** Time in code and waiting; -1 where the recording has no times. */
export function timeOf(row: RequestRow): number {
  return row.running_ns === null ? -1 : row.running_ns + (row.awaiting_ns ?? 0);
}

/** A method may have two rows: what called some of its activations may not be known. */
export function rowKey(row: RequestRow): string {
  return `${row.method} [${row.module ?? ""}]${row.parent ? ` ${row.parent}` : ""}`;
}

const values: Readonly<Record<string, (row: RequestRow) => number | null>> = {
  time: timeOf,
  calls: (row) => row.calls,
  failures: failed,
  p50: (row) => row.p50_ns,
  p90: (row) => row.p90_ns,
  p99: (row) => row.p99_ns,
  max: (row) => row.max_ns,
  running: (row) => row.running_ns,
  awaiting: (row) => row.awaiting_ns,
};

/** The rows that the search finds, in order. What is not known comes last from the largest, and first from the smallest. */
export function sortRows(rows: readonly RequestRow[], sort: Sort, search: string | null): RequestRow[] {
  const test = search ? globTest(search) : null;
  const value = values[sort.name];
  const sign = sort.down ? -1 : 1;
  const compare = value
    ? (a: RequestRow, b: RequestRow) => sign * ((value(a) ?? -1) - (value(b) ?? -1))
    : (a: RequestRow, b: RequestRow) => sign * (a.method < b.method ? -1 : a.method > b.method ? 1 : 0);
  return rows.filter((row) => !test || test(row.method)).sort(compare);
}

/** The rows of a tree from the top, with how deep each is; `left`: how many there are beyond the first `most`. */
export function treeRows(roots: readonly SlowNode[], most: number) {
  const rows: { node: SlowNode; depth: number }[] = [];
  let left = 0;
  const waiting = roots.map((node) => ({ node, depth: 0 })).reverse();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { node, depth } = next;
    if (rows.length < most) {
      rows.push(next);
    } else {
      left++;
    }
    waiting.push(...node.children.map((child) => ({ node: child, depth: depth + 1 })).reverse());
  }
  return { rows, left };
}
