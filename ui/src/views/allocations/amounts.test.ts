import { describe, expect, it } from "vitest";
import type { AllocationRow } from "../../data/events";
import { ofMethods, sortRows, total } from "./amounts";

function row(method: string, type: string, count: number, bytes: number | null): AllocationRow {
  return {
    method,
    type,
    count,
    bytes,
    unsized: bytes === null ? count : 0,
    module: "A",
    kind: "method",
    file: "/a.cs",
    line: 1,
    offset: 0,
  };
}

const rows = [row("A.F()", "T", 2, 64), row("A.G()", "U", 10, 40), row("A.F()", "U", 1, null)];

describe("allocations", () => {
  it("are added up by method, unknown sizes apart", () => {
    expect(ofMethods(rows).map((one) => [one.method, one.count, one.bytes, one.unsized])).toEqual([
      ["A.F()", 3, 64, 1],
      ["A.G()", 10, 40, 0],
    ]);
    expect(total(rows)).toEqual({ bytes: 104, count: 13 });
  });

  it("are sorted both ways, unknown sizes last", () => {
    expect(sortRows(rows, "bytes", true).map((one) => one.bytes)).toEqual([64, 40, null]);
    expect(sortRows(rows, "count", false).map((one) => one.count)).toEqual([1, 2, 10]);
    expect(sortRows(rows, "type", true).map((one) => one.type)).toEqual(["T", "U", "U"]);
  });
});
