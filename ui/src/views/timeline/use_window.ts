// The window of time that is shown: moved at once, written into the URL when it has come to rest.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { between, type Range, span, within } from "../../charts/axis";
import { integer, type Store } from "../../data/place";

const moving = 120;

function written(store: Store, bounds: Range): Range | null {
  const from = integer(store.place, "wfrom");
  const to = integer(store.place, "wto");
  return from !== null && to !== null && to > from ? within({ from, to }, bounds) : null;
}

export interface Moves {
  window: Range;
  /** At once, for dragging and the wheel. */
  jump: (next: Range) => void;
  /** In 120 ms, where the movement explains. */
  glide: (next: Range) => void;
}

export function useWindow(store: Store, bounds: Range): Moves {
  const [window_, setWindow] = useState<Range>(() => written(store, bounds) ?? bounds);
  const latest = useRef(window_);
  const frame = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const own = useRef("");
  const settle = useCallback(
    (next: Range) => {
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        const all = span(next) >= span(bounds);
        own.current = all ? "" : `${Math.round(next.from)}-${Math.round(next.to)}`;
        store.set(
          all ? { wfrom: null, wto: null } : { wfrom: String(Math.round(next.from)), wto: String(Math.round(next.to)) },
          "replace",
        );
      }, 180);
    },
    [store, bounds.from, bounds.to],
  );
  const show = useCallback((next: Range) => {
    latest.current = next;
    setWindow(next);
  }, []);
  const jump = useCallback(
    (next: Range) => {
      cancelAnimationFrame(frame.current);
      show(next);
      settle(next);
    },
    [show, settle],
  );
  const glide = useCallback(
    (next: Range) => {
      cancelAnimationFrame(frame.current);
      settle(next);
      const start = latest.current;
      const began = performance.now();
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
        show(next);
        return;
      }
      const step = () => {
        const share = (performance.now() - began) / moving;
        show(share >= 1 ? next : between(start, next, share));
        if (share < 1) {
          frame.current = requestAnimationFrame(step);
        }
      };
      step();
    },
    [show, settle],
  );
  useEffect(
    () =>
      store.listen(() => {
        const asked = written(store, bounds);
        const text = asked ? `${asked.from}-${asked.to}` : "";
        if (text !== own.current && store.place.view === "timeline") {
          own.current = text;
          glide(asked ?? bounds);
        }
      }),
    [store, glide],
  );
  useEffect(
    () => () => {
      cancelAnimationFrame(frame.current);
      clearTimeout(timer.current);
    },
    [],
  );
  return { window: window_, jump, glide };
}
