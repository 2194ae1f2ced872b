import { describe, expect, it } from "vitest";
import type { StoryDocument, StoryEvent } from "../../data/events";
import {
  type Ask,
  type AskFor,
  find,
  foldedUp,
  holds,
  type Loaded,
  lineAt,
  loadAround,
  merge,
  more,
  nothing,
  outOf,
  sameMethod,
  scan,
  unfolded,
  visibleLines,
} from "./model";
import type { Line } from "./rows";

/** A thread that runs Main, which calls F a hundred times, each with one statement. */
function thread(): StoryEvent[] {
  const events: StoryEvent[] = [];
  const add = (event: string, depth: number, call: number, more: Partial<StoryEvent> = {}) =>
    events.push({ event, at: `1:1:${events.length}`, process: 1, thread: 1, depth, call, ...more });
  add("enter", 0, 1, { method: "Main()", time_ns: 0 });
  for (let turn = 0; turn < 100; turn++) {
    add("statement", 0, 1, { line: 5, text: "F();" });
    add("enter", 1, turn + 2, { method: "F()", time_ns: turn * 10 + 1 });
    add("statement", 1, turn + 2, { line: 9, text: "x++;" });
    add("definition", 1, turn + 2, { name: "x", type: "System.Int32", value: String(turn) });
    add("leave", 1, turn + 2, { method: "F()", time_ns: turn * 10 + 5, duration_ns: 4 });
  }
  add("leave", 0, 1, { method: "Main()", time_ns: 2000, duration_ns: 2000 });
  return events;
}

const events = thread();
const asked: string[] = [];

const ask: Ask = async (at, direction, count): Promise<StoryDocument> => {
  asked.push(`${at} ${direction}`);
  const from = Number(String(at).split(":")[2]);
  const rows = direction === 1 ? events.slice(from, from + count) : events.slice(Math.max(0, from - count), from);
  const isMore = direction === 1 ? from + count < events.length : from - count > 0;
  return { rows, first: rows[0]?.at ?? null, last: rows[rows.length - 1]?.at ?? null, more: isMore };
};

describe("the loaded part of a story", () => {
  it("has events on both sides of the position, each once", async () => {
    const loaded = await loadAround(ask, "1:1:250", 100);
    expect(loaded.events.map((event) => event.at)).toEqual(events.slice(200, 350).map((event) => event.at));
    expect(loaded.atStart).toBe(false);
  });

  it("grows at both ends until the thread ends", async () => {
    let loaded = await loadAround(ask, "1:1:250", 100);
    loaded = await more(ask, loaded, -1, new Map());
    loaded = await more(ask, loaded, 1, new Map());
    expect(loaded.events).toHaveLength(events.length);
    expect(loaded.atStart).toBe(true);
    expect(loaded.atEnd).toBe(true);
  });

  it("skips a folded call at its end", async () => {
    const loaded = merge(nothing, { rows: events.slice(0, 1), first: null, last: null, more: true }, 1);
    asked.length = 0;
    const after = await more(ask, loaded, 1, new Map([["1:1", { begin: "1:1:0", end: "1:1:501" }]]));
    expect(asked).toEqual(["1:1:501 1"]);
    expect(after.events.map((event) => event.event)).toEqual(["enter", "leave"]);
  });
});

describe("a call that is folded or unfolded", () => {
  const first = merge(nothing, { rows: events.slice(0, 4), first: null, last: null, more: true }, 1);
  const call = (loaded: Loaded, at: string) =>
    visibleLines(loaded, new Map()).find((line) => line.first === at) as Line;

  it("is followed by what comes after it, which is loaded if it was not", async () => {
    const fold = { begin: "1:1:0", end: "1:1:501" };
    const after = await foldedUp(ask, first, call(first, "1:1:0"), fold);
    expect(after.events.map((event) => event.at)).toEqual(["1:1:0", "1:1:501"]);
    expect(await foldedUp(ask, after, call(after, "1:1:0"), fold)).toBe(after);
  });

  it("has its events again, which are loaded if they were skipped", async () => {
    const skipped = merge(
      nothing,
      { rows: [events[0], events[501]] as StoryEvent[], first: null, last: null, more: false },
      1,
    );
    const after = await unfolded(ask, skipped, call(skipped, "1:1:0"));
    expect(after.events.slice(0, 3).map((event) => event.at)).toEqual(["1:1:0", "1:1:1", "1:1:2"]);
    expect(await unfolded(ask, first, call(first, "1:1:0"))).toBe(first);
  });
});

describe("a position", () => {
  const loaded = merge(nothing, { rows: events.slice(100, 200), first: null, last: null, more: true }, 1);

  it("is loaded from the first event to the last, in its thread alone", () => {
    expect(["1:1:99", "1:1:100", "1:1:199", "1:1:200"].map((at) => holds(loaded, "1:1", at))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(holds(loaded, "1:2", "1:2:150")).toBe(false);
    expect(holds(loaded, "1:1", "1:2:150")).toBe(false);
    expect(holds(loaded, "1:2", "1:1:150")).toBe(false);
    expect(holds(loaded, "1:1", "12345")).toBe(false);
    expect(holds(nothing, "1:1", "1:1:0")).toBe(false);
  });
});

describe("lines in sight", () => {
  const loaded = merge(nothing, { rows: events.slice(0, 11), first: null, last: null, more: true }, 1);

  it("leave out what is folded", () => {
    expect(visibleLines(loaded, new Map()).map((line) => line.kind)).toEqual([
      "call",
      "statement",
      "call",
      "statement",
      "end",
      "statement",
      "call",
      "statement",
      "end",
    ]);
    const folded = visibleLines(loaded, new Map([["1:2", { begin: "1:1:2", end: "1:1:5" }]]));
    expect(folded.map((line) => line.kind)).toEqual([
      "call",
      "statement",
      "call",
      "statement",
      "call",
      "statement",
      "end",
    ]);
    expect(folded[2]).toMatchObject({ leaf: true, duration: 4 });
  });

  it("are found by position, and the calls around them", () => {
    const lines = visibleLines(loaded, new Map());
    expect(lineAt(lines, "1:1:4")).toBe(3);
    expect(lineAt(lines, null)).toBe(-1);
    expect(outOf(lines, 3)).toBe(2);
    expect(outOf(lines, 2)).toBe(0);
    expect(sameMethod(lines, 2, "F()", 1)).toBe(6);
    expect(sameMethod(lines, 2, "F()", -1)).toBe(-1);
  });
});

describe("a search", () => {
  const value = (wanted: string) => (some: readonly StoryEvent[]) =>
    some.find((event) => event.value === wanted)?.at ?? null;

  it("goes through pages forwards and backwards", async () => {
    expect(await scan(ask, "1:1:0", 1, value("77"), () => true)).toBe(events.find((event) => event.value === "77")?.at);
    expect(await scan(ask, "1:1:500", -1, value("3"), () => true)).toBe(
      events.find((event) => event.value === "3")?.at,
    );
  });

  it("ends at the thread's end, and when it is stopped", async () => {
    expect(await scan(ask, "1:1:0", 1, value("none"), () => true)).toBeNull();
    let pages = 0;
    const endless: Ask = async (at, direction) => ({ ...(await ask(at, direction, 10)), more: true });
    expect(await scan(endless, "1:1:0", 1, value("none"), () => ++pages < 3)).toBeNull();
    expect(pages).toBe(3);
  });
});

describe("a search of the server", () => {
  const document = (first: string | null, next: string | null): StoryDocument => ({
    rows: [],
    first,
    last: first,
    more: next !== null,
    next,
  });

  it("goes on from where each answer ends", async () => {
    const asked: string[] = [];
    const search: AskFor = async (at) => {
      asked.push(at);
      return at === "1:1:200" ? document("1:1:250", "1:1:251") : document(null, at === "1:1:5" ? "1:1:100" : "1:1:200");
    };
    const seen: number[] = [];
    const note = (events: number) => seen.push(events) > 0;
    expect(await find(search, "1:1:5", 1, { find: "x" }, note)).toBe("1:1:250");
    expect(asked).toEqual(["1:1:5", "1:1:100", "1:1:200"]);
    expect(seen).toEqual([95, 195]);
  });

  it("ends at the thread's end, when it is stopped, and when it stays where it is", async () => {
    expect(
      await find(
        async () => document(null, null),
        "1:1:5",
        -1,
        { method: "F()" },
        () => true,
      ),
    ).toBeNull();
    expect(
      await find(
        async (at) => document(null, `${at}0`),
        "1:1:5",
        1,
        { find: "x" },
        () => false,
      ),
    ).toBeNull();
    expect(
      await find(
        async (at) => document(null, at),
        "1:1:5",
        1,
        { find: "x" },
        () => true,
      ),
    ).toBeNull();
  });
});
