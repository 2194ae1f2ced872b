// Clicks and double clicks on things that the first click may move away.
import { useEffect, useRef } from "preact/hooks";

/**
 * A handler of clicks, which gets what was hit. A double click is on what the first of its clicks hit, wherever the second one
 * lands: the first may have opened the panel, which makes a chart narrower, or stands where the chart was.
 */
export function useClicks<T>(click: (hit: T) => void, double: (hit: T) => void): (event: MouseEvent, hit: T) => void {
  const first = useRef<{ hit: T } | null>(null);
  const latest = useRef(double);
  latest.current = double;
  useEffect(() => {
    // Before any other handler of the same click.
    const forget = (event: MouseEvent) => {
      if (event.detail <= 1) {
        first.current = null;
      }
    };
    const run = () => {
      const known = first.current;
      first.current = null;
      if (known) {
        latest.current(known.hit);
      }
    };
    window.addEventListener("click", forget, true);
    window.addEventListener("dblclick", run);
    return () => {
      window.removeEventListener("click", forget, true);
      window.removeEventListener("dblclick", run);
    };
  }, []);
  return (event, hit) => {
    if (event.detail <= 1) {
      first.current = { hit };
      click(hit);
    }
  };
}
