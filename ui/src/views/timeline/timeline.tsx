// Threads by time: a lane for each, with its calls at this zoom. Dragging selects a range for all views.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Range } from "../../charts/axis";
import { Chart, type Size } from "../../charts/canvas";
import { useTheme } from "../../charts/theme";
import type { RunsDocument, TimelineDocument } from "../../data/events";
import { chosenThreads, integer, one, takesThread } from "../../data/place";
import { useApp, useDocument, useKeys, usePlace } from "../../frame/context";
import { useRuns } from "../../frame/runs";
import { Missing, Ready } from "../../frame/states";
import { paintOf } from "./colours";
import { allSpans, callOf } from "./find";
import { Heads } from "./heads";
import { around, fitting, movedBy, zoomedAt } from "./interaction";
import { headHeight } from "./layout";
import { type Focus, paintOverlay } from "./overlay";
import { paintTimeline, rulerHeight } from "./paint";
import { Tip } from "./tip";
import { Tools } from "./tools";
import { type Calls, useCalls } from "./use_calls";
import { type Pointer, usePointer } from "./use_pointer";
import { type Stage, useStage } from "./use_stage";

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

/** Only the threads that the filter names. */
function chosen(whole: TimelineDocument, threads: readonly string[]): TimelineDocument {
  return threads.length === 0 ? whole : { ...whole, lanes: whole.lanes.filter((lane) => takesThread(threads, lane)) };
}

/**
 * The range of the place, and how to choose one here. A range that another view or the strip has chosen is shown; one that
 * was chosen here leaves the window alone.
 */
function useRange({ axis, glide }: Stage): [Range | null, (next: Range | null) => void] {
  const { store } = useApp();
  const place = usePlace();
  const from = integer(place, "from");
  const to = integer(place, "to");
  const range = from !== null && to !== null ? { from, to } : null;
  const mine = useRef("");
  const text = range ? `${range.from}-${range.to}` : "";
  useEffect(() => {
    if (range && text !== mine.current && one(place, "wfrom") === null) {
      glide(around(range, axis.bounds));
    }
    mine.current = text;
  }, [text]);
  const choose = (next: Range | null) => {
    mine.current = next ? `${next.from}-${next.to}` : "";
    store.set(next ? { from: String(next.from), to: String(next.to) } : { from: null, to: null });
  };
  return [range, choose];
}

interface Shown {
  stage: Stage;
  range: Range | null;
  calls: Calls;
  pointer: Pointer;
  /** The runs around the selected call. */
  runs: RunsDocument | null;
}

function useTimelineKeys({ stage, range, calls, pointer, runs }: Shown): void {
  const { axis, jump, glide } = stage;
  const { focus, step, open, follow } = calls;
  const zoom = (factor: number) => jump(zoomedAt(axis, factor, pointer.hover?.x));
  const fit = () => {
    const window = fitting(axis, focus?.box, range);
    if (window) {
      glide(window);
    }
  };
  useKeys("Timeline", [
    { key: "w", title: "Zoom in", run: () => zoom(0.7) },
    { key: "s", title: "Zoom out", run: () => zoom(1 / 0.7) },
    { key: "a", title: "Move to earlier times", run: () => jump(movedBy(axis, -0.15)) },
    { key: "d", title: "Move to later times", run: () => jump(movedBy(axis, 0.15)) },
    { key: "f", title: "Zoom to the selected call or range", run: fit },
    { key: "0", title: "Show the whole session", run: () => glide(axis.bounds) },
    { key: "x", title: "Set a cursor that measures, then the second, then none", run: pointer.mark },
    { key: "ArrowLeft", title: "The call before, at this depth", run: () => step("left") },
    { key: "ArrowRight", title: "The call after, at this depth", run: () => step("right") },
    { key: "ArrowUp", title: "The caller", run: () => step("up") },
    { key: "ArrowDown", title: "What it calls", run: () => step("down") },
    { key: "Enter", title: "Open the call in the story", run: () => open(focus) },
    { key: "[", title: "The run before, of an async method", run: () => follow(runs?.before) },
    { key: "]", title: "The run after, of an async method", run: () => follow(runs?.after) },
  ]);
}

/** P:N of the run under the pointer, once it rests there. */
function useRested(call: string | null): string | null {
  const [rested, setRested] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setRested(call), 120);
    return () => clearTimeout(timer);
  }, [call]);
  return rested === call ? call : null;
}

/** The runs around the one under the pointer, and around the selected one. */
function useNeighbours({ hover }: Pointer): { over: RunsDocument | null; selected: RunsDocument | null } {
  const found = hover?.found;
  const runs = found && /^async/.test(found.method.kind) ? callOf(found) : null;
  return { over: useRuns(useRested(runs)), selected: useRuns(one(usePlace(), "call")) };
}

function focusOf(calls: Calls, runs: RunsDocument | null): Focus | null {
  const box = calls.focus?.box;
  if (calls.focus && box) {
    return { lane: calls.focus.lane.key, begin: box.begin, end: box.end, depth: box.depth };
  }
  // A run that is drawn together with others.
  return runs && { lane: runs.thread, begin: runs.begin_ns ?? 0, end: runs.end_ns ?? 0, depth: runs.depth };
}

function Body({ whole: every }: { whole: TimelineDocument }) {
  const { store } = useApp();
  const theme = useTheme();
  const threads = chosenThreads(usePlace());
  const whole = useMemo(() => chosen(every, threads), [every, threads.join(",")]);
  const scroller = useRef<HTMLDivElement>(null);
  const stage = useStage(whole);
  const [range, choose] = useRange(stage);
  const calls = useCalls(stage);
  const pointer = usePointer(stage, calls, choose, scroller);
  const runs = useNeighbours(pointer);
  useTimelineKeys({ stage, range, calls, pointer, runs: runs.selected });
  const { scene, folded } = stage;
  const { layout, window, top } = scene;
  const { measure, hover } = pointer;
  const paint = (context: CanvasRenderingContext2D, area: Size) => {
    const over = {
      range: pointer.selecting ?? range,
      measure,
      hover: pointer.dragging ? null : (hover?.x ?? null),
      focus: focusOf(calls, runs.selected),
      runs: runs.over ?? runs.selected,
    };
    paintTimeline(context, { ...scene, width: area.width, height: area.height }, paintOf(theme));
    paintOverlay(context, { window, area, top, layout, ...over }, theme);
  };
  const rows = useMemo(() => allSpans(whole), [whole]);
  const toggled = (key: string) => (folded.has(key) ? [...folded].filter((each) => each !== key) : [...folded, key]);
  return (
    <>
      <Tools stage={stage} measure={measure} onUnmark={pointer.unmark} />
      <div class="timeline" ref={scroller} onScroll={(event) => stage.setTop(event.currentTarget.scrollTop)}>
        <div class="timeline-tall" style={{ height: `${layout.height + rulerHeight + 8}px` }}>
          <Chart
            class="timeline-chart"
            label={`Calls of ${layout.lanes.length} threads by time. Arrows move between calls, w a s d zoom and move, Enter opens a call in the story.`}
            paint={paint}
            onSize={stage.setSize}
            {...pointer.handlers}
            onKeyDown={() => undefined}
            table={{ head: ["Thread", "Begin", "Duration", "Calls", "Method"], rows }}
          />
          <Heads
            layout={layout}
            offset={rulerHeight}
            height={headHeight}
            top={top}
            onToggle={(key) => store.set({ fold: toggled(key) }, "replace")}
            onOnly={(key) => store.set({ thread: threads.includes(key) ? null : key })}
          />
        </div>
      </div>
      {hover?.found && <Tip found={hover.found} runs={runs.over} x={hover.x} y={hover.y} box={scroller} />}
    </>
  );
}
