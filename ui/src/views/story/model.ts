// The part of a thread's story that is loaded: consecutive events, except that folded calls are skipped.
import type { StoryDocument, StoryEvent } from "../../data/events";
import { type Line, linesOf, parsePosition } from "./rows";

export type Ask = (at: string | number, direction: 1 | -1, count: number) => Promise<StoryDocument>;

function ordinal(event: StoryEvent): number {
  return parsePosition(event.at)?.ordinal ?? 0;
}

export function callKey(line: { process: number; call: number | null }): string | null {
  return line.call === null ? null : `${line.process}:${line.call}`;
}

/** Where a folded call begins and ends. */
export interface Fold {
  begin: string;
  end: string;
}

export function isFolded(line: Line, folds: ReadonlyMap<string, Fold>): boolean {
  return folds.has(callKey(line) ?? "");
}

/** Immutable: each step gives another one. */
export interface Loaded {
  readonly events: readonly StoryEvent[];
  /** Whether the thread's first and last events are among them. */
  readonly atStart: boolean;
  readonly atEnd: boolean;
  /** Why the thread's last events cannot be had, if so. */
  readonly why: string | null;
  /** The event at which it was opened: the first at the position or time that was asked for, or later. */
  readonly opened: string | null;
}

export const nothing: Loaded = { events: [], atStart: false, atEnd: false, why: null, opened: null };

/** Most events that are kept; the far end is dropped. */
export const mostEvents = 8000;

export async function loadAround(ask: Ask, at: string | number, count = 400): Promise<Loaded> {
  const [after, before] = await Promise.all([ask(at, 1, count), ask(at, -1, count / 2)]);
  const loaded = merge(merge(nothing, after, 1), before, -1);
  return { ...loaded, opened: after.rows[0]?.at ?? loaded.events.at(-1)?.at ?? null };
}

/** Adds a page at one end, in order of ordinals, none twice. */
export function merge(loaded: Loaded, page: StoryDocument, direction: 1 | -1): Loaded {
  const sorted = [...page.rows].sort((a, b) => ordinal(a) - ordinal(b));
  const first = loaded.events[0];
  const last = loaded.events[loaded.events.length - 1];
  if (direction === 1) {
    const fresh = last ? sorted.filter((event) => ordinal(event) > ordinal(last)) : sorted;
    const events = [...loaded.events, ...fresh];
    const over = events.length - mostEvents;
    return {
      ...loaded,
      events: over > 0 ? events.slice(over) : events,
      atStart: loaded.atStart && over <= 0,
      atEnd: !page.more || fresh.length === 0,
      why: page.why ?? null,
    };
  }
  const fresh = first ? sorted.filter((event) => ordinal(event) < ordinal(first)) : sorted;
  const events = [...fresh, ...loaded.events];
  const over = events.length - mostEvents;
  return {
    ...loaded,
    events: over > 0 ? events.slice(0, mostEvents) : events,
    atStart: !page.more || fresh.length === 0,
    atEnd: loaded.atEnd && over <= 0,
  };
}

/** The next page; a folded call at the end is skipped. */
export async function more(
  ask: Ask,
  loaded: Loaded,
  direction: 1 | -1,
  folds: ReadonlyMap<string, Fold>,
): Promise<Loaded> {
  const edge = direction === 1 ? loaded.events[loaded.events.length - 1] : loaded.events[0];
  if (!edge) {
    return loaded;
  }
  const fold = edge.call ? folds.get(`${edge.process}:${edge.call}`) : undefined;
  const skips = fold && (direction === 1 ? edge.at !== fold.end : edge.at !== fold.begin);
  const from = skips ? (direction === 1 ? fold.end : following(fold.begin)) : edge.at;
  return merge(loaded, await ask(from, direction, 400), direction);
}

/** Whether a position, P:T:ORDINAL, of this thread, P:T, is among what is loaded. */
export function holds(loaded: Loaded, thread: string, at: string | null): boolean {
  const place = parsePosition(at ?? "");
  const first = parsePosition(loaded.events[0]?.at ?? "");
  const last = parsePosition(loaded.events.at(-1)?.at ?? "");
  return (
    place !== null &&
    first !== null &&
    last !== null &&
    `${place.process}:${place.thread}` === thread &&
    `${first.process}:${first.thread}` === thread &&
    place.ordinal >= first.ordinal &&
    place.ordinal <= last.ordinal
  );
}

/** What is loaded up to the begin of a call, and then the events from a position on. */
async function goneOn(ask: Ask, loaded: Loaded, call: Line, from: string): Promise<Loaded> {
  const begin = loaded.events.findIndex((event) => event.at === call.first);
  const kept: Loaded = { ...loaded, events: loaded.events.slice(0, begin + 1), atEnd: false };
  return merge(kept, await ask(from, 1, 400), 1);
}

/** What is to be loaded once a call is unfolded: its events, if they were skipped. */
export async function unfolded(ask: Ask, loaded: Loaded, call: Line): Promise<Loaded> {
  const after = loaded.events[loaded.events.findIndex((event) => event.at === call.first) + 1];
  const gap = after && ordinal(after) !== (parsePosition(call.first)?.ordinal ?? 0) + 1;
  return gap ? goneOn(ask, loaded, call, call.first) : loaded;
}

/** What is to be loaded once a call is folded: what follows it, if that is not loaded yet. */
export async function foldedUp(ask: Ask, loaded: Loaded, call: Line, fold: Fold): Promise<Loaded> {
  const end = parsePosition(fold.end)?.ordinal ?? 0;
  const last = parsePosition(loaded.events.at(-1)?.at ?? "")?.ordinal ?? 0;
  return end > last ? goneOn(ask, loaded, call, fold.end) : loaded;
}

export function following(at: string): string {
  const place = parsePosition(at);
  return place ? `${place.process}:${place.thread}:${place.ordinal + 1}` : at;
}

/** The lines in sight: what lies inside of a folded call is left out. */
export function visibleLines(loaded: Loaded, folds: ReadonlyMap<string, Fold>): Line[] {
  const kept: StoryEvent[] = [];
  let hiding: { key: string; depth: number } | null = null;
  for (const event of loaded.events) {
    const key = event.call === null || event.call === undefined ? null : `${event.process}:${event.call}`;
    if (hiding) {
      const ended = key === hiding.key && event.event !== "enter" && /^(leave|unwind|cut|open)$/.test(event.event);
      if (ended || event.depth < hiding.depth) {
        hiding = null;
      } else if (!(event.depth === hiding.depth && key === hiding.key && event.event === "argument")) {
        continue;
      }
    }
    kept.push(event);
    if (event.event === "enter" && key !== null && folds.has(key)) {
      hiding = { key, depth: event.depth };
    }
  }
  return linesOf(kept);
}

/** The line that holds a position, or the nearest before it. */
export function lineAt(lines: readonly Line[], at: string | null): number {
  const wanted = at === null ? null : parsePosition(at)?.ordinal;
  if (wanted === null || wanted === undefined) {
    return -1;
  }
  let found = -1;
  for (let index = 0; index < lines.length; index++) {
    const first = parsePosition(lines[index]?.first ?? "")?.ordinal ?? 0;
    if (first <= wanted) {
      found = index;
    }
  }
  return found;
}

/** The line of a position, or of where the story was opened; -1: it is not loaded. */
export function chosenLine(lines: readonly Line[], loaded: Loaded, at: string | null): number {
  const wanted = parsePosition(at ?? "") ? at : loaded.opened;
  const position = parsePosition(wanted ?? "");
  const first = parsePosition(loaded.events[0]?.at ?? "");
  const last = parsePosition(loaded.events.at(-1)?.at ?? "");
  const same = position?.process === first?.process && position?.thread === first?.thread;
  if (!position || !first || !last || !same || position.ordinal < first.ordinal) {
    return -1;
  }
  return position.ordinal > last.ordinal && !loaded.atEnd ? -1 : Math.max(0, lineAt(lines, wanted));
}

/** The depth of the call around a line; -1: there is none. */
export function depthAround(line: Line): number {
  return line.kind === "call" || line.kind === "end" ? line.depth - 1 : line.depth;
}

/** The line of the call around a line: of the activation it belongs to, or of its caller. */
export function outOf(lines: readonly Line[], index: number): number {
  const line = lines[index];
  if (!line) {
    return -1;
  }
  const depth = depthAround(line);
  for (let before = index - 1; before >= 0; before--) {
    const one = lines[before];
    if (one?.kind === "call" && !one.leaf && one.depth === depth) {
      return before;
    }
  }
  return -1;
}

/** The next line of the same method's calls, or -1. */
export function sameMethod(lines: readonly Line[], index: number, method: string, direction: 1 | -1): number {
  for (let at = index + direction; at >= 0 && at < lines.length; at += direction) {
    if (lines[at]?.kind === "call" && lines[at]?.method === method) {
      return at;
    }
  }
  return -1;
}

/** What the server searches a story for. */
export type Wanted = { find: string } | { method: string };

export type AskFor = (at: string, direction: 1 | -1, wanted: Wanted) => Promise<StoryDocument>;

/** Searches from an event on, forwards with that event, backwards before it. null: not found, or stopped. */
export async function find(
  ask: AskFor,
  from: string,
  direction: 1 | -1,
  wanted: Wanted,
  progress: (seen: number, time: number | null) => boolean,
): Promise<string | null> {
  const start = parsePosition(from)?.ordinal ?? 0;
  let at = from;
  for (;;) {
    const page = await ask(at, direction, wanted);
    const found = direction === 1 ? page.first : page.last;
    const next = page.next ?? null;
    if (found !== null || next === null) {
      return found;
    }
    if (next === at || !progress(Math.abs((parsePosition(next)?.ordinal ?? start) - start), null)) {
      return null;
    }
    at = next;
  }
}

/** Looks through pages until one event passes; says how far it is. null: not found, or stopped. */
export async function scan(
  ask: Ask,
  from: string,
  direction: 1 | -1,
  test: (events: readonly StoryEvent[]) => string | null,
  progress: (seen: number, time: number | null) => boolean,
): Promise<string | null> {
  let at = from;
  let seen = 0;
  for (;;) {
    const page = await ask(at, direction, 2000);
    const start = parsePosition(at)?.ordinal ?? 0;
    const fresh = [...page.rows]
      .sort((a, b) => ordinal(a) - ordinal(b))
      .filter((event) => (direction === 1 ? ordinal(event) > start : ordinal(event) < start));
    const found = test(fresh);
    if (found !== null || fresh.length === 0) {
      return found;
    }
    seen += fresh.length;
    const timed = fresh.findLast((event) => typeof event.time_ns === "number")?.time_ns ?? null;
    const edge = direction === 1 ? fresh[fresh.length - 1] : fresh[0];
    if (!edge || !page.more || !progress(seen, timed)) {
      return null;
    }
    at = edge.at;
  }
}
