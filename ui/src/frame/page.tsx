// The frame: top bar, strip, filters, tabs, the view and the panel beside it.
import { useEffect, useMemo, useReducer, useState } from "preact/hooks";
import { type Client, DocumentError } from "../data/client";
import type { SessionDocument } from "../data/documents";
import { one, type Store } from "../data/place";
import { viewOf, views } from "../views/registry";
import type { View } from "../views/view";
import { popFilter } from "./chips";
import { type App, AppContext, useApp, useKeys, usePlace } from "./context";
import { Filters } from "./filters";
import { Help } from "./help";
import { Keys } from "./keys";
import { Panel } from "./panel";
import { Busy, Guard, Missing, Problem } from "./states";
import { Strip } from "./strip";
import { TopBar } from "./topbar";

interface PageProps {
  client: Client;
  store: Store;
  cut: readonly string[];
  embedded: boolean;
}

export function Page({ client, store, cut, embedded }: PageProps) {
  const [session, setSession] = useState<SessionDocument | DocumentError | null>(null);
  const [generation, grow] = useReducer((turn: number) => turn + 1, 0);
  const keys = useMemo(() => new Keys(), []);
  useEffect(() => {
    client.get("session").then(setSession, (problem) => {
      setSession(problem instanceof DocumentError ? problem : new DocumentError(0, String(problem), ""));
    });
  }, [client, generation]);
  useEffect(() => {
    const handle = (event: KeyboardEvent) => keys.handle(event);
    window.addEventListener("keydown", handle);
    return () => window.removeEventListener("keydown", handle);
  }, [keys]);
  if (session === null) {
    return <Busy doing="Opening the recording" />;
  }
  if (session instanceof DocumentError) {
    return <Problem problem={session} />;
  }
  const app: App = { client, store, session, keys, cut, generation };
  const reload = () => {
    client.clear();
    grow(undefined);
  };
  return (
    <AppContext.Provider value={app}>
      <Frame embedded={embedded} reload={reload} />
    </AppContext.Provider>
  );
}

function Frame({ embedded, reload }: { embedded: boolean; reload: () => void }) {
  const { store, session } = useApp();
  const place = usePlace();
  const [help, setHelp] = useState(false);
  const view = viewOf(place.view);
  useEffect(() => {
    document.title = `${view?.title ?? "clew"} · ${session.page.file}`;
  }, [view, session.page.file]);
  useKeys("Everywhere", [
    { key: "/", title: "Search names", run: () => document.getElementById("search")?.focus() },
    { key: "m", title: "My code, or all code", run: () => store.set({ mine: one(place, "mine") ? null : "1" }) },
    { key: "t", title: "Threads apart, or merged", run: () => store.set({ apart: one(place, "apart") ? null : "1" }) },
    { key: "Backspace", title: "Remove the last filter", run: () => popFilter(store) },
    { key: "Escape", title: "Close what is open: list of keys, panel, search", run: () => close() },
    { key: "?", title: "List the keys", run: () => setHelp(true) },
  ]);
  useKeys(
    "Views",
    views.slice(0, 9).map((each, at) => ({
      key: String(at + 1),
      title: each.title,
      run: () => store.open(each.name),
    })),
  );
  const close = () => {
    if (help) {
      setHelp(false);
    } else if (one(place, "method")) {
      store.set({ method: null });
    } else if (one(place, "q")) {
      store.set({ q: null });
    }
  };
  return (
    <div class="frame">
      <a class="skip" href="#view" onClick={(event) => skip(event)}>
        Skip to the view
      </a>
      <TopBar embedded={embedded} reload={reload} onHelp={() => setHelp(true)} />
      <Strip />
      <Filters />
      <div class="middle">
        <Tabs now={place.view} />
        <main id="view" tabIndex={-1} aria-label={view?.title ?? "View"}>
          <h1 class="offscreen">{view?.title ?? "View"}</h1>
          {view ? (
            <Guard key={view.name}>
              <Shown view={view} />
            </Guard>
          ) : (
            <Missing sentence={`This page has no view "${place.view}".`} />
          )}
        </main>
        <Panel />
      </div>
      {help && <Help onClose={() => setHelp(false)} />}
    </div>
  );
}

function skip(event: Event): void {
  event.preventDefault();
  document.getElementById("view")?.focus();
}

export function canShow(view: View, session: SessionDocument): boolean {
  return !view.needs || view.needs.some((ability) => session.page.has[ability]);
}

function Shown({ view }: { view: View }) {
  const { session } = useApp();
  if (!canShow(view, session)) {
    const command = session.page.record[view.name] ?? session.page.record[view.needs?.[0] ?? ""];
    return <Missing sentence={view.missing ?? "This recording has nothing for this view."} command={command} />;
  }
  return <view.component />;
}

function Tabs({ now }: { now: string }) {
  const { store, session } = useApp();
  return (
    <nav class="tabs" aria-label="Views">
      {views.map((view) => (
        <a
          key={view.name}
          href={store.link(view.name)}
          class={canShow(view, session) ? "tab" : "tab empty"}
          aria-current={view.name === now ? "page" : undefined}
        >
          <svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true">
            {view.icon}
          </svg>
          <span>{view.title}</span>
        </a>
      ))}
    </nav>
  );
}
