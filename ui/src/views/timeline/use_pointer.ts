// The pointer over the timeline: what it is on, what it drags, and the cursors that measure.
import type { RefObject } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Range } from "../../charts/axis";
import { useClicks } from "../../charts/clicks";
import { type Found, find } from "./find";
import {
  type Change,
  type Drag,
  draggedTo,
  dropped,
  grabbed,
  type Measure,
  marked,
  momentAt,
  selecting,
  wheeled,
} from "./interaction";
import { rulerHeight } from "./paint";
import type { Calls } from "./use_calls";
import type { Stage } from "./use_stage";

interface Hover {
  x: number;
  y: number;
  found: Found | null;
}

export type Pointer = ReturnType<typeof usePointer>;

export function usePointer(
  { axis, scene, jump }: Stage,
  calls: Calls,
  choose: (range: Range | null) => void,
  scroller: RefObject<HTMLDivElement | null>,
) {
  const [drag, setDrag] = useState<Drag | null>(null);
  const [measure, setMeasure] = useState<Measure | null>(null);
  const [hover, setHover] = useState<Hover | null>(null);
  const dragged = useRef(false);
  const foundAt = (x: number, y: number) => (y < rulerHeight ? null : find(scene, x, y - rulerHeight + scene.top));
  const clicked = useClicks<Found | "ruler" | null>(
    (hit) => hit !== "ruler" && calls.select(hit),
    (hit) => (hit === "ruler" ? choose(null) : calls.open(hit)),
  );
  const apply = (change: Change) => {
    if (change.window) {
      jump(change.window);
    }
    if (change.measure !== undefined) {
      setMeasure(change.measure);
    }
    if (change.range !== undefined) {
      choose(change.range);
    }
  };
  const onPointerDown = (event: PointerEvent, x: number, y: number) => {
    const next = grabbed(axis, event, x, y < rulerHeight);
    if (next) {
      (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      (event.currentTarget as HTMLElement).focus({ preventScroll: true });
      setDrag(next);
    }
  };
  const onPointerMove = (event: PointerEvent, x: number, y: number) => {
    setHover({ x, y, found: drag ? null : foundAt(x, y) });
    if (drag) {
      const next = draggedTo(axis, drag, x);
      setDrag(next.drag);
      apply(next.change);
      event.preventDefault();
    }
  };
  const onPointerUp = () => {
    if (drag) {
      apply(dropped(drag));
    }
    dragged.current = drag?.moved === true;
    setDrag(null);
  };
  const onWheel = (event: WheelEvent, x: number) => {
    const next = wheeled(axis, event, x);
    if ("scroll" in next) {
      scroller.current?.scrollBy(0, next.scroll);
    } else {
      jump(next.window);
    }
    event.preventDefault();
  };
  return {
    hover,
    measure,
    dragging: drag !== null,
    selecting: selecting(drag),
    mark: () => setMeasure(marked(measure, momentAt(axis, hover?.x ?? axis.width / 2))),
    unmark: () => setMeasure(null),
    handlers: {
      onPointerDown,
      onPointerMove,
      onPointerUp,
      onPointerLeave: () => setHover(null),
      onClick: (event: MouseEvent, x: number, y: number) =>
        dragged.current || clicked(event, y < rulerHeight ? "ruler" : foundAt(x, y)),
      onWheel,
    },
  };
}
