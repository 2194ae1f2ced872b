// What can be done with a method anywhere: select it, focus on it, hide it.
import type { Category } from "../data/documents";
import { all, type Store } from "../data/place";
import type { Method } from "../data/tree";

export const categoryNames: Record<Category, string> = {
  mine: "my code",
  package: "package",
  framework: "framework",
  runtime: "runtime",
  gc: "garbage collection",
  jit: "compiling",
  waiting: "waiting",
  other: "other",
};

/** Shows only what ran below the method. */
export function focusOn(store: Store, method: Method): void {
  store.set({ under: [...all(store.place, "under").filter((key) => key !== method.key), method.key] });
}

/** Leaves the method out. */
export function hide(store: Store, method: Method): void {
  store.set({ hide: [...all(store.place, "hide").filter((name) => name !== method.name), method.name] });
}

export function select(store: Store, method: Method | undefined): void {
  store.set({ method: method?.key ?? null }, "replace");
}
