// Answers questions about events from the first part of each thread's story, as the page as one file has it.
import type { CallDocument, StoryDocument, StoryEvent, ValuesDocument } from "./events";

/** How the question was answered: a document, or why there is none. */
export type Answer = { document: unknown } | { error: string };

interface Part {
  /** P:T */
  thread: string;
  /** In order of ordinals. */
  rows: readonly StoryEvent[];
  /** Whether the thread has more events than the file. */
  more: boolean;
}

interface Position {
  thread: string;
  ordinal: number;
}

function positionOf(text: string): Position | null {
  const found = /^(\d+:\d+):(\d+)$/.exec(text);
  return found ? { thread: found[1] as string, ordinal: Number(found[2]) } : null;
}

function ordinalOf(event: StoryEvent): number {
  return positionOf(event.at)?.ordinal ?? 0;
}

function partsOf(documents: Readonly<Record<string, unknown>>): Part[] {
  const parts: Part[] = [];
  for (const [key, document] of Object.entries(documents)) {
    const thread = /^story\?thread=(.*)$/.exec(key)?.[1];
    if (thread !== undefined) {
      const { rows, more } = document as StoryDocument;
      const sorted = [...rows].sort((a, b) => ordinalOf(a) - ordinalOf(b));
      parts.push({ thread: decodeURIComponent(thread), rows: sorted, more });
    }
  }
  return parts;
}

const cure = "The recording has the rest: clew view FILE";

/** What is said where a part ends before its thread. */
function endOf(part: Part): string | null {
  return part.more ? `This file has the first ${part.rows.length} events of this thread. ${cure}` : null;
}

/** What the answers of a search contain: a method's entry, or a text in a name, a line or a value. */
function searched(query: URLSearchParams): ((event: StoryEvent) => boolean) | null {
  const method = query.get("method");
  const find = query.get("find")?.toLowerCase();
  if (method !== null) {
    return (event) => event.event === "enter" && event.method === method;
  }
  return find === undefined
    ? null
    : (event) => {
        const value = event.name ? `${event.name} = ${event.value ?? "null"}` : event.value;
        const method_ = event.event === "enter" ? event.method : null;
        return [method_, event.text, value].some((text) => text?.toLowerCase().includes(find));
      };
}

/** The index of the first row at the position or the time, or later. */
function indexOf(part: Part, at: string): number {
  const position = positionOf(at);
  const found = part.rows.findIndex((event) =>
    position ? ordinalOf(event) >= position.ordinal : (event.time_ns ?? -1) >= Number(at),
  );
  return found < 0 ? part.rows.length : found;
}

function storyOf(parts: readonly Part[], query: URLSearchParams): Answer {
  const at = query.get("at") ?? "0";
  const thread = positionOf(at)?.thread ?? query.get("thread") ?? parts[0]?.thread;
  const part = parts.find((one) => one.thread === thread);
  if (!part) {
    return { error: `This file has no events of thread ${thread}.` };
  }
  const count = Number(query.get("count") ?? 200);
  const back = query.get("direction") === "-1";
  const index = indexOf(part, at);
  const test = searched(query);
  let rows = back ? part.rows.slice(0, index) : part.rows.slice(index);
  rows = test ? rows.filter(test) : rows;
  // All rows of an event are in one answer.
  let cut = back ? Math.max(0, rows.length - count) : Math.min(rows.length, count);
  while (cut > 0 && cut < rows.length && rows[cut - 1]?.at === rows[cut]?.at) {
    cut += back ? -1 : 1;
  }
  const more = back ? cut > 0 : cut < rows.length;
  rows = back ? rows.slice(cut) : rows.slice(0, cut);
  const document: StoryDocument = { rows, first: rows[0]?.at ?? null, last: rows.at(-1)?.at ?? null, more };
  if (test) {
    document.next = null;
  }
  if (!back && !more && part.more) {
    document.why = endOf(part);
  }
  return { document };
}

const ends: readonly string[] = ["leave", "unwind", "cut", "open"];

function callOf(parts: readonly Part[], query: URLSearchParams): Answer {
  const of = query.get("of") ?? "";
  for (const part of parts) {
    const rows = part.rows.filter((event) => `${event.process}:${event.call}` === of);
    const begin = rows.find((event) => event.event === "enter" || event.event === "running");
    if (begin) {
      const end = rows.find((event) => ends.includes(event.event));
      const document: CallDocument = {
        begin: begin.at,
        end: end?.at ?? null,
        begin_ns: begin.time_ns ?? null,
        end_ns: end?.time_ns ?? null,
        method: begin.method ?? null,
        thread: part.thread,
        depth: begin.depth,
      };
      return { document };
    }
  }
  return { error: "This file does not have this call: it has the first part of each thread's events." };
}

/** Each event's method, by the call that it belongs to. */
function methodsOf(parts: readonly Part[]): Map<string, string> {
  const methods = new Map<string, string>();
  for (const event of parts.flatMap((part) => part.rows)) {
    if (event.method !== undefined && event.call) {
      methods.set(`${event.process}:${event.call}`, event.method);
    }
  }
  return methods;
}

const given: readonly string[] = ["definition", "argument"];
const refers: readonly string[] = [...given, "use", "result", "allocation"];

function valuesOf(parts: readonly Part[], query: URLSearchParams): Answer {
  const [name, method, object] = [query.get("name"), query.get("method"), query.get("object")];
  const from = Number(query.get("from") ?? 0);
  const to = Number(query.get("to") ?? Number.POSITIVE_INFINITY);
  const methods = methodsOf(parts);
  const moments = parts
    .flatMap((part) => part.rows)
    .map((event) => ({ ...event, method: event.method ?? methods.get(`${event.process}:${event.call}`) ?? null }))
    .filter(
      (event) =>
        (object === null ? given.includes(event.event) : refers.includes(event.event)) &&
        (name === null || event.name === name) &&
        (method === null || event.method === method) &&
        (object === null || event.object === Number(object)) &&
        (event.time_ns ?? 0) >= from &&
        (event.time_ns ?? 0) < to,
    )
    .sort((a, b) => (a.time_ns ?? 0) - (b.time_ns ?? 0));
  const after = query.get("after");
  const first = after === null ? 0 : moments.findIndex((event) => event.at === after) + 1;
  const end = first + Number(query.get("count") ?? 1000);
  const document = { values: moments.slice(first, end), more: end < moments.length } as ValuesDocument;
  const short = parts.some((part) => part.more);
  document.why = short ? `Of the first ${leastOf(parts)} events of each thread, which this file has. ${cure}` : null;
  return { document };
}

function leastOf(parts: readonly Part[]): number {
  return Math.min(...parts.filter((part) => part.more).map((part) => part.rows.length));
}

const answers: Record<string, ((parts: readonly Part[], query: URLSearchParams) => Answer) | undefined> = {
  story: storyOf,
  call: callOf,
  values: valuesOf,
};

/** A function from keys to answers; null: it is no question about events, or the file has none. */
export function eventsOf(documents: Readonly<Record<string, unknown>>): (key: string) => Answer | null {
  let parts: Part[] | null = null;
  return (key) => {
    const [name = "", query = ""] = key.split("?");
    const answer = answers[name];
    parts ??= partsOf(documents);
    return answer && parts.length > 0 ? answer(parts, new URLSearchParams(query)) : null;
  };
}
