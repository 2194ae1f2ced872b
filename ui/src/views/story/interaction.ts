// Where the story's steps lead: pure functions of the loaded lines and the line at hand. What is not loaded is to be sought.
import type { StoryEvent } from "../../data/events";
import { depthAround, type Fold, following, isFolded, outOf, sameMethod, type Wanted } from "./model";
import { type Line, matches } from "./rows";

export type Direction = 1 | -1;

/** A position, or what the server is to look for from an event on; null: there is nothing to go to. */
export type Goal = { at: string } | { from: string; direction: Direction; wanted: Wanted } | null;

function at(line: Line | undefined): Goal {
  return line ? { at: line.first } : null;
}

/** So many lines on, or back; at the end, the last one. */
export function stepped(lines: readonly Line[], active: number, by: number): string | null {
  return lines[Math.max(0, Math.min(lines.length - 1, active + by))]?.first ?? null;
}

/** Whether the call at hand is folded, so that stepping into it unfolds it first. */
export function unfoldsInto(line: Line | undefined, folds: ReadonlyMap<string, Fold>): line is Line {
  return line?.kind === "call" && isFolded(line, folds);
}

/** The call around the line. depth: it is not loaded, and is the last call of this depth before the line. */
export function outward(
  lines: readonly Line[],
  active: number,
): { at: string } | { from: string; depth: number } | null {
  const around = lines[outOf(lines, active)];
  const line = lines[active];
  if (around || !line) {
    return around ? { at: around.first } : null;
  }
  const depth = depthAround(line);
  return depth < 0 ? null : { from: line.first, depth };
}

/** The last call of a depth among events. */
export function lastCall(events: readonly StoryEvent[], depth: number): string | null {
  return events.findLast((event) => event.event === "enter" && event.depth === depth)?.at ?? null;
}

/** The next or previous call of the method at hand. */
export function toSameMethod(lines: readonly Line[], active: number, direction: Direction): Goal {
  const line = lines[active];
  const method = line?.method ?? lines[outOf(lines, active)]?.method;
  if (!line || !method) {
    return null;
  }
  const from = direction === 1 ? following(line.first) : line.first;
  return at(lines[sameMethod(lines, active, method, direction)]) ?? { from, direction, wanted: { method } };
}

/** The next or previous line that has the text. */
export function toText(lines: readonly Line[], active: number, find: string, direction: Direction): Goal {
  const line = lines[active];
  if (!find || !line) {
    return null;
  }
  const order = direction === 1 ? lines.slice(active + 1) : lines.slice(0, active).reverse();
  const from = direction === 1 ? following(lines.at(-1)?.last ?? line.last) : (lines[0]?.first ?? line.first);
  return at(order.find((one) => matches(one, find))) ?? { from, direction, wanted: { find } };
}
