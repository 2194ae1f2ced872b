// What trees have of async methods: figures of the nodes, and the places where activations waited.
import type { AsyncColumns, AwaitPlace } from "./documents";
import { type AsyncFigures, asyncFigures, asyncNames, emptyFigure, emptyFigures } from "./figures";

/** Where activations of nodes waited: a node has one for each place. */
export interface Awaits {
  readonly node: Int32Array;
  /** Index in `places`. */
  readonly place: Int32Array;
  readonly count: Float64Array;
  readonly awaiting: Float64Array;
  readonly places: readonly AwaitPlace[];
}

export interface Async extends AsyncFigures {
  readonly awaits: Awaits;
}

/** Empty columns for a tree that is made of one with these. Its awaits are those of the old one until they are moved. */
export function emptyAsync(of: Async | null, count: number): Async | null {
  return of && { ...emptyFigures(asyncNames, count), awaits: of.awaits };
}

/** The awaits of nodes that get other numbers; those whose number is negative are left out. */
export function movedAwaits(awaits: Awaits, to: ArrayLike<number>): Awaits {
  const kept = awaits.node.map((_, at) => at).filter((at) => (to[awaits.node[at]] as number) >= 0);
  return {
    node: kept.map((at) => to[awaits.node[at]] as number),
    place: kept.map((at) => awaits.place[at]),
    count: Float64Array.from(kept, (at) => awaits.count[at]),
    awaiting: Float64Array.from(kept, (at) => awaits.awaiting[at]),
    places: awaits.places,
  };
}

/**
 * What a document has, for the nodes from `shift` on of a tree in which parents come first. The time in which activations below
 * a node that is not async waited is added up.
 */
export function asyncOf(columns: AsyncColumns, parent: Int32Array, count: number, shift: number): Async {
  const figures = emptyFigures(asyncNames, count);
  const known = new Uint8Array(count);
  columns.node.forEach((node, row) => {
    known[shift + node] = 1;
    for (const name of asyncNames) {
      figures[name][shift + node] = columns[asyncFigures[name].key][row] ?? emptyFigure(name);
    }
  });
  for (let node = count - 1; node >= 0; node--) {
    const above = parent[node];
    if (above >= 0 && !known[above]) {
      figures.awaiting[above] += figures.awaiting[node];
    }
  }
  const { node, place, count: counts, awaiting_ns } = columns.awaits;
  return {
    ...figures,
    awaits: {
      node: Int32Array.from(node, (at) => at + shift),
      place: Int32Array.from(place),
      count: Float64Array.from(counts),
      awaiting: Float64Array.from(awaiting_ns, (ns) => ns ?? 0),
      places: columns.places,
    },
  };
}

/** The columns of some nodes: place has the new number of each, or -1. */
export function pickAsync(columns: AsyncColumns, place: ArrayLike<number>): AsyncColumns {
  const pick = <T extends { node: number[] }>(from: T): T => {
    const kept = from.node.map((_, row) => row).filter((row) => (place[from.node[row] as number] as number) >= 0);
    return Object.fromEntries(
      Object.entries(from).map(([key, values]) => [key, kept.map((row) => (values as unknown[])[row])]),
    ) as T;
  };
  const { awaits, places, ...rows } = columns;
  const moved = (nodes: number[]) => nodes.map((node) => place[node] as number);
  const [some, waits] = [pick(rows), pick(awaits)];
  return { ...some, node: moved(some.node), awaits: { ...waits, node: moved(waits.node) }, places };
}

/** What waited at a place. */
export interface Await {
  place: AwaitPlace;
  count: number;
  awaiting: number;
}

/** The awaits of some nodes by place, most time first. */
export function awaitsOf(async: Async | null, takes: (node: number) => boolean): Await[] {
  const found = new Map<number, Await>();
  async?.awaits.node.forEach((node, at) => {
    if (takes(node)) {
      const { places, place, count, awaiting } = async.awaits;
      const row = found.get(place[at]) ?? { place: places[place[at]] as AwaitPlace, count: 0, awaiting: 0 };
      row.count += count[at];
      row.awaiting += awaiting[at];
      found.set(place[at], row);
    }
  });
  return [...found.values()].sort((a, b) => b.awaiting - a.awaiting || b.count - a.count);
}

/** As `clew report --json` has it. */
export interface AwaitRow extends Pick<AwaitPlace, "what" | "file" | "line"> {
  count: number;
  awaiting_ns: number;
}

export function awaitRow({ place: { what, file, line }, count, awaiting }: Await): AwaitRow {
  return { what, file, line, count, awaiting_ns: awaiting };
}

/** The awaits of each node that has any, most time first. */
export function awaitRows(async: Async | null): Map<number, AwaitRow[]> {
  const found = new Map<number, AwaitRow[]>();
  for (const node of new Set(async?.awaits.node)) {
    found.set(node, awaitsOf(async, (one) => one === node).map(awaitRow));
  }
  return found;
}

/** The members of an async node or method in JSON, as the report has them; none of another. */
export function asyncRow(of: AsyncFigures | null, at: number, timed: boolean): Record<string, number | boolean | null> {
  if (!of || of.runs[at] === 0) {
    return {};
  }
  const ns = (value: number) => (timed && !Number.isNaN(value) ? value : null);
  return {
    runs: of.runs[at],
    pending: of.pending[at],
    ...(of.unknownEnds[at] > 0 && { unknown_ends: of.unknownEnds[at] }),
    cancelled: of.cancelled[at],
    latency_ns: ns(of.latency[at]),
    latency_min_ns: ns(of.latencyMin[at]),
    latency_max_ns: ns(of.latencyMax[at]),
    own_awaiting_ns: ns(of.ownAwaiting[at]),
    awaiting_ns: ns(of.awaiting[at]),
    parallel: of.parallel[at] > 0,
    ...(of.folded[at] > 0 && { folded: true }),
  };
}

/** The mean latency of the activations that ended; NaN: none has. */
export function meanLatency(of: Pick<AsyncFigures, "latency" | "ended"> | null, at: number): number {
  return of && of.ended[at] > 0 ? of.latency[at] / of.ended[at] : Number.NaN;
}
