// Colours of charts, read from the style sheet, so that a canvas and the page around it look the same.
import { useEffect, useState } from "preact/hooks";
import { type Category, categories } from "../data/documents";

export interface Theme {
  text: string;
  dim: string;
  line: string;
  ground: string;
  raised: string;
  accent: string;
  /** The colour of found frames. */
  found: string;
  /** Text over a category's colour, and over heat. */
  ink: string;
  category: Record<Category, string>;
  /** Heat from nothing to full. */
  heat: readonly string[];
  mono: string;
  sans: string;
}

export function readTheme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const get = (name: string) => style.getPropertyValue(name).trim();
  const category = {} as Record<Category, string>;
  for (const name of categories) {
    category[name] = get(`--cat-${name}`);
  }
  return {
    text: get("--text"),
    dim: get("--dim"),
    line: get("--line"),
    ground: get("--ground"),
    raised: get("--raised"),
    accent: get("--accent"),
    found: get("--found"),
    ink: get("--ink"),
    category,
    heat: Array.from({ length: 9 }, (_, step) => get(`--heat-${step}`)),
    mono: get("--mono"),
    sans: get("--sans"),
  };
}

/** The theme; components are drawn again when it changes. */
export function useTheme(): Theme {
  const [theme, setTheme] = useState(readTheme);
  useEffect(() => {
    const read = () => setTheme(readTheme());
    const queries = ["(prefers-color-scheme: dark)", "(prefers-contrast: more)"].map((text) => matchMedia(text));
    for (const query of queries) {
      query.addEventListener("change", read);
    }
    window.addEventListener("clew-theme", read);
    return () => {
      for (const query of queries) {
        query.removeEventListener("change", read);
      }
      window.removeEventListener("clew-theme", read);
    };
  }, []);
  return theme;
}
