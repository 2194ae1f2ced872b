// The plot of a variable over time, with a brush that selects a range, and how often each value occurs beside it.
import { useMemo, useState } from "preact/hooks";
import { niceStep, type Range, ruler, toPixel, toTime } from "../../charts/axis";
import { Chart, type Size } from "../../charts/canvas";
import { type Theme, useTheme } from "../../charts/theme";
import type { ValueMoment } from "../../data/events";
import { bounded } from "../../text/foreign";
import { digits, moment } from "../../text/format";
import { type Brush, brushed, brushing, nearest } from "./interaction";
import { type Bin, categories, columnsOf, histogram, isNumeric, numberOf, type Point, scaleOf, textOf } from "./plot";

const height = 190;
const left = 58;
const bottom = 22;

interface PictureProps {
  values: readonly ValueMoment[];
  bounds: Range;
  name: string;
  /** Index of the chosen moment, or -1. */
  chosen: number;
  onRange: (range: Range | null) => void;
  onPick: (index: number) => void;
}

/** The hue of a category: the eight of the page, then grey. */
function hue(theme: Theme, index: number): string {
  const order = ["mine", "framework", "package", "gc", "jit", "runtime"] as const;
  const name = order[index];
  return name ? theme.category[name] : theme.category.other;
}

export function Picture(props: PictureProps) {
  const { values, bounds, name } = props;
  const theme = useTheme();
  const [size, setSize] = useState<Size>({ width: 0, height });
  const [brush, setBrush] = useState<Brush | null>(null);
  const [hover, setHover] = useState<number | null>(null);
  const numeric = useMemo(() => isNumeric(values), [values]);
  const points = useMemo(() => pointsOf(values), [values]);
  const bins = useMemo(() => categories(values.map(textOf), 6), [values]);
  const width = Math.max(1, size.width - left);
  const at = (x: number) => toTime(bounds, width, Math.max(0, Math.min(width, x - left)));
  const index = hover === null ? -1 : nearest(values, at(hover));
  const told = index >= 0 ? values[index] : undefined;
  const paint = (context: CanvasRenderingContext2D, area: Size) => {
    const scene: Scene = { context, theme, bounds, area, width: area.width - left };
    paintAxis(scene);
    if (numeric) {
      paintSteps(scene, points, values);
    } else {
      paintStrip(scene, values, bins);
    }
    const marks = [index, props.chosen].filter((each) => each >= 0);
    for (const each of marks) {
      paintMark(scene, values[each] as ValueMoment, each === props.chosen);
    }
    const range = brushing(brush, at);
    if (range) {
      paintBrush(scene, range);
    }
  };
  const drop = (x: number) => {
    const done = brush && brushed({ ...brush, to: x }, values, at);
    if (done) {
      "pick" in done ? props.onPick(done.pick) : props.onRange(done.range);
    }
    setBrush(null);
  };
  return (
    <div class="values-picture">
      <Chart
        class="values-chart"
        height={height}
        label={`${bounded(name, 100)} over time, ${numeric ? "a line of steps" : "a strip of values"}. Drag to select a range.`}
        paint={paint}
        onSize={setSize}
        onPointerDown={(event, x) => {
          (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
          setBrush({ x, to: x });
        }}
        onPointerMove={(_, x) => {
          setHover(x);
          setBrush(brush && { ...brush, to: x });
        }}
        onPointerUp={(_, x) => drop(x)}
        onPointerLeave={() => setHover(null)}
        onDblClick={() => props.onRange(null)}
        table={{ head: ["Value", "How often"], rows: bins.map((bin) => [bounded(bin.label, 100), digits(bin.count)]) }}
      />
      <p class="values-told dim" role="status">
        {told ? (
          <>
            {moment(told.time_ns, 1)}: <b>{bounded(textOf(told), 120)}</b>
          </>
        ) : (
          "Drag selects a range for all views, a click chooses the moment, a double click clears the range."
        )}
      </p>
    </div>
  );
}

function pointsOf(values: readonly ValueMoment[]): Point[] {
  return values.flatMap((value) => {
    const number = numberOf(value);
    return number === null || value.time_ns === null ? [] : [{ at: value.time_ns, value: number }];
  });
}

interface Scene {
  context: CanvasRenderingContext2D;
  theme: Theme;
  bounds: Range;
  area: Size;
  width: number;
}

function paintAxis({ context, theme, bounds, area, width }: Scene): void {
  const found = ruler(bounds, width);
  context.font = `11px ${theme.sans}`;
  context.textBaseline = "middle";
  context.textAlign = "left";
  for (const tick of found.ticks) {
    const x = Math.round(left + toPixel(bounds, width, tick.at));
    context.fillStyle = theme.line;
    context.fillRect(x, 0, 1, area.height - bottom);
    context.fillStyle = theme.dim;
    const room = area.width - x;
    if (room > 50) {
      context.fillText(tick.label, x + 3, area.height - bottom / 2);
    }
  }
  context.fillStyle = theme.line;
  context.fillRect(left, area.height - bottom, width, 1);
}

function paintSteps(scene: Scene, points: readonly Point[], values: readonly ValueMoment[]): void {
  const { context, theme, bounds, area, width } = scene;
  const scale = scaleOf(points);
  const room = area.height - bottom;
  const y = (value: number) => room - ((value - scale.low) / (scale.high - scale.low)) * room;
  const step = niceStep((scale.high - scale.low) / 4);
  context.textAlign = "right";
  for (let value = Math.ceil(scale.low / step) * step; value <= scale.high; value += step) {
    context.fillStyle = theme.line;
    context.fillRect(left, Math.round(y(value)), width, 1);
    context.fillStyle = theme.dim;
    context.fillText(short(value, step), left - 6, Math.max(7, y(value)));
  }
  context.textAlign = "left";
  const columns = columnsOf(points, bounds.from, bounds.to, Math.max(1, Math.floor(width)));
  context.strokeStyle = theme.accent;
  context.lineWidth = 1.5;
  context.beginPath();
  let last = Number.NaN;
  for (let x = 0; x < columns.count.length; x++) {
    if (columns.count[x] === 0) {
      continue;
    }
    const px = left + x + 0.5;
    if (Number.isNaN(last)) {
      context.moveTo(px, y(columns.low[x] as number));
    } else {
      context.lineTo(px, y(last));
    }
    context.lineTo(px, y(columns.low[x] as number));
    context.lineTo(px, y(columns.high[x] as number));
    last = columns.last[x] as number;
    context.lineTo(px, y(last));
  }
  if (!Number.isNaN(last)) {
    context.lineTo(left + width, y(last));
  }
  context.stroke();
  context.lineWidth = 1;
  context.fillStyle = theme.accent;
  if (points.length < width / 6) {
    for (const point of points) {
      context.beginPath();
      context.arc(left + toPixel(bounds, width, point.at), y(point.value), 2.5, 0, 7);
      context.fill();
    }
  }
  paintNulls(scene, values);
}

/** null and values that were not captured, as marks at the bottom. */
function paintNulls({ context, theme, bounds, area, width }: Scene, values: readonly ValueMoment[]): void {
  context.fillStyle = theme.dim;
  for (const value of values) {
    if (value.time_ns !== null && (value.value === null || value.value === undefined)) {
      context.fillRect(Math.round(left + toPixel(bounds, width, value.time_ns)) - 1, area.height - bottom - 7, 3, 7);
    }
  }
}

function short(value: number, step: number): string {
  if (Math.abs(value) >= 1e6) {
    return value.toExponential(1).replace("e+", "e");
  }
  return value.toFixed(Math.max(0, Math.min(6, Math.ceil(-Math.log10(step) - 1e-9))));
}

function paintStrip(scene: Scene, values: readonly ValueMoment[], bins: readonly Bin[]): void {
  const { context, theme, bounds, area, width } = scene;
  const rows = Math.max(1, bins.length);
  const room = area.height - bottom;
  const tall = Math.min(26, room / rows);
  const places = new Map(bins.map((bin, index) => [bin.label, index]));
  context.font = `11px ${theme.mono}`;
  values.forEach((value, index) => {
    if (value.time_ns === null) {
      return;
    }
    const row = places.get(textOf(value)) ?? rows - 1;
    const next = values[index + 1]?.time_ns ?? bounds.to;
    const from = left + toPixel(bounds, width, value.time_ns);
    const to = left + toPixel(bounds, width, next);
    context.fillStyle = hue(theme, row);
    context.fillRect(from, row * tall + 2, Math.max(1.5, to - from), tall - 4);
  });
  bins.forEach((bin, row) => {
    context.fillStyle = theme.raised;
    context.globalAlpha = 0.75;
    const text = bounded(bin.label, 40);
    context.fillRect(left + 2, row * tall + tall / 2 - 7, context.measureText(text).width + 6, 14);
    context.globalAlpha = 1;
    context.fillStyle = theme.text;
    context.fillText(text, left + 5, row * tall + tall / 2);
    context.fillStyle = theme.dim;
    context.textAlign = "right";
    context.fillText(`${digits(bin.count)}×`, left - 6, row * tall + tall / 2);
    context.textAlign = "left";
  });
}

function paintMark({ context, theme, bounds, area, width }: Scene, value: ValueMoment, chosen: boolean): void {
  if (value.time_ns === null) {
    return;
  }
  context.fillStyle = chosen ? theme.text : theme.dim;
  context.fillRect(Math.round(left + toPixel(bounds, width, value.time_ns)), 0, chosen ? 2 : 1, area.height - bottom);
}

function paintBrush({ context, theme, bounds, area, width }: Scene, range: Range): void {
  const from = left + toPixel(bounds, width, range.from);
  context.fillStyle = theme.accent;
  context.globalAlpha = 0.16;
  context.fillRect(from, 0, left + toPixel(bounds, width, range.to) - from, area.height - bottom);
  context.globalAlpha = 1;
}

/** Bars of how often each value, or each range of numbers, occurs. */
export function Histogram({ values }: { values: readonly ValueMoment[] }) {
  const bins = useMemo(() => {
    const numbers = values.flatMap((value) => numberOf(value) ?? []);
    return isNumeric(values) ? histogram(numbers) : categories(values.map(textOf), 10);
  }, [values]);
  const most = bins.reduce((largest, bin) => Math.max(largest, bin.count), 1);
  return (
    <section class="values-histogram" aria-label="How often each value occurs" tabIndex={0}>
      <h2>How often</h2>
      <ul>
        {bins.map((bin) => (
          <li key={bin.label}>
            <span class="values-bin" title={bounded(bin.label, 400)}>
              {bounded(bin.label, 60)}
            </span>
            <span class="barred">
              <i class="bar" style={{ width: `${(100 * bin.count) / most}%` }} aria-hidden="true" />
              <span class="number">{digits(bin.count)}</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
