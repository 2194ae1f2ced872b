// Above the lanes: the selected range, cursors that measure, the pointer's moment, the call under the keyboard.
import { label, niceStep, type Range, span, toPixel, toTime } from "../../charts/axis";
import type { Size } from "../../charts/canvas";
import type { Theme } from "../../charts/theme";
import type { RunsDocument } from "../../data/events";
import { plain, time } from "../../text/format";
import { boxTop, extent, type Layout, rowHeight } from "./layout";
import { linksOf, paintLinks } from "./links";
import { rulerHeight } from "./paint";

/** The call under the keyboard. */
export interface Focus {
  lane: string;
  begin: number;
  end: number;
  depth: number;
}

export interface Over {
  window: Range;
  area: Size;
  top: number;
  layout: Layout;
  range: Range | null;
  measure: { a: number; b: number } | null;
  hover: number | null;
  focus: Focus | null;
  /** The run of an async activation whose neighbours are shown. */
  runs: RunsDocument | null;
}

function flag(
  context: CanvasRenderingContext2D,
  theme: Theme,
  text: string,
  x: number,
  y: number,
  room: number,
  strong: boolean,
): void {
  context.font = `11px ${theme.sans}`;
  const wide = context.measureText(text).width + 10;
  const left = Math.max(2, Math.min(room - wide - 2, x - wide / 2));
  context.fillStyle = strong ? theme.accent : theme.raised;
  context.strokeStyle = theme.accent;
  context.beginPath();
  context.roundRect(left + 0.5, y + 0.5, wide, 16, 3);
  context.fill();
  context.stroke();
  context.fillStyle = strong ? theme.ground : theme.text;
  context.textBaseline = "middle";
  context.fillText(text, left + 5, y + 9);
}

function shade(context: CanvasRenderingContext2D, over: Over, theme: Theme, range: Range): void {
  const { width, height } = over.area;
  const left = toPixel(over.window, width, range.from);
  const right = toPixel(over.window, width, range.to);
  context.fillStyle = theme.ground;
  context.globalAlpha = 0.62;
  context.fillRect(0, rulerHeight, Math.max(0, Math.min(width, left)), height);
  context.fillRect(Math.max(0, right), rulerHeight, Math.max(0, width - right), height);
  context.globalAlpha = 1;
  context.fillStyle = theme.accent;
  for (const x of [left, right]) {
    if (x >= -1 && x <= width + 1) {
      context.fillRect(Math.min(width - 1, Math.max(0, x)), 0, 1, height);
    }
  }
  const middle = (Math.max(0, left) + Math.min(width, right)) / 2;
  if (right > 0 && left < width) {
    flag(context, theme, plain(time(range.to - range.from)), middle, 4, width, true);
  }
}

function paintMeasure(
  context: CanvasRenderingContext2D,
  over: Over,
  theme: Theme,
  measure: { a: number; b: number },
): void {
  const { width, height } = over.area;
  const ends = [toPixel(over.window, width, measure.a), toPixel(over.window, width, measure.b)] as const;
  context.strokeStyle = theme.accent;
  context.setLineDash([4, 3]);
  for (const x of ends) {
    context.beginPath();
    context.moveTo(Math.round(x) + 0.5, 0);
    context.lineTo(Math.round(x) + 0.5, height);
    context.stroke();
  }
  context.setLineDash([]);
  if (measure.a !== measure.b) {
    context.fillStyle = theme.accent;
    context.fillRect(Math.min(...ends), rulerHeight - 4, Math.abs(ends[1] - ends[0]), 3);
    flag(context, theme, plain(time(Math.abs(measure.b - measure.a))), (ends[0] + ends[1]) / 2, 3, width, false);
  }
}

function paintFocus(context: CanvasRenderingContext2D, over: Over, theme: Theme, focus: Focus): void {
  const lane = over.layout.lanes.find((one) => one.key === focus.lane);
  const place = extent(over.window, over.area.width, focus.begin, focus.end);
  if (!lane || !place || focus.depth >= lane.levels) {
    return;
  }
  const y = boxTop(lane, focus.depth) - over.top + rulerHeight;
  if (y >= rulerHeight - rowHeight) {
    context.strokeStyle = theme.accent;
    context.lineWidth = 2;
    context.strokeRect(place.left, y, Math.max(2, place.right - place.left - 1), rowHeight - 1);
    context.lineWidth = 1;
  }
}

function paintRuns(context: CanvasRenderingContext2D, over: Over, theme: Theme, runs: RunsDocument): void {
  const { width, height } = over.area;
  const links = linksOf({ ...over, width, height: { from: rulerHeight, to: height } }, runs);
  context.save();
  context.beginPath();
  context.rect(0, rulerHeight, width, height);
  context.clip();
  paintLinks(context, theme, links, (text, at) => flag(context, theme, text, at.x, at.y - 8, width, false));
  context.restore();
}

export function paintOverlay(context: CanvasRenderingContext2D, over: Over, theme: Theme): void {
  const { width, height } = over.area;
  if (over.focus) {
    paintFocus(context, over, theme, over.focus);
  }
  if (over.runs) {
    paintRuns(context, over, theme, over.runs);
  }
  if (over.range) {
    shade(context, over, theme, over.range);
  }
  if (over.measure) {
    paintMeasure(context, over, theme, over.measure);
  }
  if (over.hover !== null && width > 0) {
    const at = toTime(over.window, width, over.hover);
    context.fillStyle = theme.dim;
    context.globalAlpha = 0.5;
    context.fillRect(Math.round(over.hover), 0, 1, height);
    context.globalAlpha = 1;
    const step = niceStep(span(over.window) / width);
    flag(context, theme, label(at, Math.max(over.window.to, 1), Math.max(1, step)), over.hover, 3, width, false);
  }
}
