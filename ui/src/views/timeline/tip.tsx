// What is under the pointer.
import type { RefObject } from "preact";
import type { RunsDocument } from "../../data/events";
import { Resumes, Waits } from "../../frame/runs";
import { Name, Time } from "../../frame/text";
import { digits, moment } from "../../text/format";
import { callOf, type Found } from "./find";

interface TipProps {
  found: Found;
  /** The runs around it, if it is a run of an async activation. */
  runs: RunsDocument | null;
  x: number;
  y: number;
  box: RefObject<HTMLElement | null>;
}

export function Tip({ found, runs, x, y, box }: TipProps) {
  const edge = box.current?.getBoundingClientRect();
  const { box: call, method, lane } = found;
  const length = call.end - call.begin;
  const right = (edge?.left ?? 0) + x + 14;
  const below = (edge?.top ?? 0) + y + 18;
  const style = {
    left: right > window.innerWidth - 330 ? "auto" : `${right}px`,
    right: right > window.innerWidth - 330 ? `${window.innerWidth - right + 28}px` : "auto",
    top: below > window.innerHeight - 120 ? "auto" : `${below}px`,
    bottom: below > window.innerHeight - 120 ? `${window.innerHeight - below + 30}px` : "auto",
  };
  return (
    <div class="tip" style={style}>
      <Name name={method.name} />
      <div>
        {call.calls > 1 ? (
          <>
            {digits(call.calls)} short calls within <Time ns={length} />, mostly of this method
          </>
        ) : (
          <Time ns={length} />
        )}
        <span class="dim">
          {" "}
          from {moment(call.begin, 1)}, thread {lane.key}
          {callOf(found) ? `, call ${callOf(found)}` : ""}
        </span>
      </div>
      {runs?.before && (
        <div>
          <Resumes wait={runs.before} />
        </div>
      )}
      {runs?.after && (
        <div>
          <Waits wait={runs.after} />
        </div>
      )}
      <div class="dim">{callOf(found) ? "Double click: open in the story" : "Double click: zoom to these calls"}</div>
    </div>
  );
}
