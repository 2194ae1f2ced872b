// Lines between the runs of an async activation: from where one began to wait to where another continues, across lanes.
import { type Range, toPixel } from "../../charts/axis";
import type { Theme } from "../../charts/theme";
import type { CallDocument, RunsDocument, RunWait } from "../../data/events";
import { plain, time } from "../../text/format";
import { boxTop, headHeight, type Layout, rowHeight } from "./layout";

/** A line of fewer pixels has no label, which would hide the runs. */
const shortestLabelled = 60;

export interface Point {
  x: number;
  y: number;
}

/** A line as it is on the screen. An end that is out of sight is at the edge. */
export interface RunLink {
  from: Point;
  to: Point;
  /** How the line is cut: its end goes on to the left, right, up or down; null: it ends at the run. */
  out: { from: Side | null; to: Side | null };
  /** The length of the wait. */
  label: string;
}

type Side = "left" | "right" | "up" | "down";

/** The part of the screen that lines are in. */
export interface Frame {
  window: Range;
  layout: Layout;
  top: number;
  width: number;
  /** Of the lanes: `from` is below the ruler. */
  height: Range;
}

/** A moment of a run, wherever it is. A thread that is not among the lanes is below them. */
function pointOf(frame: Frame, run: CallDocument, at: number): Point {
  const lane = frame.layout.lanes.find((one) => one.key === run.thread);
  const folded = !lane || run.depth >= lane.levels;
  const y = !lane
    ? frame.layout.height + rowHeight
    : folded
      ? lane.top + headHeight / 2
      : boxTop(lane, run.depth) + rowHeight / 2;
  return { x: toPixel(frame.window, frame.width, at), y: y - frame.top + frame.height.from };
}

function cut(frame: Frame, point: Point): { point: Point; side: Side | null } {
  const { width, height } = frame;
  const side =
    point.x < 0
      ? "left"
      : point.x > width
        ? "right"
        : point.y < height.from
          ? "up"
          : point.y > height.to
            ? "down"
            : null;
  return {
    point: {
      x: Math.min(Math.max(point.x, 0), width),
      y: Math.min(Math.max(point.y, height.from + 2), height.to - 2),
    },
    side,
  };
}

function linkOf(frame: Frame, wait: RunWait, earlier: CallDocument, later: CallDocument): RunLink | null {
  if (wait.suspended_ns === null || wait.resumed_ns === null) {
    return null;
  }
  const begin = pointOf(frame, earlier, wait.suspended_ns);
  const end = pointOf(frame, later, wait.resumed_ns);
  // It leaves the run at its edge, so that the name on it stays legible.
  begin.y += end.y < begin.y ? -rowHeight / 2 : rowHeight / 2 - 1;
  const from = cut(frame, begin);
  const to = cut(frame, end);
  return {
    from: from.point,
    to: to.point,
    out: { from: from.side, to: to.side },
    label: plain(time(wait.awaiting_ns)),
  };
}

/** The lines to a run from the one before, and from it to the one after. */
export function linksOf(frame: Frame, runs: RunsDocument): RunLink[] {
  const { before, after } = runs;
  const links = [
    before?.run ? linkOf(frame, before, before.run, runs) : null,
    after?.run ? linkOf(frame, after, runs, after.run) : null,
  ];
  return links.filter((link) => link !== null);
}

function arrow(context: CanvasRenderingContext2D, at: Point, side: Side): void {
  const [dx, dy] = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] }[side] as [number, number];
  context.beginPath();
  context.moveTo(at.x, at.y);
  context.lineTo(at.x - 7 * dx + 4 * dy, at.y - 7 * dy + 4 * dx);
  context.lineTo(at.x - 7 * dx - 4 * dy, at.y - 7 * dy - 4 * dx);
  context.fill();
}

/** Within a level the line is bent, so that it does not lie on what ran there meanwhile. */
function bend(link: RunLink): number {
  const level = Math.abs(link.to.y - link.from.y) < rowHeight;
  return level ? Math.min(26, 10 + Math.abs(link.to.x - link.from.x) / 4) : 0;
}

export function middleOf(link: RunLink): Point {
  return { x: (link.from.x + link.to.x) / 2, y: (link.from.y + link.to.y) / 2 + bend(link) * 0.75 };
}

/** `flag` writes the length of the wait. */
export function paintLinks(
  context: CanvasRenderingContext2D,
  theme: Theme,
  links: readonly RunLink[],
  flag: (text: string, at: Point) => void,
): void {
  for (const link of links) {
    const { from, to, out } = link;
    const middle = (from.x + to.x) / 2;
    context.strokeStyle = theme.accent;
    context.fillStyle = theme.accent;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(from.x, from.y);
    context.bezierCurveTo(middle, from.y + bend(link), middle, to.y + bend(link), to.x, to.y);
    context.stroke();
    context.lineWidth = 1;
    if (out.from) {
      arrow(context, from, out.from);
    }
    arrow(context, to, out.to ?? "right");
    if (Math.hypot(to.x - from.x, to.y - from.y) > shortestLabelled) {
      flag(link.label, middleOf(link));
    }
  }
}
