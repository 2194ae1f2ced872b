// The histogram of latencies on a logarithmic axis: bars, ticks and places, by pure functions.
import type { Latencies } from "../../data/documents";

/** A bar: latencies from `from` to `to` (ns, not included). */
export interface Bar {
  from: number;
  to: number;
  count: number;
}

/** The shown latencies, in ns: both above 0. */
export interface Span {
  from: number;
  to: number;
}

/** Whole powers of a tenth around what was measured, so that the axis begins and ends at a place that can be read. */
export function spanOf(buckets: readonly Latencies[]): Span {
  const first = Math.max(1, Math.min(...buckets.map((bucket) => bucket.from_ns)));
  const last = Math.max(first + 1, ...buckets.map((bucket) => bucket.to_ns));
  const step = (value: number, round: (value: number) => number) => 10 ** (round(Math.log10(value) * 5) / 5);
  return { from: step(first, Math.floor), to: step(last, Math.ceil) };
}

/** 0 to 1 from left to right. */
export function placeOf(span: Span, ns: number): number {
  const share = Math.log(Math.max(ns, span.from) / span.from) / Math.log(span.to / span.from);
  return Math.min(1, share);
}

export function latencyAt(span: Span, place: number): number {
  return span.from * (span.to / span.from) ** place;
}

/**
 * The buckets of the recording, which are within 6 % wide, as at most `most` bars of equal width on the axis: each bucket counts
 * in the bar that has its middle. Bars without latencies are left out.
 */
export function barsOf(buckets: readonly Latencies[], span: Span, most: number): Bar[] {
  const counts = new Map<number, number>();
  for (const { from_ns, to_ns, count } of buckets) {
    const middle = Math.sqrt(Math.max(1, from_ns) * Math.max(1, to_ns));
    const at = Math.min(most - 1, Math.floor(placeOf(span, middle) * most));
    counts.set(at, (counts.get(at) ?? 0) + count);
  }
  return [...counts]
    .sort(([a], [b]) => a - b)
    .map(([at, count]) => ({ from: latencyAt(span, at / most), to: latencyAt(span, (at + 1) / most), count }));
}

/** How many bars a picture of this width has: no narrower than a bucket, nor than can be told apart. */
export function barCount(span: Span, width: number): number {
  const buckets = Math.log(span.to / span.from) / Math.log(1.07);
  return Math.max(1, Math.floor(Math.min(buckets, width / 7)));
}

/** 1, 10, 100 and so on, and in short spans 2 and 5 as well. */
export function ticksOf(span: Span): number[] {
  const leads = span.to / span.from > 2000 ? [1] : [1, 2, 5];
  const ticks: number[] = [];
  for (let power = 10 ** Math.floor(Math.log10(span.from)); power <= span.to; power *= 10) {
    ticks.push(...leads.map((lead) => Math.round(lead * power)).filter((ns) => ns >= span.from && ns <= span.to));
  }
  return ticks;
}

/** The bar at a place of the picture (0 to 1). */
export function barAt(bars: readonly Bar[], span: Span, place: number): Bar | null {
  const ns = latencyAt(span, place);
  return bars.find((bar) => ns >= bar.from && ns < bar.to) ?? null;
}
