// What each line of a file cost: its statements added up.
import type { SourceLine, StoryEvent } from "../../data/events";
import { isValue, type Shown, shown } from "../story/rows";

export interface LineCost {
  count: number | null;
  own: number | null;
  method: string | null;
  statements: SourceLine[];
}

/** By line, from 1. Several statements of a line: the most frequent one's count, the sum of their times. */
export function costsOf(
  lines: readonly SourceLine[],
  names: (method: string | number | null) => string | null,
): Map<number, LineCost> {
  const costs = new Map<number, LineCost>();
  for (const row of lines) {
    const known = costs.get(row.line);
    if (!known) {
      costs.set(row.line, { count: row.count, own: row.own_ns, method: names(row.method), statements: [row] });
      continue;
    }
    known.count = known.count === null && row.count === null ? null : Math.max(known.count ?? 0, row.count ?? 0);
    known.own = known.own === null && row.own_ns === null ? null : (known.own ?? 0) + (row.own_ns ?? 0);
    known.statements.push(row);
  }
  return costs;
}

export interface Sums {
  own: number;
  count: number;
  mostOwn: number;
  mostCount: number;
}

export function sumsOf(costs: ReadonlyMap<number, LineCost>): Sums {
  const sums: Sums = { own: 0, count: 0, mostOwn: 0, mostCount: 0 };
  for (const cost of costs.values()) {
    sums.own += cost.own ?? 0;
    sums.count += cost.count ?? 0;
    sums.mostOwn = Math.max(sums.mostOwn, cost.own ?? 0);
    sums.mostCount = Math.max(sums.mostCount, cost.count ?? 0);
  }
  return sums;
}

/** A step of heat from 0 to 8, null for a line that did not run. Time decides where it is known, else counts. */
export function heatOf(cost: LineCost | undefined, sums: Sums): number | null {
  if (!cost || (cost.count ?? 0) === 0) {
    return null;
  }
  const ratio =
    sums.mostOwn > 0
      ? (cost.own ?? 0) / sums.mostOwn
      : Math.log1p(cost.count ?? 0) / Math.log1p(Math.max(1, sums.mostCount));
  return Math.min(8, Math.floor(ratio * 8.999));
}

/** The values that one activation gave, by line; those of a name in their order. */
export function valuesByLine(events: readonly StoryEvent[], call: number): Map<number, Shown[]> {
  const found = new Map<number, Shown[]>();
  let line: number | null = null;
  for (const event of events) {
    if (event.call !== call) {
      continue;
    }
    if (event.event === "enter" || event.event === "statement") {
      line = event.line ?? (event.event === "enter" ? null : line);
    } else if (isValue(event) && line !== null) {
      const value = shown(event);
      if (value) {
        found.set(line, [...(found.get(line) ?? []), value]);
      }
    }
  }
  return found;
}

/** `sum = 0, 1, 3`: each name once, its values in order, neighbours that are equal once. */
export function summary(values: readonly Shown[], most = 8): string {
  const names = new Map<string, string[]>();
  for (const value of values) {
    const name = value.kind === "allocation" ? "new" : value.label;
    const texts = names.get(name) ?? [];
    const text = value.object === null ? value.text : `${value.text} #${value.object}`;
    if (texts[texts.length - 1] !== text) {
      texts.push(text);
    }
    names.set(name, texts);
  }
  return [...names]
    .map(([name, texts]) => {
      const few = texts.length > most ? [...texts.slice(0, most), `… ${texts.length - most} more`] : texts;
      return name === "new" ? `new ${few.join(", ")}` : name ? `${name} = ${few.join(", ")}` : `→ ${few.join(", ")}`;
    })
    .join("; ");
}

const editorKey = "clew-editor";
const firstPattern = "vscode://file/{path}:{line}:{column}";

/** A link that opens a line in the user's editor. */
export function editorLink(pattern: string, path: string, line: number, column = 1): string | null {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(pattern)?.[1]?.toLowerCase();
  if (!scheme || ["javascript", "data", "vbscript", "blob"].includes(scheme)) {
    return null;
  }
  const encoded = path
    .split("/")
    .map(encodeURIComponent)
    .join("/")
    .replace(/^\//, pattern.includes("file/{path}") ? "" : "/");
  return pattern
    .replaceAll("{path}", encoded)
    .replaceAll("{line}", String(line))
    .replaceAll("{column}", String(column));
}

export function editorPattern(): string {
  try {
    return localStorage.getItem(editorKey) ?? firstPattern;
  } catch {
    return firstPattern;
  }
}

export function setEditorPattern(pattern: string): void {
  try {
    localStorage.setItem(editorKey, pattern);
  } catch {
    // a page from disk may have no storage
  }
}

/** The folder that all paths share, with its last slash. */
export function sharedFolder(paths: readonly string[]): string {
  const first = paths[0] ?? "";
  let end = first.lastIndexOf("/") + 1;
  for (const path of paths) {
    while (end > 0 && path.slice(0, end) !== first.slice(0, end)) {
      end = end > 1 ? first.lastIndexOf("/", end - 2) + 1 : 0;
    }
  }
  return first.slice(0, end);
}
