// Paints a layout: a pure function of the layout, what is chosen, and the theme.
import type { Size } from "../../charts/canvas";
import type { Theme } from "../../charts/theme";
import type { Method } from "../../data/tree";
import { visible } from "../../text/foreign";
import { splitName } from "../../text/name";
import { type Frame, isAsync, type Layout, type Weights } from "./layout";

export const rowHeight = 18;

export interface Look {
  theme: Theme;
  weights: Weights;
  colour: "category" | "heat";
  /** The first level stands below. */
  upwards: boolean;
  /** Levels in all, for upwards. */
  levels: number;
  scroll: number;
  /** What heat shows: own time; bottom up, the weight itself. */
  heat: Float64Array;
  found: Uint8Array | null;
  /** Index of the selected method, of the hovered and the active node; -1: none. */
  method: number;
  hover: number;
  active: number;
}

interface Label {
  main: string;
  whole: string;
}

const labels = new WeakMap<Method, Label>();

function labelOf(method: Method): Label {
  let label = labels.get(method);
  if (!label) {
    const parts = splitName(method.name.slice(0, 2000));
    label = { main: visible(parts.main), whole: visible(parts.main + parts.rest) };
    labels.set(method, label);
  }
  return label;
}

/** The text that fits into so many letters: with parameters, without, cut. */
export function fitting(label: Label, letters: number): string {
  if (label.whole.length <= letters) {
    return label.whole;
  }
  if (label.main.length <= letters) {
    return label.main;
  }
  return letters < 4 ? "" : `${label.main.slice(0, letters - 1)}…`;
}

/** A shade between 0 and 1 that is always the same for a name, so that neighbours can be told apart. */
function shade(name: string): number {
  let hash = 17;
  for (let at = 0; at < Math.min(name.length, 200); at++) {
    hash = (Math.imul(hash, 31) + name.charCodeAt(at)) | 0;
  }
  return ((hash >>> 8) & 255) / 255;
}

const shades = new WeakMap<Method, number>();

function shadeOf(method: Method): number {
  let value = shades.get(method);
  if (value === undefined) {
    value = shade(method.name);
    shades.set(method, value);
  }
  return value;
}

export function rowTop(depth: number, look: { upwards: boolean; levels: number; scroll: number }): number {
  return (look.upwards ? look.levels - 1 - depth : depth) * rowHeight - look.scroll;
}

export function paintFlame(context: CanvasRenderingContext2D, size: Size, layout: Layout, look: Look): void {
  context.font = `11px ${look.theme.mono}`;
  context.textBaseline = "middle";
  const letter = context.measureText("mmmmmmmmmm").width / 10;
  const most = look.heat.reduce((a, b) => Math.max(a, b), 1e-9);
  layout.rows.forEach((frames, depth) => {
    const top = rowTop(depth, look);
    if (top > -rowHeight && top < size.height) {
      for (const frame of frames) {
        paintFrame(context, size, layout, frame, top, look, letter, most);
      }
    }
  });
  context.globalAlpha = 1;
}

function paintFrame(
  context: CanvasRenderingContext2D,
  size: Size,
  layout: Layout,
  frame: Frame,
  top: number,
  look: Look,
  letter: number,
  most: number,
): void {
  const { theme } = look;
  const scale = size.width / (layout.span.to - layout.span.from);
  const left = Math.max(0, (frame.from - layout.span.from) * scale);
  const right = Math.min(size.width, (frame.to - layout.span.from) * scale);
  const width = Math.max(0.5, right - left - (right - left > 3 ? 1 : 0));
  const height = rowHeight - 1;
  if (frame.node < 0) {
    context.globalAlpha = 0.6;
    context.fillStyle = theme.line;
    context.fillRect(left, top, width, height);
    return;
  }
  const number = layout.tree.method[frame.node];
  const method = layout.tree.methods[number] as Method;
  const hit = look.found === null || look.found[number] === 1;
  const step = Math.round(8 * Math.sqrt(Math.max(0, look.heat[frame.node]) / most));
  context.globalAlpha = hit ? (look.colour === "heat" ? 1 : 0.7 + 0.3 * shadeOf(method)) : 0.28;
  context.fillStyle =
    look.found && hit
      ? theme.found
      : look.colour === "heat"
        ? (theme.heat[step] ?? theme.line)
        : theme.category[method.category];
  context.fillRect(left, top, width, height);
  const waits = waitingFrom(layout, look.weights, frame, left, size.width);
  if (method.category === "waiting" && width > 4) {
    hatch(context, left, top, width, height, theme);
  } else if (left + width - waits > 2) {
    hatch(context, waits, top, left + width - waits, height, theme);
  }
  if (isAsync(method) && width > 3) {
    underline(context, left, top + height - 1, width, theme);
  }
  if (width > letter * 4) {
    const text = fitting(labelOf(method), Math.floor((width - 7) / letter));
    context.globalAlpha = hit ? 1 : 0.6;
    context.fillStyle = hit ? theme.ink : theme.text;
    context.fillText(text, left + 4, top + height / 2 + 0.5);
  }
  if (number === look.method || frame.node === look.hover || frame.node === look.active) {
    const chosen = frame.node === look.active || number === look.method;
    context.globalAlpha = 1;
    context.strokeStyle = chosen ? theme.accent : theme.text;
    context.lineWidth = frame.node === look.active ? 2 : 1.25;
    const inset = context.lineWidth / 2;
    context.strokeRect(left + inset, top + inset, Math.max(0.5, width - 2 * inset), height - 2 * inset);
  }
}

/** Where a frame's own waiting begins, which is at its end, after the callees. */
function waitingFrom(layout: Layout, weights: Weights, frame: Frame, left: number, wide: number): number {
  const own = weights.waiting ? weights.waiting[frame.node] / weights.sum : 0;
  const scale = wide / (layout.span.to - layout.span.from);
  return own > 0 ? Math.max(left, (frame.to - own - layout.span.from) * scale) : Number.POSITIVE_INFINITY;
}

/** The mark of async methods. */
function underline(context: CanvasRenderingContext2D, left: number, y: number, width: number, theme: Theme): void {
  context.globalAlpha = 0.75;
  context.fillStyle = theme.ink;
  for (let x = left; x < left + width; x += 5) {
    context.fillRect(x, y - 1, Math.min(3, left + width - x), 2);
  }
}

function hatch(
  context: CanvasRenderingContext2D,
  left: number,
  top: number,
  width: number,
  height: number,
  theme: Theme,
): void {
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.strokeStyle = theme.ground;
  context.globalAlpha = 0.5;
  context.lineWidth = 1;
  context.beginPath();
  for (let x = left - height; x < left + width; x += 6) {
    context.moveTo(x, top + height);
    context.lineTo(x + height, top);
  }
  context.stroke();
  context.restore();
}
