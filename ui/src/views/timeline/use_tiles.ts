// Asks for the tiles of the window that is shown, once it has come to rest, and draws what is there meanwhile.
import { useEffect, useMemo, useReducer, useRef } from "preact/hooks";
import type { Range } from "../../charts/axis";
import type { DocumentError, Parameters } from "../../data/client";
import { isPartial, partialRest } from "../../data/documents";
import type { TimelineDocument } from "../../data/events";
import { useApp } from "../../frame/context";
import { type Piece, piecesFor, type Tile, TileCache, tileKey, tilesFor } from "./tiles";

const rest = 60;

export interface Tiles {
  pieces: Piece[];
  /** Why finer tiles could not be had; the coarse ones stay. */
  problem: DocumentError | null;
  waiting: boolean;
}

export function useTiles(
  whole: TimelineDocument,
  window: Range,
  bounds: Range,
  width: number,
  thread: Parameters,
): Tiles {
  const { client, generation } = useApp();
  const [turn, draw] = useReducer((now: number) => now + 1, 0);
  const cache = useMemo(() => new TileCache(), [generation, thread.thread]);
  const problem = useRef<DocumentError | null>(null);
  const asked = useRef(new Set<string>());
  const left = useRef(false);
  useEffect(
    () => () => {
      left.current = true;
    },
    [],
  );
  const tiles = tilesFor(window, bounds, width);
  const names = tiles?.map(tileKey).join(" ") ?? "";
  useEffect(() => {
    const missing = (tiles ?? []).filter((tile) => !cache.get(tile));
    if (missing.length === 0 || width === 0) {
      return undefined;
    }
    const ask = async (tile: Tile) => {
      const key = tileKey(tile);
      if (asked.current.has(key)) {
        return;
      }
      asked.current.add(key);
      try {
        const document = await client.get("timeline", {
          from: tile.from,
          to: tile.to,
          width: tile.width === 1000 ? null : tile.width,
          ...thread,
        });
        cache.put(tile, document);
        if (isPartial(document) && !left.current) {
          setTimeout(() => void ask(tile), partialRest);
        }
        problem.current = null;
      } catch (trouble) {
        problem.current = trouble as DocumentError;
      }
      asked.current.delete(key);
      draw(undefined);
    };
    const timer = setTimeout(() => missing.forEach((tile) => void ask(tile)), rest);
    return () => clearTimeout(timer);
  }, [names, cache, width === 0]);
  const pieces = useMemo(
    () => piecesFor(window, tiles, cache, whole),
    [window.from, window.to, names, cache, whole, turn],
  );
  return {
    pieces,
    problem: tiles ? problem.current : null,
    waiting: pieces.some((piece) => !piece.fresh) && problem.current === null,
  };
}
