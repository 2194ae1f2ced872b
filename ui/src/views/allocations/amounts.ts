// Allocations added up and sorted.
import type { AllocationRow } from "../../data/events";

export interface Amount {
  type?: string | null;
  method?: string | null;
  file?: string | null;
  line?: number | null;
  offset?: number;
  count: number;
  bytes: number | null;
  unsized: number;
}

function plus(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : a + b;
}

/** One row for each method. */
export function ofMethods(rows: readonly AllocationRow[]): Amount[] {
  const methods = new Map<string, Amount>();
  for (const row of rows) {
    const key = `${row.method}\n${row.module ?? ""}`;
    const known = methods.get(key);
    if (known) {
      known.count += row.count;
      known.bytes = plus(known.bytes, row.bytes);
      known.unsized += row.unsized;
    } else {
      methods.set(key, {
        method: row.method,
        file: row.file,
        line: row.line,
        count: row.count,
        bytes: row.bytes,
        unsized: row.unsized,
      });
    }
  }
  return [...methods.values()];
}

export function total(rows: readonly Amount[]): { bytes: number; count: number } {
  return {
    bytes: rows.reduce((sum, row) => sum + (row.bytes ?? 0), 0),
    count: rows.reduce((sum, row) => sum + row.count, 0),
  };
}

function compare(a: Amount, b: Amount, name: string): number {
  switch (name) {
    case "count":
      return b.count - a.count;
    case "type":
      return (a.type ?? "").localeCompare(b.type ?? "", "en");
    case "method":
      return (a.method ?? "").localeCompare(b.method ?? "", "en");
    default:
      return (b.bytes ?? -1) - (a.bytes ?? -1);
  }
}

/** Numbers: the largest first; names: A first. down false: the other way. Equal rows keep their order. */
export function sortRows(rows: readonly Amount[], name: string, down: boolean): Amount[] {
  const sorted = [...rows].sort((a, b) => compare(a, b, name) * (down ? 1 : -1));
  return sorted;
}
