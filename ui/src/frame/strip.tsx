// Activity of all threads over the whole session. Dragging selects a range of time, a double click clears it.
import { useState } from "preact/hooks";
import { Chart, type Size } from "../charts/canvas";
import { useTheme } from "../charts/theme";
import { integer } from "../data/place";
import { isKnown, moment, plain, time } from "../text/format";
import { useApp, useDocument, usePlace } from "./context";

const height = 48;

export function Strip() {
  const { session, store } = useApp();
  const place = usePlace();
  const theme = useTheme();
  const known = session.page.has.times === true && session.page.has.calls === true && isKnown(session.info.elapsed_ns);
  const strip = useDocument(known ? "strip" : null, { width: 1000 });
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const [size, setSize] = useState<Size>({ width: 0, height });
  const columns = strip.value?.columns;
  if (!columns?.length) {
    return null;
  }
  const begin = strip.value?.from_ns ?? 0;
  const end = strip.value?.to_ns ?? session.info.elapsed_ns ?? 0;
  const span = Math.max(1, end - begin);
  const nsAt = (x: number) =>
    Math.round(begin + (Math.max(0, Math.min(size.width, x)) / Math.max(1, size.width)) * span);
  const xOf = (ns: number) => ((ns - begin) / span) * size.width;
  const from = drag ? nsAt(Math.min(drag.from, drag.to)) : integer(place, "from");
  const to = drag ? nsAt(Math.max(drag.from, drag.to)) : integer(place, "to");
  const most = Math.max(1e-9, ...columns.map((column) => column.busy ?? 0));
  const paint = (context: CanvasRenderingContext2D, area: Size) => {
    const room = area.height - 12;
    context.fillStyle = theme.accent;
    context.globalAlpha = 0.55;
    columns.forEach((column, at) => {
      const tall = ((column.busy ?? 0) / most) * (room - 4);
      const x = (at / columns.length) * area.width;
      context.fillRect(x, room - tall, area.width / columns.length + 0.5, tall);
    });
    context.globalAlpha = 1;
    context.fillStyle = theme.line;
    context.fillRect(0, room, area.width, 1);
    context.fillStyle = theme.dim;
    context.font = `10px ${theme.mono}`;
    for (let step = 0; step < 5; step++) {
      const ns = begin + (span * step) / 4;
      context.textAlign = step === 0 ? "left" : step === 4 ? "right" : "center";
      context.fillText(
        plain(time(ns)),
        (area.width * step) / 4 + (step === 0 ? 4 : step === 4 ? -4 : 0),
        area.height - 2,
      );
    }
    if (from !== null || to !== null) {
      const left = from === null ? 0 : xOf(from);
      const right = to === null ? area.width : xOf(to);
      context.fillStyle = theme.ground;
      context.globalAlpha = 0.7;
      context.fillRect(0, 0, left, room);
      context.fillRect(right, 0, area.width - right, room);
      context.globalAlpha = 1;
      context.fillStyle = theme.accent;
      context.fillRect(left, 0, 1, room);
      context.fillRect(right - 1, 0, 1, room);
    }
  };
  return (
    <section aria-label="Activity over time">
      <Chart
        class="strip"
        height={height}
        label={`Activity of all threads over ${plain(time(span))}. Drag to select a range of time, double click to clear it.`}
        paint={paint}
        onSize={setSize}
        onPointerDown={(event, x) => {
          (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
          setDrag({ from: x, to: x });
        }}
        onPointerMove={(_, x) => drag && setDrag({ ...drag, to: x })}
        onPointerUp={() => {
          if (drag && Math.abs(drag.to - drag.from) > 3) {
            store.set({ from: String(from), to: String(to) });
          }
          setDrag(null);
        }}
        onDblClick={() => store.set({ from: null, to: null })}
        onKeyDown={(event) => {
          if (event.key === "Escape" || event.key === "Delete") {
            store.set({ from: null, to: null });
          }
        }}
        table={{
          head: ["From", "Threads busy"],
          rows: columns
            .filter((_, at) => at % Math.ceil(columns.length / 40) === 0)
            .map((column, at, few) => [moment(begin + (span * at) / few.length), (column.busy ?? 0).toFixed(2)]),
        }}
      />
    </section>
  );
}
