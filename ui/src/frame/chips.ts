// The filters of the place, in the order of their effect. Each can be removed; Backspace removes the last.
import type { Category } from "../data/documents";
import { all, changed, integer, one, type Place, type Store } from "../data/place";
import { bounded } from "../text/foreign";
import { moment, plain, time } from "../text/format";
import { splitName } from "../text/name";
import { categoryNames } from "./actions";

/** What a filter chooses by; a view follows it or not. */
export type FilterKind = "range" | "thread" | "method" | "apart";

export interface Chip {
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
