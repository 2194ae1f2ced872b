// Threads by time: a lane for each, with its calls at this zoom. Dragging selects a range for all views.
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Range } from "../../charts/axis";
import { Chart, type Size } from "../../charts/canvas";
import { useTheme } from "../../charts/theme";
import type { TimelineDocument } from "../../data/events";
import { chosenThreads, integer, one, takesThread } from "../../data/place";
import { useApp, useDocument, useKeys, usePlace } from "../../frame/context";
import { Missing, Ready } from "../../frame/states";
import { paintOf } from "./colours";
import { allSpans } from "./find";
import { Heads } from "./heads";
import { around, fitting, movedBy, zoomedAt } from "./interaction";
import { headHeight } from "./layout";
import { paintOverlay } from "./overlay";
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

function useTimelineKeys({ axis, jump, glide }: Stage, range: Range | null, calls: Calls, pointer: Pointer): void {
  const { focus, step, open } = calls;
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
  ]);
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
  useTimelineKeys(stage, range, calls, pointer);
  const { scene, folded } = stage;
  const { layout, window, top } = scene;
  const { measure, hover } = pointer;
  const paint = (context: CanvasRenderingContext2D, area: Size) => {
    const over = {
      range: pointer.selecting ?? range,
      measure,
      hover: pointer.dragging ? null : (hover?.x ?? null),
      focus: calls.focus,
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
      {hover?.found && <Tip found={hover.found} x={hover.x} y={hover.y} box={scroller} />}
    </>
  );
}
