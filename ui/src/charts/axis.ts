// The axis of time: ns to pixels and back, the steps of a ruler, zooming and panning within bounds.

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The shortest window that can be shown, in ns. */
export const shortest = 20;

export function span(range: Range): number {
  return range.to - range.from;
}

export function toPixel(range: Range, width: number, at: number): number {
  return ((at - range.from) / span(range)) * width;
}

export function toTime(range: Range, width: number, pixel: number): number {
  return range.from + (pixel / width) * span(range);
}

/** The window moved into the bounds, and made short or long enough for them. */
export function within(range: Range, bounds: Range): Range {
  const length = Math.min(Math.max(span(range), Math.min(shortest, span(bounds))), span(bounds));
  const from = Math.min(Math.max(range.from, bounds.from), bounds.to - length);
  return { from, to: from + length };
}

/** factor below 1 shows less. The moment `at` keeps its place on the screen. */
export function zoomed(range: Range, at: number, factor: number, bounds: Range): Range {
  const length = Math.min(Math.max(span(range) * factor, shortest), span(bounds));
  const ratio = (at - range.from) / span(range);
  const from = at - ratio * length;
  return within({ from, to: from + length }, bounds);
}

export function panned(range: Range, by: number, bounds: Range): Range {
  return within({ from: range.from + by, to: range.to + by }, bounds);
}

/** Whole ns, the smaller first; null if the two are the same. */
export function ordered(a: number, b: number): Range | null {
  const from = Math.round(Math.min(a, b));
  const to = Math.round(Math.max(a, b));
  return from < to ? { from, to } : null;
}

/** The window part-way between two, for a movement that explains. */
export function between(start: Range, end: Range, share: number): Range {
  const eased = share >= 1 ? 1 : 1 - (1 - share) ** 3;
  return {
    from: start.from + (end.from - start.from) * eased,
    to: start.to + (end.to - start.to) * eased,
  };
}

/** The smallest of 1, 2, 5 times a power of ten that is at least `least`. */
export function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1e-12)));
  const lead = [1, 2, 5, 10].find((digit) => digit * power >= least * 0.999999) ?? 10;
  return lead * power;
}

export interface Tick {
  at: number;
  label: string;
}

export interface Ruler {
  /** Moment that the labels count from, where a whole moment would be too long to read; else null. */
  base: number | null;
  baseLabel: string;
  step: number;
  ticks: Tick[];
}

const units = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
] as const;

/** A time in the unit of `size`, with as many places as a step of `step` ns needs. */
export function label(ns: number, size: number, step: number): string {
  const [scale, unit] = units.find(([least]) => Math.abs(size) >= least) ?? [1, "ns"];
  const places = Math.max(0, Math.min(9, Math.ceil(Math.log10(scale / step) - 1e-9)));
  return `${(ns / scale).toFixed(places)} ${unit}`;
}

/** Ticks at least `apart` pixels from each other. */
export function ruler(range: Range, width: number, apart = 110): Ruler {
  const step = Math.max(1, niceStep((span(range) * apart) / Math.max(width, 1)));
  const far = Math.abs(range.to) > step * 5e4;
  const round = 10 ** Math.ceil(Math.log10(span(range)));
  const base = far ? Math.floor(range.from / round) * round : null;
  const ticks: Tick[] = [];
  const size = range.to - (base ?? 0);
  for (let at = Math.ceil(range.from / step) * step; at <= range.to && ticks.length < 1000; at += step) {
    const text = label(at - (base ?? 0), size, step);
    ticks.push({ at, label: base === null ? text : `+${text}` });
  }
  return { base, baseLabel: base === null ? "" : label(base, base, Math.max(round, 1)), step, ticks };
}
