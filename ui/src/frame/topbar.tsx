// Name, duration, clock, calls, losses; search, theme, help.
import { useEffect, useState } from "preact/hooks";
import { one } from "../data/place";
import { matchedWeight, search } from "../data/tree_filter";
import { bounded } from "../text/foreign";
import { count, digits, isKnown, plain, share } from "../text/format";
import { narrows } from "./chips";
import { useApp, useDocument, usePlace, useTree } from "./context";
import { Count, Time } from "./text";

const clocks: Record<string, string> = {
  tsc: "Wall time by the processor's counter",
  monotonic: "Wall time by the system's monotonic clock",
  tick: "Wall time by a word that is updated every 100 µs: sums are right, single times are coarse",
  none: "No times were recorded",
};

export function TopBar({ embedded, reload, onHelp }: { embedded: boolean; reload: () => void; onHelp: () => void }) {
  const { session, cut } = useApp();
  const place = usePlace();
  const info = session.info;
  return (
    <header class="topbar">
      <span class="brand" aria-hidden="true">
        clew
      </span>
      <strong class="file" title={info.command ? bounded(info.command, 1000) : undefined}>
        {bounded(session.page.file, 200)}
      </strong>
      <span class="facts">
        {narrows(place) && <span class="dim">whole session:</span>}
        {isKnown(info.elapsed_ns) && (
          <span title="From the session's start to its end">
            <Time ns={info.elapsed_ns} />
          </span>
        )}
        <Calls />
        <span class="dim" title={clocks[info.clock] ?? ""}>
          clock {info.clock}
          {info.adjusted ? ", adjusted" : ""}
        </span>
        {isKnown(info.lost) && info.lost > 0 && (
          <span class="chip warn" title="Events that were not recorded; counts are too low by them">
            {plain(count(info.lost))} lost
          </span>
        )}
        {info.damaged && <span class="chip warn">damaged</span>}
        {!info.closed && !session.page.growing && (
          <span class="chip warn" title="The recording was not closed in order: its end is missing">
            cut
          </span>
        )}
        {cut.length > 0 && (
          <span class="chip" title={cut.map((sentence) => bounded(sentence)).join("\n")}>
            {cut.length === 1 ? bounded(cut[0] ?? "", 60) : `${cut.length} parts left out`}
          </span>
        )}
        {!embedded && <Growing reload={reload} />}
      </span>
      <Search />
      <Theme />
      <button type="button" class="icon" title="List the keys (?)" aria-label="List the keys" onClick={onHelp}>
        ?
      </button>
    </header>
  );
}

function Calls() {
  const { session } = useApp();
  const tree = useDocument(session.page.has.tree ? "tree" : null);
  return tree.value && isKnown(tree.value.calls) ? (
    <span title={`${digits(tree.value.calls)} calls recorded`}>
      <Count value={tree.value.calls} of={count} /> <span class="unit">calls</span>
    </span>
  ) : null;
}

/** New data is announced, and read on a click. */
function Growing({ reload }: { reload: () => void }) {
  const { client, session } = useApp();
  const [news, setNews] = useState("");
  const generation = session.page.generation;
  useEffect(() => {
    if (!session.page.growing) {
      return undefined;
    }
    const look = async () => {
      try {
        const answer = await client.fresh("changes", { since: generation });
        setNews(answer.replaced ? "replaced by another recording" : answer.generation > generation ? "new data" : "");
      } catch {
        // the next answer will say
      }
    };
    const timer = setInterval(look, 2000);
    return () => clearInterval(timer);
  }, [client, generation, session.page.growing]);
  if (news) {
    return (
      <button type="button" class="chip news" onClick={reload}>
        {news}: show it
      </button>
    );
  }
  return session.page.growing ? <span class="chip">still recording</span> : null;
}

function Search() {
  const { store } = useApp();
  const place = usePlace();
  const text = one(place, "q") ?? "";
  return (
    <search class="search">
      <input
        id="search"
        type="search"
        placeholder="Search names  /"
        aria-label="Search names; * and ? stand for any letters"
        value={text}
        spellcheck={false}
        onInput={(event) => store.set({ q: event.currentTarget.value || null }, "replace")}
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            event.currentTarget.blur();
            store.set({ q: null });
          } else if (event.key === "Enter") {
            event.currentTarget.blur();
            document.querySelector<HTMLElement>("#view .table, #view canvas[tabindex]")?.focus();
          }
        }}
      />
      {text && <Matched text={text} />}
    </search>
  );
}

function Matched({ text }: { text: string }) {
  const tree = useTree();
  if (!tree.value || !tree.fits) {
    return null;
  }
  const { tree: nodes, sum } = tree.value;
  const found = search(nodes, text);
  const weight = nodes.timed ? nodes.total : nodes.calls;
  const part = found ? matchedWeight(nodes, found, weight) : 0;
  const methods = found ? found.reduce((number, one) => number + one, 0) : 0;
  return (
    <span class="matched" role="status">
      {methods === 0
        ? "nothing found"
        : `${count(methods).number} methods${nodes.timed ? `, ${plain(share(part, sum.total))}` : ""}`}
    </span>
  );
}

type ThemeName = "system" | "light" | "dark";

function stored(): ThemeName {
  try {
    const name = localStorage.getItem("clew-theme");
    return name === "light" || name === "dark" ? name : "system";
  } catch {
    return "system";
  }
}

function Theme() {
  const [theme, setTheme] = useState<ThemeName>(stored);
  useEffect(() => {
    const root = document.documentElement;
    if (theme === "system") {
      root.removeAttribute("data-theme");
    } else {
      root.setAttribute("data-theme", theme);
    }
    try {
      localStorage.setItem("clew-theme", theme);
    } catch {
      // a page from disk may have no storage
    }
    window.dispatchEvent(new Event("clew-theme"));
  }, [theme]);
  const next: Record<ThemeName, ThemeName> = { system: "light", light: "dark", dark: "system" };
  return (
    <button
      type="button"
      class="icon"
      title={`Colours: ${theme}. Click for ${next[theme]}`}
      aria-label={`Colours: ${theme}`}
      onClick={() => setTheme(next[theme])}
    >
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <circle cx="8" cy="8" r="5.5" />
        {theme !== "light" && (
          <path
            class="fill"
            d={theme === "dark" ? "M8 2.5a5.5 5.5 0 0 0 0 11a5.5 5.5 0 0 0 0-11" : "M8 2.5a5.5 5.5 0 0 0 0 11z"}
          />
        )}
      </svg>
    </button>
  );
}
