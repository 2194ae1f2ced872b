// Values of a variable as pictures: steps for numbers, a strip of categories for others, and how often each occurs.
import type { ValueMoment } from "../../data/events";
import { valueText } from "../story/rows";

export interface Point {
  at: number;
  value: number;
}

const numeric: ReadonlySet<string> = new Set(
  [
    "Byte",
    "SByte",
    "Int16",
    "UInt16",
    "Int32",
    "UInt32",
    "Int64",
    "UInt64",
    "Int128",
    "UInt128",
    "IntPtr",
    "UIntPtr",
    "Single",
    "Double",
    "Half",
    "Decimal",
  ].map((name) => `System.${name}`),
);

export function numericType(type: string | null | undefined): boolean {
  return numeric.has(type ?? "");
}

/** The number of a value of a numeric type; null: null, not captured, NaN or another type. */
export function numberOf(moment: ValueMoment): number | null {
  if (moment.value === null || moment.value === undefined || !numeric.has(moment.type ?? "")) {
    return null;
  }
  const number = Number(moment.value === "Infinity" || moment.value === "-Infinity" ? Number.NaN : moment.value);
  return Number.isFinite(number) ? number : null;
}

/** Whether a step line shows them: most are numbers. */
export function isNumeric(moments: readonly ValueMoment[]): boolean {
  const known = moments.filter((moment) => !valueText(moment).isNull && moment.not_captured === undefined);
  return known.length > 0 && known.filter((moment) => numeric.has(moment.type ?? "")).length >= known.length * 0.9;
}

/** The text of a value, with the object's number where it has one. */
export function textOf(moment: ValueMoment): string {
  const { text } = valueText(moment);
  const isText = moment.type === "System.String" || moment.type === "System.Char";
  return moment.object !== null && moment.object !== undefined && !isText ? `${text} #${moment.object}` : text;
}

/** Whether the value differs from the one before it, for each moment. The first counts as no change. */
export function changesOf(moments: readonly ValueMoment[]): boolean[] {
  return moments.map((moment, index) => {
    const before = moments[index - 1];
    return before !== undefined && textOf(before) !== textOf(moment);
  });
}

export interface Scale {
  low: number;
  high: number;
}

export function scaleOf(points: readonly Point[]): Scale {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const point of points) {
    low = Math.min(low, point.value);
    high = Math.max(high, point.value);
  }
  if (!Number.isFinite(low)) {
    return { low: 0, high: 1 };
  }
  const room = high > low ? (high - low) * 0.06 : Math.max(1, Math.abs(low) * 0.1);
  return { low: low - room, high: high + room };
}

/** For each pixel the lowest, highest and last value: a million points draw as fast as a thousand. */
export interface Columns {
  low: Float64Array;
  high: Float64Array;
  last: Float64Array;
  count: Uint32Array;
}

export function columnsOf(points: readonly Point[], from: number, to: number, width: number): Columns {
  const columns: Columns = {
    low: new Float64Array(width).fill(Number.NaN),
    high: new Float64Array(width).fill(Number.NaN),
    last: new Float64Array(width).fill(Number.NaN),
    count: new Uint32Array(width),
  };
  for (const { at, value } of points) {
    const x = Math.min(width - 1, Math.floor(((at - from) / Math.max(1, to - from)) * width));
    if (x < 0 || at > to) {
      continue;
    }
    columns.low[x] = columns.count[x] === 0 ? value : Math.min(columns.low[x] as number, value);
    columns.high[x] = columns.count[x] === 0 ? value : Math.max(columns.high[x] as number, value);
    columns.last[x] = value;
    columns.count[x] = (columns.count[x] as number) + 1;
  }
  return columns;
}

export interface Bin {
  label: string;
  count: number;
  /** Of a bin of numbers. */
  low?: number;
  high?: number;
}

function tidy(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) {
    return String(value);
  }
  const size = Math.abs(value);
  return size >= 1e7 || size < 1e-3
    ? value.toPrecision(3)
    : size >= 100
      ? value.toFixed(0)
      : value.toPrecision(4).replace(/\.?0+$/, "");
}

/** How often numbers fall into bins of equal width; whole numbers of a small range have a bin each. */
export function histogram(values: readonly number[], most = 24): Bin[] {
  if (values.length === 0) {
    return [];
  }
  const low = values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const high = values.reduce((largest, value) => Math.max(largest, value), Number.NEGATIVE_INFINITY);
  const whole = values.every(Number.isInteger);
  if (low === high) {
    return [{ label: tidy(low), count: values.length, low, high }];
  }
  const single = whole && high - low < most;
  const bins = single ? high - low + 1 : most;
  const width = single ? 1 : (high - low) / bins;
  const counts = new Array<number>(bins).fill(0);
  for (const value of values) {
    const bin = Math.min(bins - 1, Math.floor((value - low) / width));
    counts[bin] = (counts[bin] as number) + 1;
  }
  return counts.map((count, bin) => {
    const from = low + bin * width;
    return {
      label: single ? tidy(from) : `${tidy(from)} to ${tidy(from + width)}`,
      count,
      low: from,
      high: from + width,
    };
  });
}

/** The most frequent values, and the others together. */
export function categories(texts: readonly string[], most = 8): Bin[] {
  const counts = new Map<string, number>();
  for (const text of texts) {
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([a, first], [b, second]) => second - first || (a < b ? -1 : 1));
  const bins: Bin[] = sorted.slice(0, most).map(([label, count]) => ({ label, count }));
  const rest = sorted.slice(most).reduce((sum, [, count]) => sum + count, 0);
  return rest > 0 ? [...bins, { label: `${sorted.length - most} others`, count: rest }] : bins;
}
