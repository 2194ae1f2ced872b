import { describe, expect, it } from "vitest";
import type { StoryEvent } from "../../data/events";
import { lastCall, outward, stepped, toSameMethod, toText, unfoldsInto } from "./interaction";
import { merge, nothing, visibleLines } from "./model";

// Main calls F, which calls G, then F once more, which does nothing.
const events: StoryEvent[] = [];
function add(event: string, depth: number, call: number, more: Partial<StoryEvent> = {}) {
  events.push({ event, at: `1:1:${events.length}`, process: 1, thread: 1, depth, call, ...more });
}
add("enter", 0, 1, { method: "Main()" });
add("statement", 0, 1, { line: 5, text: "F();" });
add("enter", 1, 2, { method: "F()" });
add("enter", 2, 3, { method: "G()" });
add("statement", 2, 3, { line: 9, text: "x++;" });
add("leave", 2, 3, { method: "G()" });
add("leave", 1, 2, { method: "F()" });
add("enter", 1, 4, { method: "F()" });
add("statement", 1, 4, { line: 7, text: "return;" });
add("leave", 1, 4, { method: "F()" });
add("leave", 0, 1, { method: "Main()" });

/** The lines of some of the events, and the index of the line that begins at an event. */
function part(from: number, to: number) {
  const lines = visibleLines(
    merge(nothing, { rows: events.slice(from, to), first: null, last: null, more: true }, 1),
    new Map(),
  );
  return { lines, line: (ordinal: number) => lines.findIndex((each) => each.first === `1:1:${ordinal}`) };
}
const all = part(0, events.length);

describe("a step by lines", () => {
  it("ends at the first and at the last line", () => {
    expect(stepped(all.lines, 0, 1)).toBe("1:1:1");
    expect(stepped(all.lines, 1, -25)).toBe("1:1:0");
    expect(stepped(all.lines, 1, 25)).toBe(all.lines.at(-1)?.first);
    expect(stepped([], 0, 1)).toBeNull();
  });
});

describe("a step into a call", () => {
  it("unfolds a folded one", () => {
    const folds = new Map([["1:2", { begin: "1:1:2", end: "1:1:6" }]]);
    expect(unfoldsInto(all.lines[all.line(2)], folds)).toBe(true);
    expect(unfoldsInto(all.lines[all.line(0)], folds)).toBe(false);
    expect(unfoldsInto(all.lines[all.line(1)], folds)).toBe(false);
    expect(unfoldsInto(undefined, folds)).toBe(false);
  });
});

describe("a step out of a call", () => {
  it("goes to the call around the line", () => {
    expect(outward(all.lines, all.line(4))).toEqual({ at: "1:1:3" });
    expect(outward(all.lines, all.line(3))).toEqual({ at: "1:1:2" });
    expect(outward(all.lines, all.line(0))).toBeNull();
    expect(outward([], 0)).toBeNull();
  });

  it("seeks the call by its depth where it is not loaded", () => {
    const { lines, line } = part(4, 9);
    expect(outward(lines, line(4))).toEqual({ from: "1:1:4", depth: 2 });
    expect(lastCall(events.slice(0, 4), 2)).toBe("1:1:3");
    expect(lastCall(events, 1)).toBe("1:1:7");
    expect(lastCall(events, 9)).toBeNull();
  });
});

describe("a step to the same method", () => {
  it("goes to its next or previous call, from a line inside too", () => {
    expect(toSameMethod(all.lines, all.line(2), 1)).toEqual({ at: "1:1:7" });
    expect(toSameMethod(all.lines, all.line(8), -1)).toEqual({ at: "1:1:7" });
    expect(toSameMethod(all.lines, all.line(7), -1)).toEqual({ at: "1:1:2" });
  });

  it("is the server's where none is loaded: after the line, or before it", () => {
    const wanted = { method: "F()" };
    expect(toSameMethod(all.lines, all.line(7), 1)).toEqual({ from: "1:1:8", direction: 1, wanted });
    expect(toSameMethod(all.lines, all.line(2), -1)).toEqual({ from: "1:1:2", direction: -1, wanted });
    expect(toSameMethod([], 0, 1)).toBeNull();
  });
});

describe("a step to a text", () => {
  it("goes to the next or previous line that has it", () => {
    expect(toText(all.lines, 0, "X++", 1)).toEqual({ at: "1:1:4" });
    expect(toText(all.lines, all.line(8), "x++", -1)).toEqual({ at: "1:1:4" });
    expect(toText(all.lines, all.line(8), "F()", -1)).toEqual({ at: "1:1:7" });
  });

  it("is the server's beyond what is loaded", () => {
    const { lines } = part(0, 5);
    const wanted = { find: "return" };
    expect(toText(lines, 0, "return", 1)).toEqual({ from: "1:1:5", direction: 1, wanted });
    expect(toText(lines, 1, "return", -1)).toEqual({ from: "1:1:0", direction: -1, wanted });
  });

  it("needs a text and a line", () => {
    expect(toText(all.lines, 0, "", 1)).toBeNull();
    expect(toText([], 0, "x", 1)).toBeNull();
  });
});
