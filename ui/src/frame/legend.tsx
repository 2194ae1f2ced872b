// The categories in sight, with their share of own time. A click leaves a category out, and takes it in again.
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { type Category, categories } from "../data/documents";
import { all } from "../data/place";
import type { Shown } from "../data/shown";
import { headKind } from "../data/tree";
import { share } from "../text/format";
import { categoryNames } from "./actions";
import { useApp, usePlace } from "./context";
import { Number_ } from "./text";

function ownByCategory(shown: Shown): Map<Category, number> {
  const { full, tree } = shown;
  const sums = new Map<Category, number>();
  for (const method of full.methods) {
    if (method.kind !== headKind) {
      sums.set(method.category, 0);
    }
  }
  const weight = tree.timed ? tree.own : tree.calls;
  for (let node = 0; node < tree.count; node++) {
    const method = tree.methods[tree.method[node]];
    if (method && method.kind !== headKind) {
      sums.set(method.category, (sums.get(method.category) ?? 0) + weight[node]);
    }
  }
  return sums;
}

/** children: what else the view's picture means. */
export function Legend({ shown, children }: { shown: Shown; children?: ComponentChildren }) {
  const { store } = useApp();
  const out = all(usePlace(), "without");
  const sums = useMemo(() => ownByCategory(shown), [shown]);
  const whole = [...sums.values()].reduce((a, b) => a + b, 0);
  return (
    <div class="legend" role="group" aria-label="Categories">
      {categories
        .filter((category) => sums.has(category))
        .map((category) => (
          <button
            key={category}
            type="button"
            aria-pressed={!out.includes(category)}
            title={`${categoryNames[category]}: share of own time. A click leaves it out; its time counts as its callers' own`}
            onClick={() =>
              store.set({
                without: out.includes(category) ? out.filter((one) => one !== category) : [...out, category],
              })
            }
          >
            <i class={`dot cat-${category}`} aria-hidden="true" />
            {categoryNames[category]}
            {whole > 0 && <Number_ of={share(sums.get(category) ?? 0, whole)} />}
          </button>
        ))}
      {children}
    </div>
  );
}
