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

/** Sampled CPU time of the node or method itself. */
export function ownCpu(of: Figures, at: number): number {
  return (of.cpuUser[at] ?? 0) + (of.cpuKernel[at] ?? 0);
}

export type Figure = keyof typeof figures;
export type FigureKey = (typeof figures)[Figure]["key"];

export const figureNames = Object.keys(figures) as Figure[];

/** A column for each figure. Least and most are NaN where no activation ended, or times are not known. */
export type Figures = Readonly<Record<Figure, Float64Array>>;

export function eachFigure<T>(make: (name: Figure) => T): Record<Figure, T> {
  return Object.fromEntries(figureNames.map((name) => [name, make(name)])) as Record<Figure, T>;
}

export function eachFigureKey<T>(make: (key: FigureKey) => T): Record<FigureKey, T> {
  return Object.fromEntries(figureNames.map((name) => [figures[name].key, make(figures[name].key)])) as Record<
    FigureKey,
    T
  >;
}

/** The figure of what has run nothing. */
export function emptyFigure(name: Figure): number {
  const { adds } = figures[name];
  return adds === "least" || adds === "most" ? Number.NaN : 0;
}

export function emptyFigures(count: number): Figures {
  return eachFigure((name) => new Float64Array(count).fill(emptyFigure(name)));
}

/** Figures whose sums over a method's nodes are those of its outermost nodes alone, and the others. */
export const nested = figureNames.filter((name) => figures[name].adds === "nested");
export const plain = figureNames.filter((name) => figures[name].adds !== "nested");

/**
 * Adds the figures of the nodes `first`, `first + 1` and so on to those at target[0], target[1] and so on, or nowhere if that is
 * negative. It goes column by column: trees have 100,000s of nodes.
 */
export function addFigures(
  into: Figures,
  from: Figures,
  target: Int32Array,
  names: readonly Figure[],
  first = 0,
): void {
  for (const name of names) {
    add[figures[name].adds](into[name], from[name], target, first);
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
