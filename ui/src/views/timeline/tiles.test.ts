import { describe, expect, it } from "vitest";
import type { TimelineDocument } from "../../data/events";
import { piecesFor, TileCache, tilesFor } from "./tiles";

const bounds = { from: 0, to: 1e9 };

function made(from: number, to: number): TimelineDocument {
  return { exact: true, from_ns: from, to_ns: to, methods: [], lanes: [] };
}

describe("tiles", () => {
  it("are not needed for the whole session", () => {
    expect(tilesFor(bounds, bounds, 1000)).toBeNull();
    expect(tilesFor({ from: 0, to: 8e8 }, bounds, 1000)).toBeNull();
  });

  it("cover a window without a gap and are few", () => {
    for (const length of [100, 5e4, 3e6, 6e8]) {
      for (const from of [0, 77, 3.3e8]) {
        const window = { from, to: from + length };
        const tiles = tilesFor(window, bounds, 1000) ?? [];
        expect(tiles.length).toBeGreaterThanOrEqual(1);
        expect(tiles.length).toBeLessThanOrEqual(3);
        expect(tiles[0]?.from).toBeLessThanOrEqual(window.from);
        expect(tiles[tiles.length - 1]?.to).toBeGreaterThanOrEqual(Math.min(window.to, bounds.to));
        tiles.slice(1).forEach((tile, index) => {
          expect(tile.from).toBe(tiles[index]?.to);
        });
      }
    }
  });

  it("stay the same while the window moves a little", () => {
    const first = tilesFor({ from: 1_000_000, to: 1_200_000 }, bounds, 1000) ?? [];
    const second = tilesFor({ from: 1_000_700, to: 1_200_700 }, bounds, 1000) ?? [];
    expect(second).toEqual(first);
  });
});

describe("the cache of tiles", () => {
  it("forgets those not used for longest", () => {
    const cache = new TileCache(2);
    const [a, b, c] = [0, 10, 20].map((from) => ({ from, to: from + 10, width: 1000 })) as [never, never, never];
    cache.put(a, made(0, 10));
    cache.put(b, made(10, 20));
    cache.get(a);
    cache.put(c, made(20, 30));
    expect(cache.size).toBe(2);
    expect(cache.get(b)).toBeNull();
    expect(cache.get(a)).not.toBeNull();
  });

  it("shows an older document until the one that was asked for is there", () => {
    const cache = new TileCache();
    const whole = made(0, 1e9);
    const window = { from: 1000, to: 5000 };
    const tiles = tilesFor(window, bounds, 1000) ?? [];
    expect(piecesFor(window, tiles, cache, whole).every((piece) => piece.document === whole && !piece.fresh)).toBe(
      true,
    );
    const middle = made(0, 8192);
    cache.put({ from: 0, to: 8192, width: 1000 }, middle);
    expect(piecesFor(window, tiles, cache, whole).every((piece) => piece.document === middle)).toBe(true);
    for (const tile of tiles) {
      cache.put(tile, made(tile.from, tile.to));
    }
    const pieces = piecesFor(window, tiles, cache, whole);
    expect(pieces.every((piece) => piece.fresh)).toBe(true);
    expect(pieces[0]?.from).toBe(1000);
    expect(pieces[pieces.length - 1]?.to).toBe(5000);
  });
});
