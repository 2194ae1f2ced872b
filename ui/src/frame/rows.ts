// What keys do to the rows of a table, and which rows of a tree are open.

/** What a key does: makes a row the active one, opens or closes the active one, or enters it. */
export type RowAction = { kind: "go"; row: number } | { kind: "toggle" } | { kind: "enter" } | { kind: "stay" };

/** A row of a tree. expanded undefined: nothing is below it. */
export interface Branch {
  level?: number;
  expanded?: boolean | undefined;
}

/** The keys of a tree's rows. null: not one of them. */
export function treeKey(key: string, active: number, branchOf: (row: number) => Branch): RowAction | null {
  const { level = 0, expanded } = branchOf(active);
  if (key === "Enter") {
    return { kind: "enter" };
  }
  if (key === "ArrowLeft") {
    let parent = active - 1;
    while (parent >= 0 && (branchOf(parent).level ?? 0) >= level) {
      parent--;
    }
    return expanded ? { kind: "toggle" } : parent >= 0 ? { kind: "go", row: parent } : { kind: "stay" };
  }
  if (expanded !== undefined && (key === "ArrowRight" || key === " ")) {
    return expanded && key === "ArrowRight" ? { kind: "go", row: active + 1 } : { kind: "toggle" };
  }
  return null;
}

/** The keys of every table's rows: to the next one, a page on, to an end. null: not one of them. */
export function listKey(key: string, active: number, count: number, page: number): RowAction | null {
  const to: Record<string, number> = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + page,
    PageUp: active - page,
    Home: 0,
    End: count - 1,
  };
  const next = to[key];
  if (next !== undefined && count > 0) {
    return { kind: "go", row: Math.max(0, Math.min(count - 1, next)) };
  }
  if (key === "Enter" && active < 0 && count === 1) {
    return { kind: "go", row: 0 }; // the only hit of a search
  }
  return key === "Enter" && active >= 0 ? { kind: "enter" } : null;
}

/** The open rows after one more is opened, or closed. */
export function toggled<T>(open: ReadonlySet<T>, row: T): Set<T> {
  const next = new Set(open);
  if (!next.delete(row)) {
    next.add(row);
  }
  return next;
}
