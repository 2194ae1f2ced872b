// The latencies of a method's requests as a picture.
import { useMemo, useState } from "preact/hooks";
import { label } from "../../charts/axis";
import { Chart, type Size } from "../../charts/canvas";
import { type Theme, useTheme } from "../../charts/theme";
import type { RequestRow } from "../../data/documents";
import { bounded } from "../../text/foreign";
import { count, plain, time } from "../../text/format";
import { type Bar, barAt, barCount, barsOf, placeOf, type Span, spanOf, ticksOf } from "./histogram";

const height = 170;
const top = 26;
const bottom = 20;

const marks = [
  ["p50", "p50_ns"],
  ["p90", "p90_ns"],
  ["p99", "p99_ns"],
  ["max", "max_ns"],
] as const;

function text(ns: number): string {
  return plain(time(Math.round(ns)));
}

function summary(row: RequestRow): string {
  const all = `${plain(count(row.latencies))} ${row.latencies === 1 ? "latency" : "latencies"}`;
  return row.min_ns === null || row.max_ns === null ? all : `${all}, from ${text(row.min_ns)} to ${text(row.max_ns)}`;
}

export function Latencies({ row }: { row: RequestRow }) {
  const theme = useTheme();
  const [size, setSize] = useState<Size>({ width: 0, height });
  const [hover, setHover] = useState<number | null>(null);
  const span = useMemo(() => spanOf(row.histogram), [row]);
  const bars = useMemo(() => barsOf(row.histogram, span, barCount(span, size.width)), [row, span, size.width]);
  const told = hover === null ? null : barAt(bars, span, hover / Math.max(1, size.width));
  const paint = (context: CanvasRenderingContext2D, area: Size) => {
    paintBars({ context, theme, span, area }, bars, told);
    paintTicks({ context, theme, span, area });
    paintMarks({ context, theme, span, area }, row);
  };
  return (
    <>
      <Chart
        height={height}
        label={`How long requests of ${bounded(row.method, 200)} took, on a logarithmic axis`}
        paint={paint}
        onSize={setSize}
        onPointerMove={(_, x) => setHover(x)}
        onPointerLeave={() => setHover(null)}
        table={{
          head: ["From", "To", "Requests"],
          rows: row.histogram.map((bucket) => [text(bucket.from_ns), text(bucket.to_ns), plain(count(bucket.count))]),
        }}
      />
      <p class="dim" role="status">
        {told
          ? `${plain(count(told.count))} ${told.count === 1 ? "request" : "requests"} of ${text(told.from)} to ${text(told.to)}`
          : summary(row)}
      </p>
    </>
  );
}

interface Scene {
  context: CanvasRenderingContext2D;
  theme: Theme;
  span: Span;
  area: Size;
}

function paintBars({ context, theme, span, area }: Scene, bars: readonly Bar[], told: Bar | null): void {
  const most = bars.reduce((sum, bar) => Math.max(sum, bar.count), 1);
  const room = area.height - top - bottom;
  for (const bar of bars) {
    const left = placeOf(span, bar.from) * area.width;
    const width = placeOf(span, bar.to) * area.width - left;
    const high = Math.max(1, (bar.count / most) * room);
    context.fillStyle = theme.accent;
    context.globalAlpha = bar === told ? 1 : 0.6;
    context.fillRect(left, top + room - high, Math.max(1, width - 1), high);
  }
  context.globalAlpha = 1;
}

function paintTicks({ context, theme, span, area }: Scene): void {
  context.font = `11px ${theme.sans}`;
  context.textBaseline = "middle";
  const line = area.height - bottom;
  context.fillStyle = theme.line;
  context.fillRect(0, line, area.width, 1);
  let end = -8;
  for (const ns of ticksOf(span)) {
    const x = placeOf(span, ns) * area.width;
    const name = label(ns, ns, ns);
    const wide = context.measureText(name).width;
    context.fillStyle = theme.line;
    context.fillRect(Math.round(x), line, 1, 4);
    if (x >= end + 8 && x + 3 + wide <= area.width) {
      context.fillStyle = theme.dim;
      context.fillText(name, x + 3, line + bottom / 2 + 1);
      end = x + 3 + wide;
    }
  }
}

/** Lines at the quantiles, with their names above, in two rows where they are close. */
function paintMarks({ context, theme, span, area }: Scene, row: RequestRow): void {
  context.font = `11px ${theme.sans}`;
  const ends = [-8, -8];
  for (const [name, key] of marks) {
    const ns = row[key];
    if (ns !== null) {
      const x = Math.round(placeOf(span, ns) * (area.width - 1));
      const wide = context.measureText(name).width;
      const left = Math.min(x + 3, area.width - wide);
      const level = left >= (ends[0] as number) + 6 ? 0 : 1;
      context.fillStyle = theme.text;
      context.globalAlpha = 0.55;
      context.fillRect(x, level === 0 ? 4 : 16, 1, area.height - bottom - (level === 0 ? 4 : 16));
      context.globalAlpha = 1;
      if (left >= (ends[level] as number) + 6) {
        context.fillText(name, left, level === 0 ? 7 : 19);
        ends[level] = left + wide;
      }
    }
  }
}
