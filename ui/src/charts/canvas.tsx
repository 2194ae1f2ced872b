// The base of all charts: a canvas that fills its box and is sharp on every screen, with a table behind it for screen
// readers. Charts are pure functions that paint; this decides when.
import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

export interface Size {
  width: number;
  height: number;
}

export type Paint = (context: CanvasRenderingContext2D, size: Size) => void;

export interface ChartProps {
  /** What the chart shows, in a sentence. */
  label: string;
  paint: Paint;
  /** CSS pixels; without it the chart is as high as its box. */
  height?: number;
  class?: string;
  /** The same content for screen readers: the rows of a table, few. */
  table?: { head: readonly string[]; rows: readonly (readonly string[])[] };
  onPointerMove?: (event: PointerEvent, x: number, y: number) => void;
  onPointerLeave?: () => void;
  onPointerDown?: (event: PointerEvent, x: number, y: number) => void;
  onPointerUp?: (event: PointerEvent, x: number, y: number) => void;
  onClick?: (event: MouseEvent, x: number, y: number) => void;
  onDblClick?: (event: MouseEvent, x: number, y: number) => void;
  onContextMenu?: (event: MouseEvent, x: number, y: number) => void;
  onWheel?: (event: WheelEvent, x: number, y: number) => void;
  onKeyDown?: (event: KeyboardEvent) => void;
  onSize?: (size: Size) => void;
  children?: ComponentChildren;
}

/** The size of an element's content, from now on. */
export function useSize<E extends HTMLElement>(): [RefObject<E | null>, Size] {
  const box = useRef<E>(null);
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) {
      return undefined;
    }
    const look = () => setSize({ width: element.clientWidth, height: element.clientHeight });
    const watcher = new ResizeObserver(look);
    watcher.observe(element);
    look();
    return () => watcher.disconnect();
  }, []);
  return [box, size];
}

export function Chart(props: ChartProps) {
  const [box, found] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = { width: found.width, height: props.height ?? found.height };
  useLayoutEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (!element || !context || size.width === 0 || size.height === 0) {
      return;
    }
    const scale = window.devicePixelRatio || 1;
    const width = Math.round(size.width * scale);
    const height = Math.round(size.height * scale);
    if (element.width !== width || element.height !== height) {
      element.width = width;
      element.height = height;
    }
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, size.width, size.height);
    props.paint(context, size);
  });
  useLayoutEffect(() => {
    props.onSize?.(size);
  }, [size.width, size.height]);
  const at = <E extends MouseEvent>(run?: (event: E, x: number, y: number) => void) =>
    run &&
    ((event: E) => {
      const edge = (canvas.current as HTMLCanvasElement).getBoundingClientRect();
      run(event, event.clientX - edge.left, event.clientY - edge.top);
    });
  const interactive = Boolean(props.onKeyDown);
  return (
    <div
      ref={box}
      class={`chart ${props.class ?? ""}`}
      style={props.height ? { height: `${props.height}px` } : undefined}
    >
      <canvas
        ref={canvas}
        role={interactive ? "application" : "img"}
        aria-label={props.label}
        tabIndex={interactive ? 0 : undefined}
        style={{ width: `${size.width}px`, height: `${size.height}px` }}
        onPointerMove={at(props.onPointerMove)}
        onPointerLeave={props.onPointerLeave}
        onPointerDown={at(props.onPointerDown)}
        onPointerUp={at(props.onPointerUp)}
        onClick={at(props.onClick)}
        onDblClick={at(props.onDblClick)}
        onContextMenu={at(props.onContextMenu)}
        onWheel={at(props.onWheel)}
        onKeyDown={props.onKeyDown}
      />
      {props.table && <Behind label={props.label} {...props.table} />}
      {props.children}
    </div>
  );
}

function Behind({
  label,
  head,
  rows,
}: {
  label: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
}) {
  return (
    <table class="offscreen">
      <caption>{label}</caption>
      <thead>
        <tr>
          {head.map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={at}>
            {row.map((cell, column) => (
              <td key={head[column]}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
