// The runs of an async activation before and after one of its runs, and what it waited for between them.
import type { Range } from "../charts/axis";
import { span, within } from "../charts/axis";
import type { CallDocument, RunsDocument, RunWait } from "../data/events";
import { type Changes, integer, one, type Place } from "../data/place";
import { awaitLine, awaitName } from "./async";
import { useApp, useDocument, usePlace } from "./context";
import { Time } from "./text";

/** The runs around a call, P:N. null: they are not known yet, or the call is no run that has waited. */
export function useRuns(call: string | null): RunsDocument | null {
  const { session } = useApp();
  const { value, fits } = useDocument(call !== null && session.page.has.calls ? "runs" : null, { of: call });
  return call !== null && fits && value && (value.before || value.after) ? value : null;
}

/** The window with the run in its middle, no shorter than the run; null: the run is in sight. */
export function windowOn(run: CallDocument, window: Range, bounds: Range): Range | null {
  const begin = run.begin_ns ?? bounds.from;
  const end = run.end_ns ?? bounds.to;
  if (end >= window.from && begin <= window.to) {
    return null;
  }
  const half = Math.max(span(window), (end - begin) * 1.25) / 2;
  return within({ from: (begin + end) / 2 - half, to: (begin + end) / 2 + half }, bounds);
}

/** What the place changes to show another run in the timeline. */
export function changesTo(run: NonNullable<RunWait["run"]>, window: Range | null): Changes {
  const moved = window && { wfrom: String(Math.round(window.from)), wto: String(Math.round(window.to)) };
  return { method: run.method, call: run.of, ...moved };
}

function shownWindow(place: Place, bounds: Range): Range {
  const from = integer(place, "wfrom");
  const to = integer(place, "wto");
  return from !== null && to !== null && to > from ? { from, to } : bounds;
}

function Where({ wait }: { wait: RunWait }) {
  const line = awaitLine(wait);
  return (
    <>
      <bdi class="what">{awaitName(wait).replace(/^await /, "")}</bdi>
      {line && ` (${line})`}
    </>
  );
}

/** `resumes after 9.7 ms, which awaited Pump.Turn (Tasks.cs:32)` */
export function Resumes({ wait }: { wait: RunWait }) {
  return (
    <>
      resumes after <Time ns={wait.awaiting_ns} />, which awaited <Where wait={wait} />
    </>
  );
}

/** `awaits Pump.Turn (Tasks.cs:32), for 9.7 ms` */
export function Waits({ wait }: { wait: RunWait }) {
  return (
    <>
      awaits <Where wait={wait} />
      {wait.resumed_ns === null ? (
        ", and was not seen to go on"
      ) : (
        <>
          , for <Time ns={wait.awaiting_ns} />
        </>
      )}
    </>
  );
}

function Link({ wait, name }: { wait: RunWait; name: string }) {
  const { store, session } = useApp();
  const place = usePlace();
  const bounds = { from: 0, to: session.info.elapsed_ns ?? 0 };
  if (!wait.run) {
    return <span class="dim">{name}: not known</span>;
  }
  const window = windowOn(wait.run, shownWindow(place, bounds), bounds);
  return <a href={store.link("timeline", changesTo(wait.run, window))}>{name}</a>;
}

/** Of the selected call: its waits, with links to the runs at their other ends. */
export function RunLinks() {
  const runs = useRuns(one(usePlace(), "call"));
  if (!runs) {
    return null;
  }
  return (
    <section class="runs">
      <h3>This run</h3>
      {runs.before && (
        <p>
          <Resumes wait={runs.before} />
        </p>
      )}
      {runs.after && (
        <p>
          <Waits wait={runs.after} />
        </p>
      )}
      <div class="actions">
        {runs.before && <Link wait={runs.before} name="run before" />}
        {runs.after && <Link wait={runs.after} name="run after" />}
      </div>
    </section>
  );
}
