// How calls look: short names, and the category's colour in neighbouring shades.
import type { Theme } from "../../charts/theme";
import type { MethodRow } from "../../data/documents";
import { bounded } from "../../text/foreign";
import { splitName } from "../../text/name";
import type { Paint } from "./paint";

const shortNames = new WeakMap<MethodRow, string>();

export function short(method: MethodRow): string {
  let name = shortNames.get(method);
  if (name === undefined) {
    name = bounded(splitName(method.name).main, 120);
    shortNames.set(method, name);
  }
  return name;
}

const shades = new WeakMap<Theme, Map<string, string>>();

/** The category's colour, in four neighbouring shades, so that calls beside each other can be told apart. */
function shade(theme: Theme, method: MethodRow): string {
  const known = shades.get(theme) ?? new Map<string, string>();
  shades.set(theme, known);
  const key = `${method.category} ${method.name}`;
  let colour = known.get(key);
  if (colour === undefined) {
    let hash = 0;
    for (let at = 0; at < Math.min(method.name.length, 200); at++) {
      hash = (hash * 31 + method.name.charCodeAt(at)) >>> 0;
    }
    const base = theme.category[method.category] ?? theme.category.other;
    colour = `color-mix(in oklch, ${base} ${100 - ((hash >>> 3) % 4) * 11}%, ${theme.ground})`;
    known.set(key, colour);
  }
  return colour;
}

export function paintOf(theme: Theme): Paint {
  return {
    text: theme.text,
    dim: theme.dim,
    line: theme.line,
    back: theme.raised,
    accent: theme.accent,
    mono: theme.mono,
    sans: theme.sans,
    fill: (method) => shade(theme, method),
    ink: () => theme.ink,
  };
}
