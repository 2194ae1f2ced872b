// Threads by time: a lane for each, with its calls at this zoom. Dragging selects a range for all views.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ordered, panned, type Range, span, toTime, zoomed } from "../../charts/axis";
import { Chart, type Size } from "../../charts/canvas";
import { useClicks } from "../../charts/clicks";
import { type Theme, useTheme } from "../../charts/theme";
import { isPartial, type MethodRow } from "../../data/documents";
import type { TimelineDocument } from "../../data/events";
import { all, chosenThreads, integer, one, takesThread } from "../../data/place";
import { useApp, useDocument, useKeys, usePlace } from "../../frame/context";
import { Toolbar } from "../../frame/controls";
import { CopyTable } from "../../frame/copy";
import { Missing, Ready } from "../../frame/states";
import { bounded } from "../../text/foreign";
import { moment, plain, share, time } from "../../text/format";
import { splitName } from "../../text/name";
import { allSpans, callOf, type Found, find, neighbour } from "./find";
import { Heads } from "./heads";
import { type Box, headHeight, laneKey, layOut, levelsByLane } from "./layout";
import { paintOverlay } from "./overlay";
import { paintTimeline, rulerHeight } from "./paint";
import { Tip } from "./tip";
import { useTiles } from "./use_tiles";
import { useWindow } from "./use_window";

export function TimelineView() {
  const whole = useDocument("timeline");
  return (
    <Ready of={whole} doing="Drawing the timeline">
      {(value) =>
        value.lanes.length > 0 && value.to_ns > value.from_ns ? (
          <Body whole={value} />
        ) : (
          <Missing sentence="No thread ran recorded code." />
        )
      }
    </Ready>
  );
}

const shortNames = new WeakMap<MethodRow, string>();

function short(method: MethodRow): string {
  let name = shortNames.get(method);
  if (name === undefined) {
    name = bounded(splitName(method.name).main, 120);
    shortNames.set(method, name);
  }
  return name;
}

const shades = new WeakMap<Theme, Map<string, string>>();

/** The category's colour, in four neighbouring shades, so that calls beside each other can be told apart. */
function shade(theme: Theme, method: MethodRow): string {
  const known = shades.get(theme) ?? new Map<string, string>();
  shades.set(theme, known);
  const key = `${method.category} ${method.name}`;
  let colour = known.get(key);
  if (colour === undefined) {
    let hash = 0;
    for (let at = 0; at < Math.min(method.name.length, 200); at++) {
      hash = (hash * 31 + method.name.charCodeAt(at)) >>> 0;
    }
    const base = theme.category[method.category] ?? theme.category.other;
    colour = `color-mix(in oklch, ${base} ${100 - ((hash >>> 3) % 4) * 11}%, ${theme.ground})`;
    known.set(key, colour);
  }
  return colour;
}

interface Drag {
  kind: "range" | "measure" | "pan";
  from: number;
  to: number;
  x: number;
  start: Range;
  moved: boolean;
}

/** Only the threads that the filter names. */
function chosen(whole: TimelineDocument, threads: readonly string[]): TimelineDocument {
  return threads.length === 0 ? whole : { ...whole, lanes: whole.lanes.filter((lane) => takesThread(threads, lane)) };
}

function Body({ whole: every }: { whole: TimelineDocument }) {
  const { store } = useApp();
  const place = usePlace();
  const theme = useTheme();
  const threads = chosenThreads(place);
  const whole = useMemo(() => chosen(every, threads), [every, threads.join(",")]);
  const bounds = useMemo(() => ({ from: whole.from_ns, to: whole.to_ns }), [whole.from_ns, whole.to_ns]);
  const { window, jump, glide } = useWindow(store, bounds);
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  const [top, setTop] = useState(0);
  const [drag, setDrag] = useState<Drag | null>(null);
  const [measure, setMeasure] = useState<{ a: number; b: number } | null>(null);
  const [hover, setHover] = useState<{ x: number; y: number; found: Found | null } | null>(null);
  const [focus, setFocus] = useState<Found | null>(null);
  const folded = useMemo(() => new Set(all(place, "fold")), [all(place, "fold").join(",")]);
  const { pieces, problem, waiting } = useTiles(whole, window, bounds, size.width, {});
  const known = useRef(new Map<string, number>());
  const levels = useMemo(
    () => levelsByLane([whole, ...pieces.map((piece) => piece.document)], known.current),
    [whole, pieces],
  );
  known.current = levels;
  const layout = useMemo(
    () => layOut(whole, levels, folded, one(place, "idle") === "1"),
    [whole, levels, folded, one(place, "idle")],
  );
  const selected = one(place, "method");
  const range = useMemo(() => ({ from: integer(place, "from"), to: integer(place, "to") }), [place]);
  const picture = { window, width: size.width, top, height: size.height, layout, pieces, selected, short };
  const scroller = useRef<HTMLDivElement>(null);
  const mine = useRef("");

  // A range that another view or the strip has chosen is shown; one that was dragged here leaves the window alone.
  useEffect(() => {
    const text = `${range.from}-${range.to}`;
    if (text !== mine.current && range.from !== null && range.to !== null && one(place, "wfrom") === null) {
      const room = (range.to - range.from) * 0.05;
      glide({ from: Math.max(bounds.from, range.from - room), to: Math.min(bounds.to, range.to + room) });
    }
    mine.current = text;
  }, [range.from, range.to]);

  const at = (x: number) => toTime(window, Math.max(1, size.width), Math.max(0, Math.min(size.width, x)));
  const foundAt = (x: number, y: number) => (y < rulerHeight ? null : find(picture, x, y - rulerHeight + top));
  const zoom = (factor: number, x = size.width / 2) => jump(zoomed(window, at(x), factor, bounds));
  const choose = (next: Range | null) => {
    mine.current = next ? `${next.from}-${next.to}` : "null-null";
    store.set(next ? { from: String(next.from), to: String(next.to) } : { from: null, to: null });
  };
  const select = (found: Found | null) => {
    setFocus(found);
    const call = found && callOf(found);
    store.set({ method: found?.method.name ?? null, call: call ?? null }, "replace");
  };
  const open = (found: Found | null) => {
    const call = found && callOf(found);
    if (found && call) {
      store.open("story", { call, at: null, method: found.method.name });
    } else if (found) {
      const room = (found.box.end - found.box.begin) * 0.1;
      glide(zoomed({ from: found.box.begin - room, to: found.box.end + room }, found.box.begin, 1, bounds));
    }
  };
  const step = (direction: "left" | "right" | "up" | "down") => {
    const next = neighbour(picture, focus, direction);
    if (next) {
      select(next);
      if (next.box.end < window.from || next.box.begin > window.to) {
        const middle = (next.box.begin + next.box.end) / 2;
        glide(panned(window, middle - (window.from + window.to) / 2, bounds));
      }
    }
  };
  const fit = () => {
    const box = focus?.box;
    if (box && box.end > box.begin && span(window) > (box.end - box.begin) * 1.25) {
      const room = (box.end - box.begin) * 0.05;
      glide({ from: Math.max(bounds.from, box.begin - room), to: Math.min(bounds.to, box.end + room) });
    } else if (range.from !== null && range.to !== null) {
      glide({ from: range.from, to: range.to });
    }
  };
  useKeys("Timeline", [
    { key: "w", title: "Zoom in", run: () => zoom(0.7, hover?.x) },
    { key: "s", title: "Zoom out", run: () => zoom(1 / 0.7, hover?.x) },
    { key: "a", title: "Move to earlier times", run: () => jump(panned(window, -span(window) * 0.15, bounds)) },
    { key: "d", title: "Move to later times", run: () => jump(panned(window, span(window) * 0.15, bounds)) },
    { key: "f", title: "Zoom to the selected call or range", run: fit },
    { key: "0", title: "Show the whole session", run: () => glide(bounds) },
    { key: "x", title: "Set a cursor that measures, then the second, then none", run: () => mark() },
    { key: "ArrowLeft", title: "The call before, at this depth", run: () => step("left") },
    { key: "ArrowRight", title: "The call after, at this depth", run: () => step("right") },
    { key: "ArrowUp", title: "The caller", run: () => step("up") },
    { key: "ArrowDown", title: "What it calls", run: () => step("down") },
    { key: "Enter", title: "Open the call in the story", run: () => open(focus) },
  ]);
  const mark = () => {
    const now = Math.round(at(hover?.x ?? size.width / 2));
    setMeasure(measure === null ? { a: now, b: now } : measure.a === measure.b ? { a: measure.a, b: now } : null);
  };
  const down = (event: PointerEvent, x: number, y: number) => {
    if (event.button > 1) {
      return;
    }
    const pan = event.button === 1 || event.shiftKey || event.pointerType === "touch";
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    (event.currentTarget as HTMLElement).focus({ preventScroll: true });
    const kind = y < rulerHeight ? "measure" : pan ? "pan" : "range";
    setDrag({ kind, from: at(x), to: at(x), x, start: window, moved: false });
  };
  const move = (event: PointerEvent, x: number, y: number) => {
    setHover({ x, y, found: drag ? null : foundAt(x, y) });
    if (!drag) {
      return;
    }
    const moved = drag.moved || Math.abs(x - drag.x) > 3;
    setDrag({ ...drag, to: at(x), moved });
    if (moved && drag.kind === "pan") {
      jump(panned(drag.start, ((drag.x - x) / Math.max(1, size.width)) * span(drag.start), bounds));
    } else if (moved && drag.kind === "measure") {
      setMeasure({ a: Math.round(drag.from), b: Math.round(at(x)) });
    }
    event.preventDefault();
  };
  const dragged = useRef(false);
  const clicked = useClicks<Found | "ruler" | null>(
    (hit) => hit !== "ruler" && select(hit),
    (hit) => (hit === "ruler" ? choose(null) : open(hit)),
  );
  const up = () => {
    if (drag?.moved && drag.kind === "range") {
      choose(ordered(drag.from, drag.to));
    } else if (drag && !drag.moved && drag.kind === "measure") {
      setMeasure(null);
    }
    dragged.current = drag?.moved === true;
    setDrag(null);
  };
  const wheel = (event: WheelEvent, x: number) => {
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (event.shiftKey && !sideways) {
      scroller.current?.scrollBy(0, event.deltaY);
    } else if (sideways || event.shiftKey) {
      jump(panned(window, ((event.deltaX || event.deltaY) / Math.max(1, size.width)) * span(window), bounds));
    } else {
      zoom(1.0015 ** (event.deltaY * (event.deltaMode === 1 ? 24 : 1)), x);
    }
    event.preventDefault();
  };
  const selecting = drag?.moved && drag.kind === "range" ? ordered(drag.from, drag.to) : null;
  const paint = (context: CanvasRenderingContext2D, area: Size) => {
    paintTimeline(
      context,
      { ...picture, width: area.width, height: area.height },
      {
        text: theme.text,
        dim: theme.dim,
        line: theme.line,
        back: theme.raised,
        accent: theme.accent,
        mono: theme.mono,
        sans: theme.sans,
        fill: (method) => shade(theme, method),
        ink: () => theme.ink,
      },
    );
    paintOverlay(
      context,
      {
        window,
        area,
        top,
        layout,
        range: selecting ?? (range.from !== null && range.to !== null ? { from: range.from, to: range.to } : null),
        measure,
        hover: drag ? null : (hover?.x ?? null),
        focus,
      },
      theme,
    );
  };
  const rows = useMemo(() => allSpans(whole), [whole]);
  const exact = pieces.every((piece) => piece.document.exact);
  return (
    <>
      <Toolbar>
        <span class="group" role="group" aria-label="Zoom">
          <button type="button" class="quiet" title="Zoom in (w)" aria-label="Zoom in" onClick={() => zoom(0.5)}>
            +
          </button>
          <button type="button" class="quiet" title="Zoom out (s)" aria-label="Zoom out" onClick={() => zoom(2)}>
            −
          </button>
          <button type="button" class="quiet" title="Show the whole session (0)" onClick={() => glide(bounds)}>
            All
          </button>
        </span>
        <span class="dim timeline-window">
          {moment(window.from, span(window) / 1000)} to {moment(window.to, span(window) / 1000)} (
          {plain(time(span(window)))})
        </span>
        {measure && measure.a !== measure.b && (
          <span class="chip">
            measured {plain(time(Math.abs(measure.b - measure.a)))}
            <button type="button" aria-label="Remove the cursors" onClick={() => setMeasure(null)}>
              ×
            </button>
          </span>
        )}
        {!exact && (
          <span class="chip" title={bounded(pieces.find((piece) => !piece.document.exact)?.document.why ?? "", 400)}>
            ≈ overview{isPartial(whole) ? `, ${Math.floor((whole.done ?? 0) * 100)} % read` : ""}
          </span>
        )}
        {problem && (
          <span class="chip" title={bounded(problem.message, 400)}>
            no finer detail here
          </span>
        )}
        {waiting && (
          <span class="dim" role="status">
            reading calls…
          </span>
        )}
        {layout.idle > 0 && (
          <button
            type="button"
            class="switch push"
            aria-pressed={one(place, "idle") === "1"}
            onClick={() => store.set({ idle: one(place, "idle") === "1" ? null : "1" }, "replace")}
          >
            {layout.idle} idle {layout.idle === 1 ? "thread" : "threads"}
          </button>
        )}
        <CopyTable
          rows={() => [
            ["begin_ns", "end_ns", "thread", "calls", "method"],
            ...visibleRows(pieces, window).map((row) => [
              String(row.begin_ns),
              String(row.end_ns),
              row.thread,
              String(row.calls),
              row.method,
            ]),
          ]}
          json={() => visibleRows(pieces, window)}
        />
      </Toolbar>
      <div class="timeline" ref={scroller} onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
        <div class="timeline-tall" style={{ height: `${layout.height + rulerHeight + 8}px` }}>
          <Chart
            class="timeline-chart"
            label={`Calls of ${layout.lanes.length} threads by time. Arrows move between calls, w a s d zoom and move, Enter opens a call in the story.`}
            paint={paint}
            onSize={setSize}
            onPointerDown={down}
            onPointerMove={move}
            onPointerUp={up}
            onPointerLeave={() => setHover(null)}
            onClick={(event, x, y) => dragged.current || clicked(event, y < rulerHeight ? "ruler" : foundAt(x, y))}
            onWheel={wheel}
            onKeyDown={() => undefined}
            table={{ head: ["Thread", "Begin", "Duration", "Calls", "Method"], rows }}
          />
          <Heads
            layout={layout}
            offset={rulerHeight}
            height={headHeight}
            top={top}
            onToggle={(key) =>
              store.set(
                { fold: folded.has(key) ? [...folded].filter((each) => each !== key) : [...folded, key] },
                "replace",
              )
            }
            onOnly={(key) => store.set({ thread: threads.includes(key) ? null : key })}
          />
        </div>
      </div>
      {hover?.found && <Tip found={hover.found} x={hover.x} y={hover.y} box={scroller} />}
    </>
  );
}

function visibleRows(
  pieces: readonly { document: TimelineDocument }[],
  window: Range,
): { begin_ns: number; end_ns: number; thread: string; depth: number; calls: number; method: string; call: number }[] {
  const seen = new Set<string>();
  return pieces.flatMap((piece) =>
    piece.document.lanes.flatMap((lane) =>
      lane.spans.begin_ns.flatMap((begin, index) => {
        const box: Box = {
          begin,
          end: lane.spans.end_ns[index] ?? 0,
          depth: lane.spans.depth[index] ?? 0,
          method: lane.spans.method[index] ?? -1,
          call: lane.spans.call[index] ?? 0,
          calls: lane.spans.calls[index] ?? 1,
        };
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

export { share };
