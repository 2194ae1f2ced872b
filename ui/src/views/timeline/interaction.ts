// What wheel, pointer and keys do to the timeline: pure functions of what is shown and of the input.
import { ordered, panned, type Range, span, toTime, within, zoomed } from "../../charts/axis";

/** The time that is shown, within the time that can be shown, on so many pixels. */
export interface Axis {
  window: Range;
  bounds: Range;
  width: number;
}

/** The moment at a pixel; left and right of the picture, that at its edge. */
export function momentAt({ window, width }: Axis, x: number): number {
  return toTime(window, Math.max(1, width), Math.max(0, Math.min(width, x)));
}

/** factor below 1 shows less. The moment at pixel x keeps its place; without x, that in the middle. */
export function zoomedAt(axis: Axis, factor: number, x = axis.width / 2): Range {
  return zoomed(axis.window, momentAt(axis, x), factor, axis.bounds);
}

/** Moved by a share of the window. */
export function movedBy({ window, bounds }: Axis, share: number): Range {
  return panned(window, span(window) * share, bounds);
}

/** What the wheel moves: the window, or the lanes by pixels. */
export type Wheeled = { window: Range } | { scroll: number };

type Wheel = Pick<WheelEvent, "deltaX" | "deltaY" | "deltaMode" | "shiftKey">;

/** Zooms at the pointer, sideways pans; with shift it scrolls the lanes. */
export function wheeled(axis: Axis, wheel: Wheel, x: number): Wheeled {
  const sideways = Math.abs(wheel.deltaX) > Math.abs(wheel.deltaY);
  if (wheel.shiftKey && !sideways) {
    return { scroll: wheel.deltaY };
  }
  if (sideways) {
    return { window: movedBy(axis, wheel.deltaX / Math.max(1, axis.width)) };
  }
  const lines = wheel.deltaMode === 1 ? 24 : 1;
  return { window: zoomedAt(axis, 1.0015 ** (wheel.deltaY * lines), x) };
}

/** Two cursors; at the same moment, they are one, and the second is still to be set. */
export interface Measure {
  a: number;
  b: number;
}

/** The first cursor, then the second, then none. */
export function marked(measure: Measure | null, at: number): Measure | null {
  const now = Math.round(at);
  if (measure === null) {
    return { a: now, b: now };
  }
  return measure.a === measure.b ? { a: measure.a, b: now } : null;
}

/** A button that is held. */
export interface Drag {
  kind: "range" | "measure" | "pan";
  /** Moments: where it began and where it is. */
  from: number;
  to: number;
  /** The pixel and the window at its begin. */
  x: number;
  start: Range;
  /** More than a click. */
  moved: boolean;
}

/** What a drag changes. range null: none is chosen. */
export interface Change {
  window?: Range;
  measure?: Measure | null;
  range?: Range | null;
}

type Pointer = Pick<PointerEvent, "button" | "shiftKey" | "pointerType">;

/** On the ruler a drag measures, elsewhere it chooses a range; with shift, the middle button or a finger it pans. */
export function grabbed(axis: Axis, pointer: Pointer, x: number, onRuler: boolean): Drag | null {
  if (pointer.button > 1) {
    return null;
  }
  const pan = pointer.button === 1 || pointer.shiftKey || pointer.pointerType === "touch";
  const at = momentAt(axis, x);
  return { kind: onRuler ? "measure" : pan ? "pan" : "range", from: at, to: at, x, start: axis.window, moved: false };
}

export function draggedTo(axis: Axis, drag: Drag, x: number): { drag: Drag; change: Change } {
  const next = { ...drag, to: momentAt(axis, x), moved: drag.moved || Math.abs(x - drag.x) > 3 };
  if (next.moved && drag.kind === "pan") {
    return {
      drag: next,
      change: { window: movedBy({ ...axis, window: drag.start }, (drag.x - x) / Math.max(1, axis.width)) },
    };
  }
  const measures = next.moved && drag.kind === "measure";
  return { drag: next, change: measures ? { measure: { a: Math.round(next.from), b: Math.round(next.to) } } : {} };
}

/** A range is chosen when the button is let go; a click on the ruler removes the cursors. */
export function dropped(drag: Drag): Change {
  if (drag.moved) {
    return drag.kind === "range" ? { range: ordered(drag.from, drag.to) } : {};
  }
  return drag.kind === "measure" ? { measure: null } : {};
}

/** The range that a drag is about to choose. */
export function selecting(drag: Drag | null): Range | null {
  return drag?.moved && drag.kind === "range" ? ordered(drag.from, drag.to) : null;
}

interface Box {
  begin: number;
  end: number;
}

/** A range with room at its sides. */
export function around(range: Range, bounds: Range): Range {
  const room = span(range) * 0.05;
  return { from: Math.max(bounds.from, range.from - room), to: Math.min(bounds.to, range.to + room) };
}

/** The window for the selected call, or if that fills it already, for the range. null: there is neither. */
export function fitting({ window, bounds }: Axis, box: Box | undefined, range: Range | null): Range | null {
  const small = box && box.end > box.begin && span(window) > (box.end - box.begin) * 1.25;
  return small ? around({ from: box.begin, to: box.end }, bounds) : range;
}

/** The window for several short calls that are drawn as one. */
export function openedTo(box: Box, bounds: Range): Range {
  const room = (box.end - box.begin) * 0.1;
  return within({ from: box.begin - room, to: box.end + room }, bounds);
}

/** The window with the call in its middle; null: the call is in sight. */
export function followed({ window, bounds }: Axis, box: Box): Range | null {
  if (box.end >= window.from && box.begin <= window.to) {
    return null;
  }
  return panned(window, (box.begin + box.end) / 2 - (window.from + window.to) / 2, bounds);
}
