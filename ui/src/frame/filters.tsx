// The filters of the place, as chips that can be removed, and what the view does not follow of them.
import { one } from "../data/place";
import { bounded } from "../text/foreign";
import { isKnown, plain, time } from "../text/format";
import { viewOf } from "../views/registry";
import type { View } from "../views/view";
import { type Chip, chipsOf, type FilterKind } from "./chips";
import { physicalBy, useApp, usePlace, useTree } from "./context";

/** Says that times of the tree are not exact yet, and by how much. */
function Bound() {
  const tree = useTree();
  const document = tree.value?.document;
  if (!document || document.exact || !tree.fits) {
    return null;
  }
  const why = document.why ? bounded(document.why, 300) : "Times at the ends of the range are estimated";
  return (
    <span class="chip warn" title={why}>
      ≈ {isKnown(document.bound_ns) ? `times are within ${plain(time(document.bound_ns))}` : "times are estimated"}
    </span>
  );
}

const kindNames: Record<FilterKind, string> = {
  range: "the range of time",
  thread: "the choice of threads",
  method: "filters by method",
  apart: "threads apart",
};

/** Says which of the filters the view does not follow. */
function Ignored({ chips, view }: { chips: readonly Chip[]; view: View | null }) {
  const kinds = [...new Set(chips.map((chip) => chip.kind))].filter((kind) => view?.ignores?.includes(kind));
  if (!view || kinds.length === 0) {
    return null;
  }
  const names = kinds.map((kind) => kindNames[kind]).join(", ");
  const all = chips.every((chip) => kinds.includes(chip.kind));
  return (
    <span class="chip warn" role="status">
      {all ? `whole session: ${view.title} does not follow ${names}` : `${view.title} does not follow ${names}`}
    </span>
  );
}

/** Says that a filter leaves the physical view alone, where the recording has the logical one. */
function Physical({ view }: { view: View | null }) {
  const { session } = useApp();
  const place = usePlace();
  const by = physicalBy(place, view?.callTree === "apart" && one(place, "apart") === "1");
  if (!session.page.has.logical || !view?.callTree || !by) {
    return null;
  }
  const what = { range: "a range of time", thread: "a single thread", apart: "threads apart" }[by];
  const title = "Async methods are shown below what resumed them. Who called them is known of whole processes.";
  return (
    <span class="chip warn" role="status" title={title}>
      physical view: {what} has no logical callers
    </span>
  );
}

export function Filters() {
  const { store } = useApp();
  const place = usePlace();
  const chips = chipsOf(place);
  if (chips.length === 0) {
    return null;
  }
  return (
    <nav class="filters" aria-label="Filters">
      <span class="dim">Shown:</span>
      {chips.map((chip) => (
        <span
          key={chip.key}
          class={viewOf(place.view)?.ignores?.includes(chip.kind) ? "chip ignored" : "chip"}
          title={chip.title}
        >
          {chip.label}
          <button type="button" aria-label={`Remove the filter ${chip.label}`} onClick={() => store.go(chip.without)}>
            ×
          </button>
        </span>
      ))}
      <Bound />
      <Physical view={viewOf(place.view)} />
      <Ignored chips={chips} view={viewOf(place.view)} />
      {chips.length > 1 && (
        <button
          type="button"
          class="quiet"
          onClick={() =>
            store.set({
              from: null,
              to: null,
              thread: null,
              under: null,
              hide: null,
              without: null,
              mine: null,
              apart: null,
            })
          }
        >
          Remove all
        </button>
      )}
    </nav>
  );
}
