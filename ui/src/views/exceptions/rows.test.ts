import { describe, expect, it } from "vitest";
import type { ExceptionRow } from "../../data/events";
import { caughtAt, messageText, ofPlaces, ofTypes, rowKey, sortRows, thrownAt, total } from "./rows";

function row(type: string, count: number, more: Partial<ExceptionRow> = {}): ExceptionRow {
  return {
    type,
    count,
    method: "A.Throw()",
    below: false,
    caught: true,
    caught_method: "A.Main()",
    caught_below: false,
    message: null,
    message_length: null,
    ...more,
  };
}

const nobody = row("N.LostException", 2, { caught: false, caught_method: null, caught_below: null });
const rows = [row("N.EmptyException", 3), nobody, row("N.LostException", 9, { method: null, below: true })];

describe("exceptions", () => {
  it("say where they were thrown and caught", () => {
    expect(rows.map(thrownAt)).toEqual([
      { before: "", method: "A.Throw()" },
      { before: "", method: "A.Throw()" },
      { before: "below no recorded method", method: null },
    ]);
    expect(rows.map((one) => caughtAt(one).before)).toEqual(["", "not caught", ""]);
    expect(caughtAt(row("N.EmptyException", 1, { caught_below: true }))).toEqual({
      before: "below ",
      method: "A.Main()",
    });
    expect(caughtAt(row("N.EmptyException", 1, { caught_method: null })).before).toBe("below no recorded method");
  });

  it("are those of one type, sorted and added up", () => {
    const lost = ofPlaces(rows, "N.LostException");
    expect(lost.map((one) => one.count)).toEqual([2, 9]);
    expect(sortRows(lost, "count", true).map((one) => one.count)).toEqual([9, 2]);
    expect(sortRows(ofPlaces(rows, null), "type", false)[0]?.type).toBe("N.LostException");
    expect(total(lost)).toEqual({ count: 11, caught: 9 });
    expect(total(ofTypes([{ type: null, thrown: 4, caught: 1 }]))).toEqual({ count: 4, caught: 1 });
  });

  it("say where the recording cut a message", () => {
    expect(messageText(row("T", 1, { message: "no number", message_length: 9 }))).toBe("no number");
    expect(messageText(row("T", 1, { message: "no num", message_length: 9 }))).toBe("no num...");
    expect(messageText(row("T", 1))).toBe("");
  });

  it("have keys of their own", () => {
    expect(new Set(ofPlaces(rows, null).map(rowKey)).size).toBe(3);
  });
});
