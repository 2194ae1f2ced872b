// Which parts of the timeline to ask for. Windows are covered by tiles: their length is a power of two, so that a
// window that moves asks for few new ones, and one asked for twice is the same document.
import { type Range, span } from "../../charts/axis";
import type { TimelineDocument } from "../../data/events";

export interface Tile extends Range {
  readonly width: number;
}

/** Columns of a tile: a window shows between one and two tiles' lengths. */
export function columnsFor(pixels: number): number {
  return pixels > 1100 ? 2000 : 1000;
}

/** The tiles that cover a window, or null where the document of the whole session is the one to show. */
export function tilesFor(window: Range, bounds: Range, pixels: number): Tile[] | null {
  if (span(window) > 0.75 * span(bounds)) {
    return null;
  }
  const length = 2 ** Math.max(5, Math.ceil(Math.log2(span(window))) - 1);
  const tiles: Tile[] = [];
  for (let from = Math.floor(window.from / length) * length; from < window.to; from += length) {
    const begin = Math.max(from, bounds.from);
    const end = Math.min(from + length, bounds.to);
    if (end > begin) {
      tiles.push({ from: begin, to: end, width: columnsFor(pixels) });
    }
  }
  return tiles;
}

export function tileKey(tile: Tile): string {
  return `${tile.from}-${tile.to}/${tile.width}`;
}

/** A document and the part of the window that it is drawn into. */
export interface Piece extends Range {
  readonly document: TimelineDocument;
  /** Whether it is the document that was asked for, not an older and coarser one. */
  readonly fresh: boolean;
}

/** Documents at hand, the last used ones up to a limit. */
export class TileCache {
  readonly #held = new Map<string, TimelineDocument>();
  constructor(private readonly limit = 48) {}

  get size(): number {
    return this.#held.size;
  }

  put(tile: Tile, document: TimelineDocument): void {
    this.#held.delete(tileKey(tile));
    this.#held.set(tileKey(tile), document);
    for (const key of this.#held.keys()) {
      if (this.#held.size <= this.limit) {
        return;
      }
      this.#held.delete(key);
    }
  }

  get(tile: Tile): TimelineDocument | null {
    const key = tileKey(tile);
    const found = this.#held.get(key);
    if (found) {
      this.#held.delete(key);
      this.#held.set(key, found);
    }
    return found ?? null;
  }

  /** The finest document at hand that covers the range. */
  covering(range: Range): TimelineDocument | null {
    let best: TimelineDocument | null = null;
    for (const document of this.#held.values()) {
      const fits = document.from_ns <= range.from && document.to_ns >= range.to;
      if (fits && (!best || document.to_ns - document.from_ns < best.to_ns - best.from_ns)) {
        best = document;
      }
    }
    return best;
  }

  clear(): void {
    this.#held.clear();
  }
}

/** What to draw now: each tile if it is there, else the best that is, else the whole session's. */
export function piecesFor(
  window: Range,
  tiles: Tile[] | null,
  cache: TileCache,
  whole: TimelineDocument | null,
): Piece[] {
  if (!tiles) {
    return whole ? [{ ...window, document: whole, fresh: true }] : [];
  }
  return tiles.flatMap((tile) => {
    const exact = cache.get(tile);
    const part = { from: Math.max(tile.from, window.from), to: Math.min(tile.to, window.to) };
    const document = exact ?? cache.covering(part) ?? whole;
    return document && part.to > part.from ? [{ ...part, document, fresh: exact !== null }] : [];
  });
}
