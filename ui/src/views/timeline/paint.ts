// The timeline's picture: a pure function of pieces, layout, window and colours onto a canvas.
import { type Range, ruler, toPixel } from "../../charts/axis";
import type { MethodRow } from "../../data/documents";
import type { TimelineLane } from "../../data/events";
import {
  type Box,
  boxOf,
  boxTop,
  density,
  extent,
  headHeight,
  type Lane,
  type Layout,
  laneKey,
  rowHeight,
} from "./layout";
import type { Piece } from "./tiles";

export interface Paint {
  text: string;
  dim: string;
  line: string;
  back: string;
  accent: string;
  mono: string;
  sans: string;
  /** Fill of a call of this method, and the text's colour on it. */
  fill: (method: MethodRow) => string;
  ink: (method: MethodRow) => string;
}

export interface Scene {
  window: Range;
  width: number;
  /** The part of the layout that is on the screen. */
  top: number;
  height: number;
  layout: Layout;
  pieces: readonly Piece[];
  selected: string | null;
  /** A method's short name, for text on its calls. */
  short: (method: MethodRow) => string;
}

const rulerHeight = 24;

export { rulerHeight };

/** The text, or as much of it as fits; empty if less than three letters would. */
export function fitted(text: string, room: number, letter: number): string {
  const most = Math.floor(room / letter);
  if (text.length <= most) {
    return text;
  }
  return most >= 4 ? `${text.slice(0, most - 1)}…` : "";
}

export function paintRuler(context: CanvasRenderingContext2D, scene: Scene, paint: Paint): void {
  const found = ruler(scene.window, scene.width);
  context.font = `11px ${paint.sans}`;
  context.textBaseline = "middle";
  for (const tick of found.ticks) {
    const x = Math.round(toPixel(scene.window, scene.width, tick.at)) + 0.5;
    context.fillStyle = paint.line;
    context.fillRect(x - 0.5, 0, 1, scene.height);
    context.fillStyle = paint.dim;
    if (x + 4 < scene.width - 20) {
      context.fillText(tick.label, x + 4, rulerHeight / 2);
    }
  }
}

function paintDensity(
  context: CanvasRenderingContext2D,
  scene: Scene,
  lane: Lane,
  piece: Piece,
  source: TimelineLane,
  paint: Paint,
): void {
  const left = Math.floor(toPixel(scene.window, scene.width, piece.from));
  const width = Math.ceil(toPixel(scene.window, scene.width, piece.to)) - left;
  if (width < 1) {
    return;
  }
  const shares = density(piece.document, source, piece, width);
  const bottom = lane.top - scene.top + rulerHeight + headHeight - 2;
  const most = headHeight - 6;
  context.globalAlpha = lane.levels > 0 ? 0.3 : 0.85;
  const columns = source.dominant.length;
  const length = piece.document.to_ns - piece.document.from_ns;
  for (let pixel = 0; pixel < width; pixel++) {
    const share = shares[pixel] ?? 0;
    if (share <= 0) {
      continue;
    }
    const at = piece.from + ((piece.to - piece.from) * (pixel + 0.5)) / width;
    const column = Math.min(columns - 1, Math.floor(((at - piece.document.from_ns) / length) * columns));
    const method = piece.document.methods[source.dominant[column] ?? -1];
    context.fillStyle = method ? paint.fill(method) : paint.dim;
    const high = Math.max(1, share * most);
    context.fillRect(left + pixel, bottom - high, 1, high);
  }
  context.globalAlpha = 1;
}

interface Pen {
  context: CanvasRenderingContext2D;
  scene: Scene;
  lane: Lane;
  paint: Paint;
  /** Width of a letter. */
  letter: number;
}

interface Placed {
  box: Box;
  method: MethodRow;
  y: number;
  left: number;
  right: number;
}

/** Where a span lies on the screen, cut to `from` and `to`; null: it is out of sight. */
function placed(pen: Pen, piece: Piece, source: TimelineLane, index: number, from: number, to: number): Placed | null {
  const { scene, lane } = pen;
  const box = boxOf(source, index);
  const method = piece.document.methods[box.method];
  if (!method || box.depth >= lane.levels || box.end < piece.from || box.begin > piece.to) {
    return null;
  }
  const y = boxTop(lane, box.depth) - scene.top + rulerHeight;
  const place = extent(scene.window, scene.width, Math.max(box.begin, from), Math.min(box.end, to));
  return !place || y > scene.height || y + rowHeight < rulerHeight ? null : { box, method, y, ...place };
}

function paintBox(pen: Pen, piece: Piece, source: TimelineLane, index: number): void {
  const { context, scene, paint } = pen;
  const at = placed(pen, piece, source, index, piece.from, piece.to);
  if (!at) {
    return;
  }
  const wide = at.right - at.left;
  const chosen = scene.selected !== null && at.method.name === scene.selected;
  context.globalAlpha = (at.box.calls > 1 ? 0.6 : 1) * (scene.selected !== null && !chosen ? 0.45 : 1);
  context.fillStyle = paint.fill(at.method);
  const seam = wide > 3 && at.box.end < piece.to ? 1 : 0;
  context.fillRect(at.left, at.y, wide - seam, rowHeight - 1);
  context.globalAlpha = 1;
}

/** A call that spans several pieces has its name once, in the first of them. */
function paintLabel(pen: Pen, piece: Piece, source: TimelineLane, index: number): void {
  const { context, scene, paint } = pen;
  const { from, to } = scene.window;
  const begin = source.spans.begin_ns[index] ?? 0;
  const end = source.spans.end_ns[index] ?? 0;
  const wide = ((end - begin) / (to - from)) * scene.width;
  if (wide < 30 || (begin <= piece.from && piece.from > from)) {
    return;
  }
  const at = placed(pen, piece, source, index, from, to);
  if (!at) {
    return;
  }
  const left = Math.max(at.left, 0);
  const room = Math.min(at.right, scene.width) - left - 8;
  const name = at.box.calls > 1 ? `${at.box.calls} × ${scene.short(at.method)}` : scene.short(at.method);
  const text = fitted(name, room, pen.letter);
  if (text) {
    context.fillStyle = paint.ink(at.method);
    context.fillText(text, left + 4, at.y + rowHeight / 2);
  }
}

function paintLane(pen: Pen): void {
  const { context, scene, lane, paint } = pen;
  context.fillStyle = paint.line;
  context.fillRect(0, lane.top - scene.top + rulerHeight + lane.height - 1, scene.width, 1);
  const sources = scene.pieces.flatMap((piece) => {
    const source = piece.document.lanes.find((one) => laneKey(one) === lane.key);
    return source ? [{ piece, source }] : [];
  });
  for (const { piece, source } of sources) {
    paintDensity(context, scene, lane, piece, source, paint);
  }
  if (lane.levels === 0) {
    return;
  }
  for (const paintOne of [paintBox, paintLabel]) {
    for (const { piece, source } of sources) {
      for (let index = 0; index < source.spans.begin_ns.length; index++) {
        paintOne(pen, piece, source, index);
      }
    }
  }
}

/** Everything below the ruler, then the ruler, so that lanes slide under it. */
export function paintTimeline(context: CanvasRenderingContext2D, scene: Scene, paint: Paint): void {
  context.clearRect(0, 0, scene.width, scene.height);
  const strip = ruler(scene.window, scene.width);
  context.fillStyle = paint.line;
  for (const tick of strip.ticks) {
    context.fillRect(Math.round(toPixel(scene.window, scene.width, tick.at)), 0, 1, scene.height);
  }
  context.font = `11px ${paint.mono}`;
  context.textBaseline = "middle";
  const letter = context.measureText("mmmmmmmmmm").width / 10;
  for (const lane of scene.layout.lanes) {
    if (lane.top + lane.height > scene.top && lane.top < scene.top + scene.height) {
      paintLane({ context, scene, lane, paint, letter });
    }
  }
  context.fillStyle = paint.back;
  context.fillRect(0, 0, scene.width, rulerHeight);
  paintRuler(context, { ...scene, height: rulerHeight }, paint);
  context.fillStyle = paint.line;
  context.fillRect(0, rulerHeight - 1, scene.width, 1);
}
