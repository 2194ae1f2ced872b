// The figures of a node of a call tree. This is the page's list of them, as src/trace/figures.h is that of all other parts.

/**
 * key: in documents and reports. adds: how the figures of two nodes become one; those of nested ones are the callees' as well,
 * so that a method below itself adds nothing to the method's.
 */
export const figures = {
  calls: { key: "calls", adds: "sum" },
  open: { key: "open", adds: "sum" },
  exceptions: { key: "exceptions", adds: "sum" },
  own: { key: "own_ns", adds: "sum" },
  total: { key: "total_ns", adds: "nested" },
  min: { key: "min_ns", adds: "least" },
  max: { key: "max_ns", adds: "most" },
  cpuUser: { key: "own_cpu_user_ns", adds: "sum" },
  cpuKernel: { key: "own_cpu_kernel_ns", adds: "sum" },
} as const;

/**
 * Of async methods and async iterators, in logical trees. parallel: 1 where some of what ran or waited below overlapped;
 * folded: 1 where activations further down are in the row as well. Other
 * nodes have awaiting alone, that of the nodes below them.
 */
export const asyncFigures = {
  runs: { key: "runs", adds: "sum" },
  pending: { key: "pending", adds: "sum" },
  unknownEnds: { key: "unknown_ends", adds: "sum" },
  cancelled: { key: "cancelled", adds: "sum" },
  ended: { key: "ended", adds: "sum" },
  parallel: { key: "parallel", adds: "sum" },
  folded: { key: "folded", adds: "sum" },
  latency: { key: "latency_ns", adds: "sum" },
  latencyMin: { key: "latency_min_ns", adds: "least" },
  latencyMax: { key: "latency_max_ns", adds: "most" },
  ownAwaiting: { key: "own_awaiting_ns", adds: "sum" },
  awaiting: { key: "awaiting_ns", adds: "nested" },
} as const;

const every = { ...figures, ...asyncFigures };

/** Sampled CPU time of the node or method itself. */
export function ownCpu(of: Figures, at: number): number {
  return (of.cpuUser[at] ?? 0) + (of.cpuKernel[at] ?? 0);
}

export type Figure = keyof typeof figures;
export type FigureKey = (typeof figures)[Figure]["key"];
export type AsyncFigure = keyof typeof asyncFigures;
export type AsyncKey = (typeof asyncFigures)[AsyncFigure]["key"];

export const figureNames = Object.keys(figures) as Figure[];
export const asyncNames = Object.keys(asyncFigures) as AsyncFigure[];

type Columns<N extends string> = Readonly<Record<N, Float64Array>>;

/** A column for each figure. Least and most are NaN where no activation ended, or times are not known. */
export type Figures = Columns<Figure>;
export type AsyncFigures = Columns<AsyncFigure>;

/** An object with a member for each of these names. */
export function eachOf<N extends string, T>(names: readonly N[], make: (name: N) => T): Record<N, T> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<N, T>;
}

export function eachFigureKey<T>(make: (key: FigureKey) => T): Record<FigureKey, T> {
  return eachOf(
    figureNames.map((name) => figures[name].key),
    make,
  );
}

/** The figure of what has run nothing. */
export function emptyFigure(name: Figure | AsyncFigure): number {
  const { adds } = every[name];
  return adds === "least" || adds === "most" ? Number.NaN : 0;
}

/** Empty columns of these figures. */
export function emptyFigures<N extends Figure | AsyncFigure>(names: readonly N[], count: number): Columns<N> {
  return eachOf(names, (name) => new Float64Array(count).fill(emptyFigure(name)));
}

/** Whether the sum over a method's nodes is that of its outermost nodes alone. */
export function isNested(name: Figure | AsyncFigure): boolean {
  return every[name].adds === "nested";
}

export const nested = figureNames.filter(isNested);
export const plain = figureNames.filter((name) => !isNested(name));

/**
 * Adds the figures of the nodes `first`, `first + 1` and so on to those at target[0], target[1] and so on, or nowhere if that is
 * negative. It goes column by column: trees have 100,000s of nodes.
 */
export function addFigures<N extends Figure | AsyncFigure>(
  into: Columns<N>,
  from: Columns<N>,
  target: Int32Array,
  names: readonly N[],
  first = 0,
): void {
  for (const name of names) {
    add[every[name].adds](into[name], from[name], target, first);
  }
}

type Add = (to: Float64Array, of: Float64Array, target: Int32Array, first: number) => void;

const sum: Add = (to, of, target, first) => {
  for (let at = 0; at < target.length; at++) {
    if (target[at] >= 0) {
      to[target[at]] += of[first + at];
    }
  }
};

const least: Add = (to, of, target, first) => {
  for (let at = 0; at < target.length; at++) {
    const into = target[at];
    if (into >= 0 && (of[first + at] < to[into] || Number.isNaN(to[into]))) {
      to[into] = of[first + at];
    }
  }
};

const most: Add = (to, of, target, first) => {
  for (let at = 0; at < target.length; at++) {
    const into = target[at];
    if (into >= 0 && (of[first + at] > to[into] || Number.isNaN(to[into]))) {
      to[into] = of[first + at];
    }
  }
};

const add = { sum, nested: sum, least, most };
