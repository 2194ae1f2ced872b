import { describe, expect, it } from "vitest";
import {
  between,
  label,
  niceStep,
  ordered,
  panned,
  ruler,
  shortest,
  span,
  toPixel,
  toTime,
  within,
  zoomed,
} from "./axis";

const bounds = { from: 0, to: 1e9 };

describe("the axis of time", () => {
  it("maps moments to pixels and back", () => {
    const range = { from: 100, to: 300 };
    expect(toPixel(range, 800, 150)).toBe(200);
    expect(toTime(range, 800, 200)).toBe(150);
  });

  it("keeps the moment under the pointer where it is", () => {
    const range = { from: 2e8, to: 6e8 };
    const after = zoomed(range, 3e8, 0.5, bounds);
    expect(span(after)).toBeCloseTo(2e8);
    expect(toPixel(after, 1000, 3e8)).toBeCloseTo(toPixel(range, 1000, 3e8));
  });

  it("stays within the session", () => {
    expect(panned({ from: 1e8, to: 3e8 }, -5e8, bounds)).toEqual({ from: 0, to: 2e8 });
    expect(zoomed({ from: 0, to: 5e8 }, 1e8, 100, bounds)).toEqual(bounds);
    expect(span(zoomed({ from: 0, to: 100 }, 50, 1e-9, bounds))).toBeCloseTo(shortest);
    expect(within({ from: -50, to: 50 }, { from: 0, to: 10 })).toEqual({ from: 0, to: 10 });
  });

  it("makes a range of two cursors, whichever came first", () => {
    expect(ordered(20.4, 9.6)).toEqual({ from: 10, to: 20 });
    expect(ordered(5.1, 5.2)).toBeNull();
  });

  it("moves from one window to another", () => {
    const start = { from: 0, to: 10 };
    const end = { from: 100, to: 200 };
    expect(between(start, end, 0)).toEqual(start);
    expect(between(start, end, 1)).toEqual(end);
    expect(between(start, end, 0.5).from).toBeGreaterThan(50);
  });
});

describe("the ruler", () => {
  it("steps by 1, 2 or 5", () => {
    expect([0.9, 1.1, 2.5, 7, 1e6, 30000].map(niceStep)).toEqual([1, 2, 5, 10, 1e6, 50000]);
  });

  it("labels in the unit that fits", () => {
    const found = ruler({ from: 0, to: 126e6 }, 1000);
    expect(found.base).toBeNull();
    expect(found.ticks.slice(0, 3).map((tick) => tick.label)).toEqual(["0 ms", "20 ms", "40 ms"]);
    expect(label(1.5e9, 2e9, 1e8)).toBe("1.5 s");
  });

  it("counts from a round moment when it is far from the start", () => {
    const found = ruler({ from: 10_000_004_120, to: 10_000_004_320 }, 1000);
    expect(found.base).toBe(10_000_004_000);
    expect(found.baseLabel).toBe("10.000004 s");
    expect(found.ticks[0]?.label).toBe("+150 ns");
    expect(found.ticks.length).toBeGreaterThanOrEqual(3);
  });

  it("gives no tick outside of the window and none twice", () => {
    for (const length of [20, 333, 1e4, 7.7e6, 1e9]) {
      const range = { from: 123_456_789, to: 123_456_789 + length };
      const moments = ruler(range, 640).ticks.map((tick) => tick.at);
      expect(moments.every((at) => at >= range.from && at <= range.to)).toBe(true);
      expect(new Set(moments).size).toBe(moments.length);
      expect(moments.length).toBeLessThan(8);
    }
  });
});
