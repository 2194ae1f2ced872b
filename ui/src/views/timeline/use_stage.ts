// What is drawn: a window of time, the calls in it, the lanes, and how much of them is on the screen.
import { useMemo, useRef, useState } from "preact/hooks";
import type { Range } from "../../charts/axis";
import type { Size } from "../../charts/canvas";
import type { TimelineDocument } from "../../data/events";
import { all, one } from "../../data/place";
import { useApp, usePlace } from "../../frame/context";
import { short } from "./colours";
import type { Axis } from "./interaction";
import { layOut, levelsByLane } from "./layout";
import type { Scene } from "./paint";
import { type Tiles, useTiles } from "./use_tiles";
import { type Moves, useWindow } from "./use_window";

export interface Stage extends Omit<Moves, "window"> {
  whole: TimelineDocument;
  axis: Axis;
  scene: Scene;
  tiles: Tiles;
  /** Lanes that are folded to their heads. */
  folded: ReadonlySet<string>;
  setSize: (size: Size) => void;
  setTop: (top: number) => void;
}

export function useStage(whole: TimelineDocument): Stage {
  const { store } = useApp();
  const place = usePlace();
  const bounds: Range = useMemo(() => ({ from: whole.from_ns, to: whole.to_ns }), [whole.from_ns, whole.to_ns]);
  const { window, jump, glide } = useWindow(store, bounds);
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  const [top, setTop] = useState(0);
  const folded = useMemo(() => new Set(all(place, "fold")), [all(place, "fold").join(",")]);
  const tiles = useTiles(whole, window, bounds, size.width, {});
  const known = useRef(new Map<string, number>());
  const levels = useMemo(
    () => levelsByLane([whole, ...tiles.pieces.map((piece) => piece.document)], known.current),
    [whole, tiles.pieces],
  );
  known.current = levels;
  const idle = one(place, "idle") === "1";
  const layout = useMemo(() => layOut(whole, levels, folded, idle), [whole, levels, folded, idle]);
  const { width, height } = size;
  const scene: Scene = {
    window,
    width,
    top,
    height,
    layout,
    pieces: tiles.pieces,
    selected: one(place, "method"),
    short,
  };
  return { whole, axis: { window, bounds, width }, jump, glide, scene, tiles, folded, setSize, setTop };
}
