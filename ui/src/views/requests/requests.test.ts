import { describe, expect, it } from "vitest";
import type { RequestRow } from "../../data/documents";
import { barAt, barCount, barsOf, latencyAt, placeOf, spanOf, ticksOf } from "./histogram";
import { failed, rowKey, sortRows, timeOf } from "./rows";

function row(method: string, more: Partial<RequestRow> = {}): RequestRow {
  return {
    method,
    module: "Shop",
    kind: "async",
    calls: 1,
    failures: 0,
    cancelled: 0,
    open: 0,
    pending: 0,
    p50_ns: null,
    p90_ns: null,
    p99_ns: null,
    min_ns: null,
    max_ns: null,
    latencies: 0,
    running_ns: 0,
    awaiting_ns: 0,
    awaits: [],
    histogram: [],
    ...more,
  };
}

describe("rows of requests", () => {
  const rows = [
    row("Shop.Api.Get()", { calls: 100, p99_ns: 40, running_ns: 500, awaiting_ns: 9000 }),
    row("Shop.Api.Put()", { calls: 3, failures: 2, cancelled: 1, p99_ns: 900, running_ns: 800, awaiting_ns: 100 }),
    row("Shop.Tick()", { calls: 7, running_ns: 2000, awaiting_ns: 0 }),
  ];
  const names = (sort: string, down = true, search: string | null = null) =>
    sortRows(rows, { name: sort, down }, search).map((each) => each.method.split(".").at(-1));

  it("are in the order of their time, or of a column; what is not known is least", () => {
    expect(names("time")).toEqual(["Get()", "Tick()", "Put()"]);
    expect(names("p99")).toEqual(["Put()", "Get()", "Tick()"]);
    expect(names("p99", false)).toEqual(["Tick()", "Get()", "Put()"]);
    expect(names("failures")[0]).toBe("Put()");
    expect(names("method", false)).toEqual(["Get()", "Put()", "Tick()"]);
    expect(rows.map((each) => each.calls)).toEqual([100, 3, 7]);
  });

  it("are those that a search finds", () => {
    expect(names("calls", true, "api")).toEqual(["Get()", "Put()"]);
  });

  it("have a key of their own, also beside one whose caller is not known", () => {
    expect(rowKey(row("A.B()", { parent: "unknown" }))).not.toBe(rowKey(row("A.B()")));
    expect([failed(rows[1] as RequestRow), timeOf(rows[0] as RequestRow)]).toEqual([3, 9500]);
    expect(timeOf(row("A.B()", { running_ns: null, awaiting_ns: null }))).toBe(-1);
  });
});

describe("a histogram of latencies", () => {
  const buckets = [
    { from_ns: 1024, to_ns: 1088, count: 5 },
    { from_ns: 1088, to_ns: 1152, count: 7 },
    { from_ns: 1_048_576, to_ns: 1_114_112, count: 1 },
  ];
  const span = spanOf(buckets);

  it("begins and ends around what was measured", () => {
    expect(span.from).toBeLessThanOrEqual(1024);
    expect(span.from).toBeGreaterThan(600);
    expect(span.to).toBeGreaterThanOrEqual(1_114_112);
    expect(spanOf([{ from_ns: 0, to_ns: 1, count: 3 }])).toEqual({ from: 1, to: 10 ** 0.4 });
  });

  it("is logarithmic: equal factors are equally wide", () => {
    const wide = { from: 1000, to: 1_000_000 };
    expect([1000, 10_000, 100_000, 1_000_000].map((ns) => Math.round(placeOf(wide, ns) * 300))).toEqual([
      0, 100, 200, 300,
    ]);
    expect(latencyAt(wide, 1 / 3)).toBeCloseTo(10_000);
    expect(placeOf(wide, 0)).toBe(0);
  });

  it("has every latency in one bar", () => {
    for (const most of [1, 10, 57, 400]) {
      const bars = barsOf(buckets, span, most);
      expect(bars.reduce((sum, bar) => sum + bar.count, 0)).toBe(13);
      expect(bars.length).toBeLessThanOrEqual(Math.min(3, most));
      for (const bar of bars) {
        expect(barAt(bars, span, placeOf(span, Math.sqrt(bar.from * bar.to)))).toBe(bar);
      }
    }
    const ten = barsOf(buckets, span, 10);
    expect(ten.map((bar) => bar.count)).toEqual([12, 1]);
    expect(barAt(ten, span, 0.5)).toBeNull();
  });

  it("has no bars narrower than its buckets", () => {
    expect(barCount({ from: 1000, to: 2000 }, 900)).toBe(10);
    expect(barCount({ from: 1000, to: 2000 }, 20)).toBe(2);
    expect(barCount({ from: 1000, to: 1001 }, 900)).toBe(1);
  });

  it("has ticks at powers of ten, and between them where there is room", () => {
    expect(ticksOf({ from: 630, to: 1_600_000 })).toEqual([1000, 10_000, 100_000, 1_000_000]);
    expect(ticksOf({ from: 630, to: 4000 })).toEqual([1000, 2000]);
  });
});
