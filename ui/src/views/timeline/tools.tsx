// Above the timeline: zoom, the window, what is measured, how exact the picture is, idle threads.
import { span } from "../../charts/axis";
import { isPartial } from "../../data/documents";
import { one } from "../../data/place";
import { useApp, usePlace } from "../../frame/context";
import { Toolbar } from "../../frame/controls";
import { CopyTable } from "../../frame/copy";
import { bounded } from "../../text/foreign";
import { moment, plain, time } from "../../text/format";
import { callsIn } from "./find";
import { type Measure, zoomedAt } from "./interaction";
import type { Stage } from "./use_stage";

interface ToolsProps {
  stage: Stage;
  measure: Measure | null;
  onUnmark: () => void;
}

export function Tools({ stage, measure, onUnmark }: ToolsProps) {
  const { window } = stage.axis;
  const { pieces } = stage.tiles;
  return (
    <Toolbar>
      <Zoom {...stage} />
      <span class="dim timeline-window">
        {moment(window.from, span(window) / 1000)} to {moment(window.to, span(window) / 1000)} (
        {plain(time(span(window)))})
      </span>
      {measure && measure.a !== measure.b && (
        <span class="chip">
          measured {plain(time(Math.abs(measure.b - measure.a)))}
          <button type="button" aria-label="Remove the cursors" onClick={onUnmark}>
            ×
          </button>
        </span>
      )}
      <Exactness {...stage} />
      <Idle count={stage.scene.layout.idle} />
      <CopyTable
        rows={() => [
          ["begin_ns", "end_ns", "thread", "calls", "method"],
          ...callsIn(pieces, window).map((row) => [
            String(row.begin_ns),
            String(row.end_ns),
            row.thread,
            String(row.calls),
            row.method,
          ]),
        ]}
        json={() => callsIn(pieces, window)}
      />
    </Toolbar>
  );
}

function Zoom({ axis, jump, glide }: Stage) {
  return (
    <span class="group" role="group" aria-label="Zoom">
      <button
        type="button"
        class="quiet"
        title="Zoom in (w)"
        aria-label="Zoom in"
        onClick={() => jump(zoomedAt(axis, 0.5))}
      >
        +
      </button>
      <button
        type="button"
        class="quiet"
        title="Zoom out (s)"
        aria-label="Zoom out"
        onClick={() => jump(zoomedAt(axis, 2))}
      >
        −
      </button>
      <button type="button" class="quiet" title="Show the whole session (0)" onClick={() => glide(axis.bounds)}>
        All
      </button>
    </span>
  );
}

/** Says what of the picture is coarse, and why. */
function Exactness({ whole, tiles }: Stage) {
  const { pieces, problem, waiting } = tiles;
  const coarse = pieces.find((piece) => !piece.document.exact);
  return (
    <>
      {coarse && (
        <span class="chip" title={bounded(coarse.document.why ?? "", 400)}>
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
    </>
  );
}

function Idle({ count }: { count: number }) {
  const { store } = useApp();
  const shown = one(usePlace(), "idle") === "1";
  return (
    count > 0 && (
      <button
        type="button"
        class="switch push"
        aria-pressed={shown}
        onClick={() => store.set({ idle: shown ? null : "1" }, "replace")}
      >
        {count} idle {count === 1 ? "thread" : "threads"}
      </button>
    )
  );
}
