// Where lanes and spans lie: lanes from top to bottom, spans by time and depth. Idle threads share one line.
import { type Range, toPixel } from "../../charts/axis";
import type { TimelineDocument, TimelineLane } from "../../data/events";

export const rowHeight = 18;
export const headHeight = 22;
const gap = 4;

export interface Lane {
  key: string;
  process: number;
  thread: number;
  name: string;
  /** Levels of calls that are drawn; 0: the lane shows its density alone. */
  levels: number;
  top: number;
  height: number;
  open: boolean;
  busy: number;
}

export interface Layout {
  lanes: Lane[];
  /** Threads without a recorded call, left out. */
  idle: number;
  height: number;
}

export function laneKey(lane: { process: number; thread: number }): string {
  return `${lane.process}:${lane.thread}`;
}

function mean(values: number[]): number {
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : 0;
}

function levelsOf(lane: TimelineLane): number {
  let deepest = -1;
  for (const depth of lane.spans.depth) {
    deepest = Math.max(deepest, depth);
  }
  return deepest + 1;
}

/** Levels of each lane over all documents that are drawn, so that lanes do not jump when a tile comes. */
export function levelsByLane(
  documents: readonly TimelineDocument[],
  known: ReadonlyMap<string, number>,
): Map<string, number> {
  const levels = new Map(known);
  for (const document of documents) {
    for (const lane of document.lanes) {
      levels.set(laneKey(lane), Math.max(levels.get(laneKey(lane)) ?? 0, levelsOf(lane)));
    }
  }
  return levels;
}

export function layOut(
  whole: TimelineDocument,
  levels: ReadonlyMap<string, number>,
  folded: ReadonlySet<string>,
  showIdle: boolean,
): Layout {
  const lanes: Lane[] = [];
  let top = 0;
  let idle = 0;
  for (const lane of whole.lanes) {
    const key = laneKey(lane);
    const busy = mean(lane.busy);
    const quiet = lane.spans.begin_ns.length === 0 && busy === 0 && (levels.get(key) ?? 0) === 0;
    idle += quiet ? 1 : 0;
    if (quiet && !showIdle) {
      continue;
    }
    const open = !folded.has(key) && !quiet;
    const deep = open ? (levels.get(key) ?? 0) : 0;
    const height = headHeight + deep * rowHeight + gap;
    lanes.push({
      key,
      process: lane.process,
      thread: lane.thread,
      name: lane.name ?? "",
      levels: deep,
      top,
      height,
      open,
      busy,
    });
    top += height;
  }
  return { lanes, idle, height: top };
}

/** One call, or several short ones together, on the screen. */
export interface Box {
  begin: number;
  end: number;
  depth: number;
  method: number;
  call: number;
  calls: number;
}

export function boxOf(lane: TimelineLane, index: number): Box {
  const { begin_ns, end_ns, depth, method, call, calls } = lane.spans;
  return {
    begin: begin_ns[index] ?? 0,
    end: end_ns[index] ?? 0,
    depth: depth[index] ?? 0,
    method: method[index] ?? -1,
    call: call[index] ?? 0,
    calls: calls[index] ?? 1,
  };
}

/** The span of a lane at a moment and depth, within `slack` ns; the nearest if several are. */
export function spanAt(lane: TimelineLane, at: number, depth: number, slack: number): Box | null {
  let best = -1;
  let nearest = Number.POSITIVE_INFINITY;
  const { begin_ns, end_ns } = lane.spans;
  for (let index = 0; index < begin_ns.length; index++) {
    if (lane.spans.depth[index] !== depth) {
      continue;
    }
    const distance = Math.max((begin_ns[index] as number) - at, at - (end_ns[index] as number), 0);
    if (distance < nearest) {
      nearest = distance;
      best = index;
    }
  }
  return best >= 0 && nearest <= slack ? boxOf(lane, best) : null;
}

export interface Spot {
  lane: Lane;
  /** Level under the pointer; -1: the lane's head. */
  depth: number;
}

export function spotAt(layout: Layout, y: number): Spot | null {
  const lane = layout.lanes.find((one) => y >= one.top && y < one.top + one.height);
  if (!lane) {
    return null;
  }
  const depth = Math.floor((y - lane.top - headHeight) / rowHeight);
  return { lane, depth: depth >= 0 && depth < lane.levels ? depth : -1 };
}

export function boxTop(lane: Lane, depth: number): number {
  return lane.top + headHeight + depth * rowHeight;
}

/** Left and right of a span in pixels, cut to the window, at least a pixel wide. */
export function extent(
  window: Range,
  width: number,
  begin: number,
  end: number,
): { left: number; right: number } | null {
  if (end < window.from || begin > window.to) {
    return null;
  }
  const left = Math.max(-1, toPixel(window, width, begin));
  const right = Math.min(width + 1, toPixel(window, width, end));
  return { left, right: Math.max(right, left + 1) };
}

/** Shares of busy time for `width` pixels of a window, from the columns of a document. */
export function density(document: TimelineDocument, lane: TimelineLane, window: Range, width: number): Float32Array {
  const found = new Float32Array(width);
  const columns = lane.busy.length;
  const length = document.to_ns - document.from_ns;
  if (columns === 0 || length <= 0) {
    return found;
  }
  for (let pixel = 0; pixel < width; pixel++) {
    const from = window.from + ((window.to - window.from) * pixel) / width;
    const to = window.from + ((window.to - window.from) * (pixel + 1)) / width;
    const first = Math.floor(((from - document.from_ns) / length) * columns);
    const last = Math.max(first, Math.ceil(((to - document.from_ns) / length) * columns) - 1);
    let sum = 0;
    for (let column = Math.max(0, first); column <= Math.min(columns - 1, last); column++) {
      sum += lane.busy[column] ?? 0;
    }
    found[pixel] = sum / (last - first + 1);
  }
  return found;
}
