import { describe, expect, it } from "vitest";
import type { RunsDocument, RunWait } from "../../data/events";
import { boxTop, headHeight, type Lane, rowHeight } from "./layout";
import { type Frame, linksOf } from "./links";

function lane(thread: number, top: number, levels: number): Lane {
  const height = headHeight + levels * rowHeight + 4;
  return { key: `1:${thread}`, process: 1, thread, name: "", levels, top, height, open: levels > 0, busy: 0 };
}

const lanes = [lane(1, 0, 2), lane(2, 62, 0), lane(3, 88, 1)] as const;
/** 1000 to 2000 ns, 1 ns a pixel; lanes from y = 24 on. */
const frame: Frame = {
  window: { from: 1000, to: 2000 },
  layout: { lanes: [...lanes], idle: 0, height: 132 },
  top: 0,
  width: 1000,
  height: { from: 24, to: 424 },
};

function call(thread: number, depth: number, begin: number, end: number) {
  return { begin: "1:1:1", end: "1:1:2", begin_ns: begin, end_ns: end, method: "M", thread: `1:${thread}`, depth };
}

function wait(run: RunWait["run"], suspended: number, resumed: number | null): RunWait {
  const awaiting = resumed === null ? null : resumed - suspended;
  const place = { what: "X", file: null, line: null, document: null };
  return { ...place, suspended_ns: suspended, resumed_ns: resumed, awaiting_ns: awaiting, run };
}

const resumed = (run: ReturnType<typeof call>, at: number): RunsDocument => ({
  ...call(1, 1, 1500, 1600),
  before: wait({ ...run, of: "1:7" }, at, 1500),
  after: null,
});

const y = (index: 0 | 1 | 2, depth: number) => boxTop(lanes[index], depth) + rowHeight / 2 + 24;

describe("lines between runs", () => {
  it("go from where one began to wait to where the other continues", () => {
    const [link] = linksOf(frame, resumed(call(3, 0, 1100, 1200), 1150));
    expect(link).toEqual({
      from: { x: 150, y: y(2, 0) - rowHeight / 2 },
      to: { x: 500, y: y(0, 1) },
      out: { from: null, to: null },
      label: "350 ns",
    });
  });

  it("end at the head of a lane that is folded, and below all lanes where there is none", () => {
    expect(linksOf(frame, resumed(call(2, 0, 1100, 1200), 1150))[0]?.from.y).toBe(
      lanes[1].top + headHeight / 2 + 24 - rowHeight / 2,
    );
    expect(linksOf(frame, resumed(call(9, 0, 1100, 1200), 1150))[0]?.from.y).toBeGreaterThan(24 + 132);
  });

  it("end at the edge where the other run is out of sight", () => {
    expect(linksOf(frame, resumed(call(3, 0, 100, 200), 150))[0]).toMatchObject({
      from: { x: 0 },
      out: { from: "left", to: null },
    });
    const scrolled = { ...frame, top: 80 };
    expect(linksOf(scrolled, resumed(call(3, 0, 1100, 1200), 1150))[0]).toMatchObject({
      to: { x: 500, y: 26 },
      out: { from: null, to: "up" },
    });
  });

  it("are two where a run is between two others, and none to a run that is not known", () => {
    const of = resumed(call(1, 1, 1100, 1200), 1150);
    const next = { ...call(3, 0, 3000, 3100), of: "1:9" };
    const both = linksOf(frame, { ...of, after: wait(next, 1590, 3000) });
    expect(both.map((link) => [link.from.x, link.to.x, link.out.to])).toEqual([
      [150, 500, null],
      [590, 1000, "right"],
    ]);
    expect(linksOf(frame, { ...of, before: null, after: wait(null, 1590, null) })).toEqual([]);
  });
});
