import { describe, expect, it } from "vitest";
import type { ValueMoment } from "../../data/events";
import { boundsOf, brushed, brushing, nearest, nextChange } from "./interaction";

function moments(...times: (number | null)[]): ValueMoment[] {
  return times.map((time_ns, at) => ({ at: `1:1:${at}`, time_ns, call: 1, method: "F()", line: 1 }));
}

const values = moments(100, 200, null, 300);
/** 10 ns a pixel. */
const at = (x: number) => x * 10;

describe("changes", () => {
  const changes = [false, true, false, true];

  it("follow each other in both directions, from no moment too", () => {
    expect(nextChange(changes, -1, 1)).toBe(1);
    expect(nextChange(changes, 1, 1)).toBe(3);
    expect(nextChange(changes, 3, -1)).toBe(1);
    expect(nextChange(changes, 3, 1)).toBe(-1);
    expect(nextChange(changes, 1, -1)).toBe(-1);
    expect(nextChange([], -1, 1)).toBe(-1);
  });
});

describe("the pointer on the plot", () => {
  it("is on the nearest moment that has a time", () => {
    expect(nearest(values, 120)).toBe(0);
    expect(nearest(values, 260)).toBe(3);
    expect(nearest(moments(100, 100), 100)).toBe(1);
    expect(nearest([], 100)).toBe(-1);
  });

  it("chooses a range by a drag, from either side, and a moment by a click", () => {
    expect(brushed({ x: 10, to: 20 }, values, at)).toEqual({ range: { from: 100, to: 200 } });
    expect(brushed({ x: 20, to: 10 }, values, at)).toEqual({ range: { from: 100, to: 200 } });
    expect(brushed({ x: 17, to: 20 }, values, at)).toEqual({ pick: 1 });
  });

  it("shows the range before", () => {
    expect(brushing({ x: 10, to: 20 }, at)).toEqual({ from: 100, to: 200 });
    expect(brushing({ x: 10, to: 13 }, at)).toBeNull();
    expect(brushing(null, at)).toBeNull();
  });
});

describe("the time of the plot", () => {
  it("is that of the moments with room at its sides, or the range of the place", () => {
    expect(boundsOf(moments(1000, 2000), null, null, null)).toEqual({ from: 980, to: 2020 });
    expect(boundsOf(moments(5, 10), null, null, null)).toEqual({ from: 0, to: 20 });
    expect(boundsOf(moments(1000, 2000), 500, 3000, null)).toEqual({ from: 500, to: 3000 });
    expect(boundsOf(moments(null), null, null, 1000)).toEqual({ from: 0, to: 1020 });
  });
});
