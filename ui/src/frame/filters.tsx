// The filters of the place, as chips in the order of their effect. Each can be removed; Backspace removes the last.

import type { Category } from "../data/documents";
import { all, changed, integer, one, type Place, type Store } from "../data/place";
import { bounded } from "../text/foreign";
import { isKnown, moment, plain, time } from "../text/format";
import { splitName } from "../text/name";
import { categoryNames } from "./actions";
import { useApp, usePlace, useTree } from "./context";

interface Chip {
  key: string;
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
    const title = "The range of time that all views show";
    const label = `${from === null ? "start" : moment(from)} to ${to === null ? "end" : moment(to)}${long}`;
    chips.push({ key: "range", label, title, without: changed(place, { from: null, to: null }) });
  }
  for (const thread of all(place, "thread")) {
    const rest = all(place, "thread").filter((one) => one !== thread);
    const process = /^(\d+):\*$/.exec(thread)?.[1];
    chips.push({
      key: `thread ${thread}`,
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
      label: `under ${short(name)}`,
      title,
      without: changed(place, { under: rest }),
    });
  }
  for (const glob of all(place, "hide")) {
    const rest = all(place, "hide").filter((one) => one !== glob);
    const title = `Methods that match are not shown; their time counts as their callers' own: ${bounded(glob, 1000)}`;
    chips.push({ key: `hide ${glob}`, label: `hide ${short(glob)}`, title, without: changed(place, { hide: rest }) });
  }
  for (const category of all(place, "without")) {
    const rest = all(place, "without").filter((one) => one !== category);
    const label = `without ${categoryNames[category as Category] ?? category}`;
    const title = "Left out; its time counts as its callers' own";
    chips.push({ key: label, label, title, without: changed(place, { without: rest }) });
  }
  if (one(place, "mine") === "1") {
    const title = "Other code's time counts as its callers' own";
    chips.push({ key: "mine", label: "my code", title, without: changed(place, { mine: null }) });
  }
  if (one(place, "apart") === "1") {
    chips.push({ key: "apart", label: "threads apart", title: "Not merged", without: changed(place, { apart: null }) });
  }
  return chips;
}

export function popFilter(store: Store): void {
  const last = chipsOf(store.place).at(-1);
  if (last) {
    store.go(last.without);
  }
}

/** Says that times of the tree are not exact yet, and by how much. */
function Bound() {
  const document = useTree().value?.document;
  if (!document || document.exact) {
    return null;
  }
  const why = document.why ? bounded(document.why, 300) : "Times at the ends of the range are estimated";
  return (
    <span class="chip warn" title={why}>
      ≈ {isKnown(document.bound_ns) ? `times are within ${plain(time(document.bound_ns))}` : "times are estimated"}
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
        <span key={chip.key} class="chip" title={chip.title}>
          {chip.label}
          <button type="button" aria-label={`Remove the filter ${chip.label}`} onClick={() => store.go(chip.without)}>
            ×
          </button>
        </span>
      ))}
      <Bound />
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
