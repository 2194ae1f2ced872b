// What every component may use: the client, the place, the session, keys, and documents as states.
import { createContext } from "preact";
import { useContext, useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import { type Client, canonicalKey, DocumentError, type Documents, type Parameters } from "../data/client";
import { isPartial, partialRest, type SessionDocument } from "../data/documents";
import { all, chosenThreads, integer, one, type Place, type Store } from "../data/place";
import { type Filters, type Shown, shown } from "../data/shown";
import type { Key, Keys } from "./keys";

export interface App {
  client: Client;
  store: Store;
  session: SessionDocument;
  keys: Keys;
  /** What the self-contained file left out. */
  cut: readonly string[];
  /** Rises when the recording has grown and is to be read again. */
  generation: number;
}

export const AppContext = createContext<App | null>(null);

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) {
    throw new Error("There is no page around this component.");
  }
  return app;
}

/** The place; the component is drawn again when it changes. */
export function usePlace(): Place {
  const { store } = useApp();
  const [, draw] = useReducer((turn: number) => turn + 1, 0);
  const place = store.place;
  useLayoutEffect(() => {
    if (store.place !== place) {
      draw(undefined); // it changed between drawing and listening
    }
    return store.listen(() => draw(undefined));
  }, [store]);
  return place;
}

/** Keys of a component, as long as it is there. */
export function useKeys(title: string, keys: readonly Key[]): void {
  const registry = useApp().keys;
  const latest = useRef(keys);
  latest.current = keys;
  const names = keys.map((key) => key.key).join(" ");
  useEffect(() => {
    const stable = latest.current.map((key, index) => ({
      ...key,
      run: (event: KeyboardEvent) => latest.current[index]?.run(event),
    }));
    return registry.add(title, stable);
  }, [registry, title, names]);
}

export interface Loading<T> {
  /** The document; while another one is on its way, the one before. */
  value: T | null;
  problem: DocumentError | null;
  busy: boolean;
  /** The value is that of what is asked for, not the one before. */
  fits: boolean;
}

interface Held<T> extends Omit<Loading<T>, "fits"> {
  /** The key of the value. */
  key: string;
}

/** Asks for a document. name null: nothing is asked for. */
export function useDocument<N extends keyof Documents>(
  name: N | null,
  parameters: Parameters = {},
): Loading<Documents[N]> {
  const { client, generation } = useApp();
  const key = name === null ? "" : canonicalKey(name, parameters);
  const [state, setState] = useState<Held<Documents[N]>>({ value: null, problem: null, busy: name !== null, key });
  const asked = useRef("");
  const [turn, again] = useReducer((now: number) => now + 1, 0);
  useEffect(() => {
    if (!isPartial(state.value)) {
      return undefined;
    }
    const timer = setTimeout(() => again(undefined), partialRest);
    return () => clearTimeout(timer);
  }, [state.value]);
  useEffect(() => {
    if (name === null) {
      setState({ value: null, problem: null, busy: false, key });
      return undefined;
    }
    let left = false;
    const sameName = asked.current === name;
    asked.current = name;
    setState((before) => ({ value: sameName ? before.value : null, problem: null, busy: true, key: before.key }));
    client.get(name, parameters).then(
      (value) => left || setState({ value, problem: null, busy: false, key }),
      (problem: unknown) => {
        const known = problem instanceof DocumentError ? problem : new DocumentError(0, String(problem), "");
        return left || setState({ value: null, problem: known, busy: false, key });
      },
    );
    return () => {
      left = true;
    };
  }, [client, key, generation, turn]);
  return { ...state, fits: state.key === key };
}

/** The filters of the place, as far as the tree knows them. */
export function filtersOf(place: Place): Omit<Filters, "threads" | "apart"> {
  return {
    mine: one(place, "mine") === "1",
    hide: all(place, "hide"),
    under: all(place, "under"),
    without: all(place, "without"),
  };
}

/** Parameters of documents that a range and threads limit. */
export function rangeOf(place: Place): Parameters {
  const threads = all(place, "thread").join(",");
  return { from: integer(place, "from"), to: integer(place, "to"), thread: threads || null };
}

/** Whether the sums of `clew report` hold for what is shown. */
function isWhole(filters: Filters, range: Parameters): boolean {
  const none = Object.values(range).every((value) => value === null);
  return none && !filters.mine && !filters.hide.length && !filters.under.length && !filters.without.length;
}

/** The filter that leaves the physical view alone: who called async methods is known of whole processes. */
export function physicalBy(place: Place, apart: boolean): "range" | "thread" | "apart" | null {
  const { from, to } = rangeOf(place);
  const single = chosenThreads(place).some((thread) => !thread.endsWith(":*"));
  return from !== null || to !== null ? "range" : single ? "thread" : apart ? "apart" : null;
}

/** The tree that this place shows, filters applied. apart: with the threads apart. */
export function useTree(apart?: boolean): Loading<Shown> {
  const { session } = useApp();
  const place = usePlace();
  const isApart = apart ?? one(place, "apart") === "1";
  const range = rangeOf(place);
  const forced = physicalBy(place, isApart);
  const threads = forced === "range" ? [] : chosenThreads(place);
  const view = session.page.has.logical && !forced && one(place, "view") === "physical" ? "physical" : null;
  const parameters =
    forced === "range" ? { ...range, apart: isApart ? 1 : null } : { apart: forced ? 1 : null, view: view };
  const asked = useDocument("tree", parameters);
  const filters = { ...filtersOf(place), threads, apart: isApart };
  const sums = { by: "methods", lines: 0, view: view };
  const report = useDocument(isWhole(filters, range) ? "report" : null, sums);
  const last = useRef<Shown | null>(null);
  // These filters do not belong to the tree before, and neither do the sums: it stays as it was.
  if (!asked.value || !asked.fits || !report.fits || (report.busy && !report.value)) {
    return { value: asked.problem ? null : last.current, problem: asked.problem, busy: true, fits: false };
  }
  last.current = shown(asked.value, filters, session.info, report.value?.methods);
  return { value: last.current, problem: asked.problem, busy: asked.busy, fits: true };
}
