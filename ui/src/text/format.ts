// Numbers for people: at most four significant digits, thin spaces between thousands, the unit apart from the number.

export interface Quantity {
  number: string;
  unit: string;
}

const thin = "\u2009";
const unknown: Quantity = { number: "–", unit: "" };

export function isKnown(value: number | null | undefined): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** A whole number, every digit: 12 431 004. */
export function digits(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+(?!\d))/g, thin);
}

/** At most four significant digits, no exponent. */
export function significant(value: number, most = 4): string {
  const size = Math.abs(value);
  if (size >= 10 ** (most - 1)) {
    return digits(value);
  }
  if (size === 0) {
    return "0";
  }
  const before = Math.max(1, Math.floor(Math.log10(size)) + 1);
  return value.toFixed(Math.max(0, Math.min(most - before, 3)));
}

function scaled(value: number, steps: readonly (readonly [number, string])[]): Quantity {
  for (const [size, unit] of steps) {
    if (Math.abs(value) >= size * 0.99995) {
      return { number: significant(value / size), unit };
    }
  }
  const [size, unit] = steps[steps.length - 1] as readonly [number, string];
  return { number: significant(value / size), unit };
}

const times = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
] as const;

/** A duration in ns. */
export function time(ns: number | null | undefined): Quantity {
  if (!isKnown(ns)) {
    return unknown;
  }
  return Number.isInteger(ns) && Math.abs(ns) < 1000 ? { number: digits(ns), unit: "ns" } : scaled(ns, times);
}

/** A count: every digit below a million, four above. */
export function count(value: number | null | undefined): Quantity {
  if (!isKnown(value)) {
    return unknown;
  }
  if (Math.abs(value) < 1e6) {
    return { number: digits(value), unit: "" };
  }
  return scaled(value, [
    [1e12, "T"],
    [1e9, "G"],
    [1e6, "M"],
  ]);
}

export function bytes(value: number | null | undefined): Quantity {
  if (!isKnown(value)) {
    return unknown;
  }
  return Math.abs(value) < 1024
    ? { number: digits(value), unit: "B" }
    : scaled(value, [
        [2 ** 40, "TiB"],
        [2 ** 30, "GiB"],
        [2 ** 20, "MiB"],
        [2 ** 10, "KiB"],
      ]);
}

/** A share of 1 as a percentage: 38.2 %. */
export function share(part: number, whole: number): Quantity {
  if (!isKnown(part) || !isKnown(whole) || whole <= 0) {
    return unknown;
  }
  const value = (100 * part) / whole;
  if (value > 0 && value < 0.05) {
    return { number: "<0.1", unit: "%" };
  }
  return { number: value >= 99.95 ? value.toFixed(0) : value.toFixed(1), unit: "%" };
}

export function plain(quantity: Quantity): string {
  return quantity.unit ? `${quantity.number} ${quantity.unit}` : quantity.number;
}

/** The exact value, for tooltips. */
export function exactTime(ns: number | null | undefined): string {
  return isKnown(ns) ? `${digits(ns)} ns` : "not known";
}

/** A moment of the session, in seconds with as many digits as a step of `step` ns needs. */
export function moment(ns: number | null | undefined, step = 1e3): string {
  if (!isKnown(ns)) {
    return "–";
  }
  const places = Math.max(0, Math.min(9, Math.ceil(9 - Math.log10(Math.max(1, step)))));
  return `${(ns / 1e9).toFixed(places)} s`;
}
