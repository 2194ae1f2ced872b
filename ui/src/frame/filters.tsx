// The filters of the place, as chips in the order of their effect. Each can be removed; Backspace removes the last.

import type { Category } from "../data/documents";
import { all, changed, integer, one, type Place, type Store } from "../data/place";
import { bounded } from "../text/foreign";
import { isKnown, moment, plain, time } from "../text/format";
import { splitName } from "../text/name";
import { type View, viewOf } from "../views/registry";
import { categoryNames } from "./actions";
import { useApp, usePlace, useTree } from "./context";

/** What a filter chooses by; a view follows it or not. */
export type FilterKind = "range" | "thread" | "method" | "apart";

interface Chip {
  key: string;
  kind: FilterKind;
  label: string;
  title: string;
  without: Place;
}

function short(name: string): string {
  return bounded(splitName(name).main, 80);
}

export function chipsOf(place: Place): Chip[] {
  const chips: Chip[] = [];
  const from = integer(place, "from");
  const to = integer(place, "to");
  if (from !== null || to !== null) {
    const long = from !== null && to !== null ? ` (${plain(time(to - from))})` : "";
    const title = "Only this range of time";
    const label = `${from === null ? "start" : moment(from)} to ${to === null ? "end" : moment(to)}${long}`;
    chips.push({ key: "range", kind: "range", label, title, without: changed(place, { from: null, to: null }) });
  }
  for (const thread of all(place, "thread")) {
    const rest = all(place, "thread").filter((one) => one !== thread);
    const process = /^(\d+):\*$/.exec(thread)?.[1];
    chips.push({
      key: `thread ${thread}`,
      kind: "thread",
      label: process ? `process ${process}` : `thread ${thread}`,
      title: process ? "Only the threads of this process" : "Only this thread",
      without: changed(place, { thread: rest }),
    });
  }
  for (const name of all(place, "under")) {
    const rest = all(place, "under").filter((one) => one !== name);
    const title = `Only what ran below ${bounded(name, 1000)}`;
    chips.push({
      key: `under ${name}`,
      kind: "method",
      label: `under ${short(name)}`,
      title,
      without: changed(place, { under: rest }),
    });
  }
  for (const glob of all(place, "hide")) {
    const rest = all(place, "hide").filter((one) => one !== glob);
    const title = `Methods that match are not shown; their time counts as their callers' own: ${bounded(glob, 1000)}`;
    const label = `hide ${short(glob)}`;
    chips.push({ key: `hide ${glob}`, kind: "method", label, title, without: changed(place, { hide: rest }) });
  }
  for (const category of all(place, "without")) {
    const rest = all(place, "without").filter((one) => one !== category);
    const label = `without ${categoryNames[category as Category] ?? category}`;
    const title = "Left out; its time counts as its callers' own";
    chips.push({ key: label, kind: "method", label, title, without: changed(place, { without: rest }) });
  }
  if (one(place, "mine") === "1") {
    const title = "Other code's time counts as its callers' own";
    chips.push({ key: "mine", kind: "method", label: "my code", title, without: changed(place, { mine: null }) });
  }
  if (one(place, "apart") === "1") {
    const without = changed(place, { apart: null });
    chips.push({ key: "apart", kind: "apart", label: "threads apart", title: "Not merged", without });
  }
  return chips;
}

/** Whether filters leave something out of the session. */
export function narrows(place: Place): boolean {
  return chipsOf(place).some((chip) => chip.kind !== "apart");
}

export function popFilter(store: Store): void {
  const last = chipsOf(store.place).at(-1);
  if (last) {
    store.go(last.without);
  }
}

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
