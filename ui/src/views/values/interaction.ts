// What keys and the pointer do to the history of a variable: pure functions of its moments and of the input.
import { ordered, type Range } from "../../charts/axis";
import type { ValueMoment } from "../../data/events";

/** The next moment at which the value changed, or the previous one; -1: there is none. */
export function nextChange(changes: readonly boolean[], active: number, direction: 1 | -1): number {
  for (let row = active + direction; row >= 0 && row < changes.length; row += direction) {
    if (changes[row]) {
      return row;
    }
  }
  return -1;
}

/** The moment nearest to a time, the last of those that are equally near; -1: none has a time. */
export function nearest(values: readonly ValueMoment[], at: number): number {
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  values.forEach((value, index) => {
    const far = value.time_ns === null ? Number.POSITIVE_INFINITY : Math.abs(value.time_ns - at);
    if (far <= least) {
      least = far;
      best = index;
    }
  });
  return best;
}

/** A button that is held over the plot: the pixels where it was pressed and where it is. */
export interface Brush {
  x: number;
  to: number;
}

/** The range that a brush chooses, or the moment that a click picks. */
export type Brushed = { range: Range | null } | { pick: number };

/** at: the time of a pixel. */
export function brushed(brush: Brush, values: readonly ValueMoment[], at: (x: number) => number): Brushed {
  return isDrag(brush) ? { range: ordered(at(brush.x), at(brush.to)) } : { pick: nearest(values, at(brush.to)) };
}

/** The range that a brush is about to choose; null: it is a click so far. */
export function brushing(brush: Brush | null, at: (x: number) => number): Range | null {
  return brush && isDrag(brush) ? ordered(at(brush.x), at(brush.to)) : null;
}

function isDrag({ x, to }: Brush): boolean {
  return Math.abs(to - x) > 3;
}

/** The time that the plot shows: the range of the place, else that of the moments with room at its sides. */
export function boundsOf(values: readonly ValueMoment[], from: unknown, to: unknown, elapsed: number | null): Range {
  const timed = values.filter((value) => value.time_ns !== null);
  const begin = typeof from === "number" ? from : (timed[0]?.time_ns ?? 0);
  const last = timed.at(-1)?.time_ns ?? elapsed ?? 1;
  const end = typeof to === "number" ? to : last;
  const room = Math.max(10, (end - begin) * 0.02);
  return {
    from: Math.max(0, begin - (typeof from === "number" ? 0 : room)),
    to: end + (typeof to === "number" ? 0 : room),
  };
}
