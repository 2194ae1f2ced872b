import { describe, expect, it } from "vitest";
import type { TimelineDocument, TimelineLane } from "../../data/events";
import { boxTop, density, extent, headHeight, layOut, levelsByLane, rowHeight, spanAt, spotAt } from "./layout";

function lane(thread: number, spans: [number, number, number][], busy: number[] = []): TimelineLane {
  return {
    process: 1,
    thread,
    name: `thread ${thread}`,
    spans: {
      begin_ns: spans.map(([begin]) => begin),
      end_ns: spans.map(([, end]) => end),
      depth: spans.map(([, , depth]) => depth),
      method: spans.map(() => 0),
      call: spans.map((_, index) => index + 1),
      calls: spans.map(() => 1),
    },
    busy,
    dominant: busy.map(() => 0),
  };
}

const whole: TimelineDocument = {
  exact: true,
  from_ns: 0,
  to_ns: 100,
  methods: [],
  lanes: [
    lane(
      1,
      [
        [0, 90, 0],
        [10, 20, 1],
        [30, 80, 1],
      ],
      [1, 0.5],
    ),
    lane(2, []),
    lane(3, [[5, 6, 0]], [0.1, 0]),
  ],
};

describe("the layout of lanes", () => {
  const levels = levelsByLane([whole], new Map());
  const layout = layOut(whole, levels, new Set(), false);

  it("leaves idle threads out and counts them", () => {
    expect(layout.lanes.map((one) => one.thread)).toEqual([1, 3]);
    expect(layout.idle).toBe(1);
    expect(layOut(whole, levels, new Set(), true).lanes.map((one) => one.thread)).toEqual([1, 2, 3]);
  });

  it("puts lanes below each other without overlap", () => {
    expect(layout.lanes[0]?.levels).toBe(2);
    expect(layout.lanes[1]?.top).toBe(layout.lanes[0]?.height);
    expect(layout.height).toBe(layout.lanes.reduce((sum, one) => sum + one.height, 0));
  });

  it("folds a lane to its head", () => {
    const folded = layOut(whole, levels, new Set(["1:1"]), false);
    expect(folded.lanes[0]?.levels).toBe(0);
    expect(folded.height).toBe(layout.height - 2 * rowHeight);
  });

  it("never takes levels away when a tile shows fewer", () => {
    const after = levelsByLane([{ ...whole, lanes: [lane(1, [[0, 1, 0]])] }], levels);
    expect(after.get("1:1")).toBe(2);
  });

  it("finds the lane and level under the pointer", () => {
    expect(spotAt(layout, 5)).toMatchObject({ depth: -1 });
    expect(spotAt(layout, headHeight + rowHeight + 2)).toMatchObject({ depth: 1, lane: { thread: 1 } });
    const second = layout.lanes[1];
    expect(second && spotAt(layout, boxTop(second, 0) + 1)).toMatchObject({ depth: 0, lane: { thread: 3 } });
    expect(spotAt(layout, 9999)).toBeNull();
  });
});

describe("spans", () => {
  const first = whole.lanes[0] as TimelineLane;

  it("are found by moment and depth, near ones too", () => {
    expect(spanAt(first, 15, 1, 0)?.call).toBe(2);
    expect(spanAt(first, 25, 1, 0)).toBeNull();
    expect(spanAt(first, 27, 1, 4)?.call).toBe(3);
    expect(spanAt(first, 15, 0, 0)?.call).toBe(1);
  });

  it("are cut to the window and never vanish", () => {
    expect(extent({ from: 40, to: 60 }, 200, 0, 100)).toEqual({ left: -1, right: 201 });
    expect(extent({ from: 40, to: 60 }, 200, 50, 50)).toEqual({ left: 100, right: 101 });
    expect(extent({ from: 40, to: 60 }, 200, 0, 39)).toBeNull();
  });
});

describe("density", () => {
  it("takes columns to pixels, finer and coarser", () => {
    const first = whole.lanes[0] as TimelineLane;
    expect([...density(whole, first, { from: 0, to: 100 }, 4)]).toEqual([1, 1, 0.5, 0.5]);
    expect([...density(whole, first, { from: 0, to: 100 }, 1)]).toEqual([0.75]);
    expect([...density(whole, first, { from: 50, to: 100 }, 2)]).toEqual([0.5, 0.5]);
  });
});
