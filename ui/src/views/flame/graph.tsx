// One flame graph: a tree on a canvas, which the pointer and the keyboard walk.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Chart, type Size, useSize } from "../../charts/canvas";
import { useClicks } from "../../charts/clicks";
import { useTheme } from "../../charts/theme";
import { visible } from "../../text/foreign";
import { count, plain, share, time } from "../../text/format";
import { between, everything, frameAt, layOut, neighbour, type Span, spanOf, weightKinds } from "./layout";
import { paintFlame, rowHeight } from "./paint";
import { Tip, type TipAt, type Weighed } from "./tip";

interface GraphProps extends Weighed {
  label: string;
  /** What heat shows; without it the own weights. */
  heat?: Float64Array;
  upwards: boolean;
  colour: "category" | "heat";
  found: Uint8Array | null;
  method: number;
  zoom: number;
  active: number;
  onZoom: (node: number) => void;
  onActive: (node: number) => void;
  onEnter: (node: number) => void;
}

const motion = 120;

/** The sight, on its way to where it should be. */
function useGlide(goal: Span, subject: unknown): Span {
  const [now, setNow] = useState(goal);
  const last = useRef({ subject, span: goal });
  useEffect(() => {
    const start = last.current.subject === subject ? last.current.span : goal;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (still || (start.from === goal.from && start.to === goal.to)) {
      last.current = { subject, span: goal };
      setNow(goal);
      return undefined;
    }
    const begin = performance.now();
    let frame = 0;
    const step = (moment: number) => {
      const share = Math.min(1, (moment - begin) / motion);
      const span = share >= 1 ? goal : between(start, goal, 1 - (1 - share) ** 3);
      last.current = { subject, span };
      setNow(span);
      if (share < 1) {
        frame = requestAnimationFrame(step);
      }
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [goal.from, goal.to, subject]);
  return last.current.subject === subject ? now : goal;
}

export function Graph(props: GraphProps) {
  const { tree, weights, upwards } = props;
  const theme = useTheme();
  const [box, size] = useSize<HTMLDivElement>();
  const [scroll, setScroll] = useState(0);
  const [tip, setTip] = useState<TipAt | null>(null);
  const goal = useMemo(() => spanOf(tree, weights, props.zoom), [tree, weights, props.zoom]);
  const span = useGlide(goal, weights);
  const layout = useMemo(
    () => layOut(tree, weights, span, 0.7 / Math.max(200, size.width)),
    [tree, weights, span, size.width],
  );
  const levels = Math.max(layout.rows.length, Math.floor(size.height / rowHeight));
  const long = levels * rowHeight;
  useLayoutEffect(() => {
    if (box.current && upwards) {
      box.current.scrollTop = long;
    }
  }, [upwards, long, box]);
  useEffect(() => {
    const element = box.current;
    const depth = props.active >= 0 ? tree.depth[props.active] : undefined;
    if (element && depth !== undefined) {
      const top = (upwards ? levels - 1 - depth : depth) * rowHeight;
      if (top < element.scrollTop || top + rowHeight > element.scrollTop + element.clientHeight) {
        element.scrollTop = top - element.clientHeight / 2;
      }
    }
  }, [props.active]);
  const nodeAt = (x: number, y: number): number => {
    const line = Math.floor((y + scroll) / rowHeight);
    return frameAt(layout, x / size.width, upwards ? levels - 1 - line : line)?.node ?? -1;
  };
  const clicked = useClicks(props.onActive, props.onZoom);
  const paint = (context: CanvasRenderingContext2D, area: Size) => {
    const { colour, found, method, active } = props;
    paintFlame(context, area, layout, {
      theme,
      weights,
      heat: props.heat ?? weights.own,
      colour,
      upwards,
      levels,
      scroll,
      found,
      method,
      hover: tip?.node ?? -1,
      active,
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const to = {
      ArrowUp: upwards ? "in" : "out",
      ArrowDown: upwards ? "out" : "in",
      ArrowLeft: "left",
      ArrowRight: "right",
    } as const;
    const direction = to[event.key as keyof typeof to];
    if (direction && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      props.onActive(neighbour(layout, props.active, direction));
    } else if (event.key === "Enter" && props.active >= 0) {
      event.preventDefault();
      props.onEnter(props.active);
    } else if (event.key === " " && props.active >= 0) {
      event.preventDefault();
      props.onZoom(props.active === props.zoom ? -1 : props.active);
    }
  };
  return (
    <div ref={box} class="flame-scroll" onScroll={(event) => setScroll(event.currentTarget.scrollTop)}>
      <div style={{ height: `${long}px` }}>
        <Chart
          class="flame-canvas"
          height={Math.max(1, size.height)}
          label={props.label}
          paint={paint}
          onPointerMove={(event, x, y) => {
            const node = nodeAt(x, y);
            setTip(node < 0 ? null : { node, x: event.clientX, y: event.clientY });
          }}
          onPointerLeave={() => setTip(null)}
          onClick={(event, x, y) => clicked(event, nodeAt(x, y))}
          onKeyDown={onKeyDown}
          table={tableOf(props)}
        />
      </div>
      {tip && <Tip at={tip} {...props} />}
    </div>
  );
}

/** The widest frames, for screen readers and for tests. */
function tableOf({ tree, weights, weight }: GraphProps) {
  const nodes = layOut(tree, weights, everything, 0.01).rows.flat();
  const frames = nodes.filter((frame) => frame.node >= 0).slice(0, 100);
  return {
    head: ["Level", "Method", weightKinds[weight].isTime ? "Total" : "With callees", "Own", "Share"],
    rows: frames.map(({ node, depth }) => {
      const show = (value: number) => plain(weightKinds[weight].isTime ? time(value) : count(value));
      const name = visible((tree.methods[tree.method[node]]?.name ?? "").slice(0, 300));
      return [
        String(depth + 1),
        name,
        show(weights.total[node]),
        show(weights.own[node]),
        plain(share(weights.total[node], weights.sum)),
      ];
    }),
  };
}
