// Heads of lanes: names of threads, which fold and filter, over the canvas.
import { bounded } from "../../text/foreign";
import { plain, share } from "../../text/format";
import type { Layout } from "./layout";

interface HeadsProps {
  layout: Layout;
  offset: number;
  height: number;
  /** How far the lanes are scrolled: heads under the ruler are left out. */
  top: number;
  onToggle: (key: string) => void;
  onOnly: (key: string) => void;
}

export function Heads({ layout, offset, height, top, onToggle, onOnly }: HeadsProps) {
  return (
    <ul class="timeline-heads" aria-label="Threads">
      {layout.lanes
        .filter((lane) => lane.top >= top - 2)
        .map((lane) => (
          <li key={lane.key} style={{ top: `${lane.top + offset}px`, height: `${height}px` }}>
            <button
              type="button"
              class="timeline-head"
              aria-expanded={lane.open}
              title={lane.open ? "Fold this thread" : "Unfold this thread"}
              onClick={() => onToggle(lane.key)}
            >
              <span aria-hidden="true">{lane.open ? "▾" : "▸"}</span> {lane.name ? bounded(lane.name, 60) : "thread"}{" "}
              <span class="dim">{lane.key}</span>
            </button>
            <span class="dim" title="Share of the session inside recorded calls">
              {plain(share(lane.busy, 1))} busy
            </span>
            <button
              type="button"
              class="timeline-only"
              title="Show only this thread, in every view"
              onClick={() => onOnly(lane.key)}
            >
              only
            </button>
          </li>
        ))}
    </ul>
  );
}
