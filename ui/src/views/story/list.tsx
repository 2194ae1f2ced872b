// The lines of a story: only those in sight are in the document.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { LineRow, type Links } from "./lines";
import type { Line } from "./rows";

const rowHeight = 22;

interface LinesProps {
  lines: readonly Line[];
  /** -1: the line that was chosen is not loaded. */
  active: number;
  find: string;
  links: Links;
  folded: (line: Line) => boolean;
  onFold: (line: Line) => void;
  onActive: (line: Line) => void;
  onEdge: (direction: 1 | -1) => void;
}

/** Digits that the times in sight need to differ. */
function stepOf(lines: readonly Line[]): number {
  const times = lines.flatMap((line) => (line.time === null ? [] : [line.time]));
  const long = times.length > 1 ? (times[times.length - 1] as number) - (times[0] as number) : 0;
  return long > 2e5 ? 1e3 : 1;
}

/** Which part is in sight. A line that is chosen is scrolled to; when earlier lines come, what is at the top stays there. */
function useScrolling({ lines, active, onEdge }: LinesProps) {
  const box = useRef<HTMLDivElement>(null);
  const [sight, setSight] = useState({ top: 0, height: 600 });
  const anchor = useRef<{ at: string; offset: number } | null>(null);
  const look = () => {
    const element = box.current as HTMLDivElement;
    setSight({ top: element.scrollTop, height: element.clientHeight });
  };
  useLayoutEffect(() => {
    const watcher = new ResizeObserver(look);
    watcher.observe(box.current as HTMLDivElement);
    look();
    return () => watcher.disconnect();
  }, []);
  const hold = () => {
    const top = (box.current as HTMLDivElement).scrollTop;
    const index = Math.floor(top / rowHeight);
    const line = lines[index];
    anchor.current = line ? { at: line.first, offset: index * rowHeight - top } : null;
  };
  useLayoutEffect(() => {
    const element = box.current;
    const held = anchor.current;
    if (element && held) {
      const index = lines.findIndex((line) => line.first === held.at);
      const top = index * rowHeight - held.offset;
      if (index >= 0 && Math.abs(top - element.scrollTop) > 1) {
        element.scrollTop = top;
      }
    }
  }, [lines]);
  // Once: after that the reader scrolls.
  const placed = useRef<string | null>(null);
  useLayoutEffect(() => {
    const element = box.current;
    const at = lines[active]?.first ?? placed.current;
    if (element && at !== placed.current) {
      placed.current = at;
      const top = active * rowHeight;
      if (top < element.scrollTop + rowHeight) {
        element.scrollTop = Math.max(0, top - element.clientHeight * 0.3);
      } else if (top + 2 * rowHeight > element.scrollTop + element.clientHeight) {
        element.scrollTop = top - element.clientHeight * 0.7;
      }
      // The event of scrolling comes later, maybe after earlier lines.
      hold();
    }
  }, [lines[active]?.first]);
  useEffect(() => {
    if (sight.top < 30 * rowHeight) {
      onEdge(-1);
    }
    if (sight.top + sight.height > (lines.length - 30) * rowHeight) {
      onEdge(1);
    }
  }, [sight.top, sight.height, lines.length]);
  const onScroll = () => {
    look();
    hold();
  };
  const first = Math.max(0, Math.floor(sight.top / rowHeight) - 6);
  const last = Math.min(lines.length, Math.ceil((sight.top + sight.height) / rowHeight) + 6);
  const narrow = sight.height > 0 && (box.current?.clientWidth ?? 1000) < 600;
  return { box, onScroll, first, last, narrow };
}

export function Lines(props: LinesProps) {
  const { lines, active } = props;
  const { box, onScroll, first, last, narrow } = useScrolling(props);
  const shown = lines.slice(first, last);
  const step = stepOf(shown);
  return (
    <div
      ref={box}
      class="story"
      role="grid"
      aria-label="Events in order"
      aria-activedescendant={active >= first && active < last ? `story-${active}` : undefined}
      tabIndex={0}
      onScroll={onScroll}
    >
      <div class="story-inner" role="rowgroup" style={{ height: `${lines.length * rowHeight}px` }}>
        {shown.map((line, offset) => {
          const index = first + offset;
          const before = lines.slice(0, index).findLast((one) => one.time !== null)?.time ?? null;
          return (
            <div
              key={line.first + line.kind}
              id={`story-${index}`}
              role="row"
              aria-selected={index === active}
              class={`story-line story-${line.kind}${index === active ? " active" : ""}`}
              style={{ transform: `translateY(${index * rowHeight}px)` }}
              onClick={(event) => (event.target as HTMLElement).closest("a, button") || props.onActive(line)}
              onDblClick={() => line.kind === "call" && props.onFold(line)}
            >
              <LineRow
                line={line}
                links={props.links}
                find={props.find}
                folded={props.folded(line)}
                onFold={() => props.onFold(line)}
                time={line.time !== null && line.time !== before ? line.time : null}
                step={step}
                pad={narrow ? 8 : 16}
              />
            </div>
          );
        })}
      </div>
    </div>
  );
}
