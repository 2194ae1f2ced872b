// Calls under the pointer and their neighbours, over the pieces that are drawn.
import { type Range, span, toTime } from "../../charts/axis";
import type { MethodRow } from "../../data/documents";
import type { TimelineDocument, TimelineLane } from "../../data/events";
import { bounded } from "../../text/foreign";
import { moment, plain, time } from "../../text/format";
import { type Box, boxOf, type Lane, laneKey, spanAt, spotAt } from "./layout";
import type { Scene } from "./paint";

export interface Found {
  lane: Lane;
  box: Box;
  method: MethodRow;
}

/** The activation as P:N, if the span is one call. */
export function callOf(found: Found): string | null {
  return found.box.call > 0 && found.box.calls === 1 ? `${found.lane.process}:${found.box.call}` : null;
}

function laneIn(document: TimelineDocument, lane: Lane): TimelineLane | undefined {
  return document.lanes.find((one) => laneKey(one) === lane.key);
}

export function find(scene: Scene, x: number, y: number): Found | null {
  const spot = spotAt(scene.layout, y);
  if (!spot || spot.depth < 0) {
    return null;
  }
  const at = toTime(scene.window, Math.max(1, scene.width), x);
  const slack = (span(scene.window) / Math.max(1, scene.width)) * 1.5;
  const piece = scene.pieces.find((one) => at >= one.from && at <= one.to);
  const source = piece && laneIn(piece.document, spot.lane);
  const box = source && spanAt(source, at, spot.depth, slack);
  const method = box && piece?.document.methods[box.method];
  return box && method ? { lane: spot.lane, box, method } : null;
}

function everyBox(scene: Scene, lane: Lane): Found[] {
  const seen = new Set<string>();
  const found: Found[] = [];
  for (const piece of scene.pieces) {
    const source = laneIn(piece.document, lane);
    for (let index = 0; source && index < source.spans.begin_ns.length; index++) {
      const box = boxOf(source, index);
      const method = piece.document.methods[box.method];
      const key = `${box.begin} ${box.depth}`;
      if (method && box.depth < lane.levels && !seen.has(key) && box.end >= piece.from && box.begin <= piece.to) {
        seen.add(key);
        found.push({ lane, box, method });
      }
    }
  }
  return found;
}

/** The call P:N, if it is in one of the pieces by itself. */
export function findCall(scene: Scene, call: string): Found | null {
  for (const lane of scene.layout.lanes) {
    const found = everyBox(scene, lane).find((one) => callOf(one) === call);
    if (found) {
      return found;
    }
  }
  return null;
}

export type Direction = "left" | "right" | "up" | "down";

function nearest(all: readonly Found[], distance: (box: Box) => number | null): Found | null {
  let best: Found | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const one of all) {
    const far = distance(one.box);
    if (far !== null && far >= 0 && far < least) {
      least = far;
      best = one;
    }
  }
  return best;
}

/** The next call in a direction; from the top or bottom of a lane, the neighbouring lane. */
export function neighbour(scene: Scene, from: Found | null, direction: Direction): Found | null {
  const lanes = scene.layout.lanes.filter((lane) => lane.levels > 0);
  const lane = from ? lanes.find((one) => one.key === from.lane.key) : lanes[0];
  if (!lane) {
    return null;
  }
  const boxes = everyBox(scene, lane);
  if (!from) {
    return nearest(boxes, (box) => (box.depth === 0 ? Math.max(0, box.begin - scene.window.from) : null));
  }
  const { begin, end, depth } = from.box;
  switch (direction) {
    case "left":
      return nearest(boxes, (box) => (box.depth === depth && box.begin < begin ? begin - box.begin : null));
    case "right":
      return nearest(boxes, (box) => (box.depth === depth && box.begin > begin ? box.begin - begin : null));
    case "up":
      return (
        nearest(boxes, (box) =>
          box.depth === depth - 1 && box.begin <= begin && box.end >= begin ? begin - box.begin : null,
        ) ?? other(scene, lanes, lane, -1)
      );
    case "down":
      return (
        nearest(boxes, (box) =>
          box.depth === depth + 1 && box.begin >= begin && box.begin <= end ? box.begin - begin : null,
        ) ?? other(scene, lanes, lane, 1)
      );
  }
}

function other(scene: Scene, lanes: readonly Lane[], lane: Lane, step: number): Found | null {
  const next = lanes[lanes.indexOf(lane) + step];
  return next
    ? nearest(everyBox(scene, next), (box) => (box.depth === 0 ? Math.max(0, box.begin - scene.window.from) : null))
    : null;
}

/** Rows for the table behind the canvas: the longest calls of each thread. */
export function allSpans(document: TimelineDocument, most = 60): string[][] {
  const rows: { lane: TimelineLane; box: Box }[] = [];
  for (const lane of document.lanes) {
    for (let index = 0; index < lane.spans.begin_ns.length; index++) {
      rows.push({ lane, box: boxOf(lane, index) });
    }
  }
  rows.sort((a, b) => b.box.end - b.box.begin - (a.box.end - a.box.begin));
  return rows
    .slice(0, most)
    .map(({ lane, box }) => [
      laneKey(lane),
      moment(box.begin),
      plain(time(box.end - box.begin)),
      String(box.calls),
      bounded(document.methods[box.method]?.name ?? "?"),
    ]);
}

/** A call in the window, for copying. */
export interface CopiedCall {
  begin_ns: number;
  end_ns: number;
  thread: string;
  depth: number;
  calls: number;
  method: string;
  call: number;
}

/** The calls in the window, each once. */
export function callsIn(pieces: readonly { document: TimelineDocument }[], window: Range): CopiedCall[] {
  const seen = new Set<string>();
  return pieces.flatMap((piece) =>
    piece.document.lanes.flatMap((lane) =>
      lane.spans.begin_ns.flatMap((begin, index) => {
        const box = boxOf(lane, index);
        const key = `${laneKey(lane)} ${begin} ${box.depth}`;
        if (box.end < window.from || begin > window.to || seen.has(key)) {
          return [];
        }
        seen.add(key);
        return [
          {
            begin_ns: begin,
            end_ns: box.end,
            thread: laneKey(lane),
            depth: box.depth,
            calls: box.calls,
            method: piece.document.methods[box.method]?.name ?? "?",
            call: box.call,
          },
        ];
      }),
    ),
  );
}
