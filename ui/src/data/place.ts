// Where the page is: all of its state, as the URL's hash says it, `#/VIEW?key=value&key=value`.

export interface Place {
  readonly view: string;
  readonly query: ReadonlyMap<string, readonly string[]>;
}

/** What a link changes: a text or texts set a key, null removes it. */
export type Changes = Readonly<Record<string, string | readonly string[] | null>>;

/** Keys with one meaning in all views; the others belong to the view that sets them. */
export const shared: readonly string[] = [
  "from",
  "to",
  "thread",
  "apart",
  "view",
  "under",
  "hide",
  "without",
  "mine",
  "q",
  "method",
  "at",
  "call",
];

/** Keys that give the nodes of the tree other numbers: `zoom`, a node, does not survive them. */
const renumbering: readonly string[] = [
  "from",
  "to",
  "thread",
  "apart",
  "view",
  "under",
  "hide",
  "without",
  "mine",
  "by",
  "fold",
];

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function parsePlace(hash: string, first = "overview"): Place {
  const text = hash.replace(/^#?\/?/, "");
  const cut = text.indexOf("?");
  const view = decode(cut < 0 ? text : text.slice(0, cut)) || first;
  const query = new Map<string, string[]>();
  for (const pair of cut < 0 ? [] : text.slice(cut + 1).split("&")) {
    const sign = pair.indexOf("=");
    const key = decode(sign < 0 ? pair : pair.slice(0, sign));
    if (key) {
      query.set(key, [...(query.get(key) ?? []), sign < 0 ? "" : decode(pair.slice(sign + 1))]);
    }
  }
  return { view, query };
}

export function formatPlace(place: Place): string {
  const pairs = [...place.query]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, values]) => values.map((value) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`));
  return `#/${encodeURIComponent(place.view)}${pairs.length ? `?${pairs.join("&")}` : ""}`;
}

export function changed(place: Place, changes: Changes, view = place.view): Place {
  const query = new Map(place.query);
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || value.length === 0) {
      query.delete(key);
    } else {
      query.set(key, typeof value === "string" ? [value] : value);
    }
  }
  return { view, query };
}

export function one(place: Place, key: string): string | null {
  return place.query.get(key)?.[0] ?? null;
}

export function all(place: Place, key: string): readonly string[] {
  return place.query.get(key) ?? [];
}

/** What the key `thread` chooses: `P:T`, a thread, and `P:*`, all threads of a process. None: all threads. */
export function chosenThreads(place: Place): readonly string[] {
  return all(place, "thread").flatMap((text) => text.split(","));
}

export function takesThread(chosen: readonly string[], of: { process: number | null; thread: number | null }): boolean {
  return chosen.includes(`${of.process}:${of.thread}`) || chosen.includes(`${of.process}:*`);
}

export function integer(place: Place, key: string): number | null {
  const text = one(place, key);
  return text !== null && /^\d{1,16}$/.test(text) ? Number(text) : null;
}

export type How = "push" | "replace";

/** The place of the window, for components that draw again when it changes. */
export class Store {
  #place: Place;
  readonly #listeners = new Set<() => void>();
  readonly #own = new Map<string, Map<string, readonly string[]>>();

  constructor(private readonly home: Window) {
    this.#place = parsePlace(home.location.hash);
    home.addEventListener("hashchange", () => this.#moved());
    home.addEventListener("popstate", () => this.#moved());
  }

  get place(): Place {
    return this.#place;
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Changes keys of this view. "replace" leaves no step for the back button: for typing and dragging. */
  set(changes: Changes, how: How = "push"): void {
    const filters = Object.keys(changes).some((key) => renumbering.includes(key));
    this.go(changed(this.#place, filters ? { zoom: null, ...changes } : changes), how);
  }

  /** The link to another view, with what all views share and what that view had last. */
  link(view: string, changes: Changes = {}): string {
    const query = new Map<string, readonly string[]>();
    for (const [key, values] of this.#place.query) {
      if (view === this.#place.view || shared.includes(key)) {
        query.set(key, values);
      }
    }
    if (view !== this.#place.view) {
      for (const [key, values] of this.#own.get(view) ?? []) {
        query.set(key, values);
      }
    }
    return formatPlace(changed({ view, query }, changes));
  }

  open(view: string, changes: Changes = {}): void {
    this.go(parsePlace(this.link(view, changes)));
  }

  go(place: Place, how: How = "push"): void {
    const hash = formatPlace(place);
    if (hash === formatPlace(this.#place)) {
      return;
    }
    if (how === "push") {
      this.home.history.pushState(null, "", hash);
    } else {
      this.home.history.replaceState(null, "", hash);
    }
    this.#moved();
  }

  #moved(): void {
    const next = parsePlace(this.home.location.hash);
    if (formatPlace(next) === formatPlace(this.#place)) {
      return;
    }
    this.#place = next;
    this.#own.set(next.view, new Map([...next.query].filter(([key]) => !shared.includes(key))));
    for (const listener of [...this.#listeners]) {
      listener();
    }
  }
}
