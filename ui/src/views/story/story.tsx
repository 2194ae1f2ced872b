// What one thread did, in order: calls, statements, and the values that they gave.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { SessionDocument, ThreadRow } from "../../data/documents";
import { chosenThreads, one, type Place, takesThread } from "../../data/place";
import { useApp, useDocument, useKeys, usePlace } from "../../frame/context";
import { Toolbar } from "../../frame/controls";
import { CopyTable } from "../../frame/copy";
import { Busy, Missing, Problem } from "../../frame/states";
import { bounded } from "../../text/foreign";
import { count, moment, plain } from "../../text/format";
import { LineRow, type Links } from "./lines";
import { callKey, chosenLine, following, outOf, sameMethod, visibleLines } from "./model";
import { type Line, matches, parsePosition, plainLine } from "./rows";
import { useStory } from "./use_story";

const rowHeight = 22;

interface Thread {
  process: number;
  thread: number;
  key: string;
  name: string;
}

/** The threads that have events. */
function useThreads(): Thread[] {
  const { session } = useApp();
  return useMemo(
    () =>
      session.info.thread_list.filter(hasStory(session)).map((thread) => ({
        process: thread.process,
        thread: thread.thread,
        key: `${thread.process}:${thread.thread}`,
        name: thread.name
          ? `${thread.process}:${thread.thread} ${bounded(thread.name, 60)}`
          : `${thread.process}:${thread.thread}`,
      })),
    [session],
  );
}

function hasStory(session: SessionDocument): (thread: ThreadRow) => boolean {
  const known = new Set(session.page.stories);
  return (thread) => known.has(`${thread.process}:${thread.thread}`);
}

/** The thread that the place asks for: of its position, of its call, of its filter, else the first. null: it has no events. */
function threadOf(place: Place, ofCall: string | null, threads: readonly Thread[]): string | null {
  const at = parsePosition(one(place, "at") ?? "");
  if (at) {
    return `${at.process}:${at.thread}`;
  }
  const chosen = chosenThreads(place);
  const first = chosen.length === 0 ? threads[0] : threads.find((thread) => takesThread(chosen, thread));
  return ofCall ?? first?.key ?? null;
}

export function StoryView() {
  const { store } = useApp();
  const place = usePlace();
  const threads = useThreads();
  const of = one(place, "at") === null ? one(place, "call") : null;
  const call = useDocument(of === null ? null : "call", { of });
  const from = one(place, "from");
  const wanted = one(place, "at") ?? (of !== null ? (call.value?.begin ?? null) : from);
  const ofCall = of !== null && call.value ? call.value.thread : null;
  const thread = threadOf(place, ofCall, threads);
  useEffect(() => {
    if (of !== null && call.value?.begin) {
      store.set({ at: call.value.begin }, "replace");
    }
  }, [of, call.value]);
  if (call.problem) {
    return <Problem problem={call.problem} />;
  }
  if (of !== null && !call.value) {
    return <Busy doing="Looking for the call" />;
  }
  return <Body thread={thread} at={wanted} threads={threads} />;
}

function useLinks(): Links {
  const { store, session } = useApp();
  const files = useDocument(session.page.has.sources || session.page.has.lines ? "files" : null);
  return useMemo(() => {
    const documents = new Map((files.value?.files ?? []).map((file) => [file.path, file.document]));
    return {
      value: (line, value) =>
        value.name === null
          ? null
          : store.link("values", { name: value.name, of: null, object: null, at: line.first, find: null }),
      object: (object) => store.link("values", { object: String(object), name: null, of: null }),
      source: (line) => {
        const document = line.file === null ? undefined : documents.get(line.file);
        return document === undefined || line.line === null
          ? null
          : store.link("source", { document: String(document), line: String(line.line) });
      },
    };
  }, [store, files.value, store.place]);
}

function Body({ thread, at, threads }: { thread: string | null; at: string | null; threads: readonly Thread[] }) {
  const { store } = useApp();
  const place = usePlace();
  const story = useStory(thread, at);
  const { loaded, folds } = story;
  const lines = useMemo(() => visibleLines(loaded, folds), [loaded, folds]);
  const find = one(place, "find") ?? "";
  const [typed, setTyped] = useState(find);
  const [said, setSaid] = useState("");
  const chosen = chosenLine(lines, loaded, at);
  const active = Math.max(0, chosen);
  const links = useLinks();
  const line = lines[active];

  const go = (to: string | null | undefined, more: Record<string, string | null> = {}) => {
    if (to) {
      store.set({ at: to, call: null, ...more }, "replace");
    }
  };
  const step = (by: number) => {
    const next = lines[Math.max(0, Math.min(lines.length - 1, active + by))];
    go(next?.first);
  };
  const into = async () => {
    if (line?.kind === "call" && folds.has(callKey(line) ?? "")) {
      await story.fold(line);
    }
    step(1);
  };
  const out = async () => {
    const index = outOf(lines, active);
    if (index >= 0) {
      go(lines[index]?.first);
    } else if (line) {
      const depth = line.kind === "call" || line.kind === "end" ? line.depth - 1 : line.depth;
      const found =
        depth < 0
          ? null
          : await story.seek(
              line.first,
              -1,
              (events) => events.filter((event) => event.event === "enter" && event.depth === depth).at(-1)?.at ?? null,
            );
      go(found);
    }
  };
  const same = async (direction: 1 | -1) => {
    const method = line?.method ?? lines[outOf(lines, active)]?.method;
    if (!line || !method) {
      return;
    }
    const index = sameMethod(lines, active, method, direction);
    const from = direction === 1 ? following(line.first) : line.first;
    const found = index >= 0 ? lines[index]?.first : await story.find(from, direction, { method });
    setSaid(found ? "" : `no ${direction === 1 ? "later" : "earlier"} call of this method`);
    go(found);
  };
  const search = async (direction: 1 | -1) => {
    if (!find || !line) {
      return;
    }
    const order = direction === 1 ? lines.slice(active + 1) : lines.slice(0, active).reverse();
    const near = order.find((one) => matches(one, find));
    const from = direction === 1 ? following(lines.at(-1)?.last ?? line.last) : (lines[0]?.first ?? line.first);
    const found = near?.first ?? (await story.find(from, direction, { find }));
    setSaid(found ? "" : `nothing found ${direction === 1 ? "after" : "before"} this`);
    go(found);
  };
  useKeys("Story", [
    { key: "j", title: "Next line", run: () => step(1) },
    { key: "k", title: "Previous line", run: () => step(-1) },
    { key: "ArrowDown", title: "Next line", run: () => step(1) },
    { key: "ArrowUp", title: "Previous line", run: () => step(-1) },
    { key: "PageDown", title: "A page on", run: () => step(25) },
    { key: "PageUp", title: "A page back", run: () => step(-25) },
    { key: "l", title: "Into the call", run: () => void into() },
    { key: "h", title: "Out to the caller", run: () => void out() },
    { key: "]", title: "Next call of this method", run: () => void same(1) },
    { key: "[", title: "Previous call of this method", run: () => void same(-1) },
    { key: "Enter", title: "Fold or unfold the call", run: () => line?.kind === "call" && void story.fold(line) },
    { key: "n", title: "Next place of the search", run: () => void search(1) },
    { key: "Shift+N", title: "Previous place of the search", run: () => void search(-1) },
    { key: "Home", title: "The thread's start", run: () => thread && go(`${thread}:0`) },
    { key: "v", title: "Search in the story", run: () => document.getElementById("story-find")?.focus() },
  ]);
  useEffect(() => {
    if (find && typed !== find) {
      setTyped(find);
    }
  }, [find]);
  // A new search goes to its first place, unless the line at hand is one.
  useEffect(() => {
    if (find && line && !matches(line, find)) {
      void search(1);
    }
  }, [find, lines.length > 0]);

  return (
    <>
      <Toolbar>
        <label class="group">
          <span class="dim">Thread</span>
          <select
            value={thread ?? ""}
            onChange={(event) => store.set({ at: `${event.currentTarget.value}:0`, call: null })}
          >
            {threads.map((each) => (
              <option key={each.key} value={each.key}>
                {each.name}
              </option>
            ))}
          </select>
        </label>
        <form
          class="group"
          role="search"
          onSubmit={(event) => {
            event.preventDefault();
            if (typed === find) {
              void search(1);
            } else {
              store.set({ find: typed || null }, "replace");
            }
          }}
        >
          <input
            id="story-find"
            class="field"
            type="search"
            placeholder="Text or value  v"
            aria-label="Search in calls, statements and values"
            value={typed}
            spellcheck={false}
            onInput={(event) => setTyped(event.currentTarget.value)}
            onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
          />
          <button type="submit" class="quiet" title="Next (n)">
            Find
          </button>
        </form>
        <span class="dim" role="status">
          {story.searching
            ? `searched ${plain(count(story.searching.seen))} events${story.searching.time === null ? "" : `, at ${moment(story.searching.time, 1e4)}`}`
            : said}
        </span>
        {story.searching && (
          <button type="button" class="quiet" onClick={story.stop}>
            Stop
          </button>
        )}
        <span class="group push" role="group" aria-label="Steps">
          <button type="button" class="quiet" title="Out to the caller (h)" onClick={() => void out()}>
            Out
          </button>
          <button
            type="button"
            class="quiet"
            title="Previous call of this method ([)"
            aria-label="Previous call of this method"
            onClick={() => void same(-1)}
          >
            ‹ call
          </button>
          <button
            type="button"
            class="quiet"
            title="Next call of this method (])"
            aria-label="Next call of this method"
            onClick={() => void same(1)}
          >
            call ›
          </button>
        </span>
        <CopyTable
          rows={() => lines.map((each) => [each.time === null ? "" : moment(each.time, 1), plainLine(each)])}
          json={() => loaded.events}
        />
      </Toolbar>
      {story.problem ? (
        <Problem problem={story.problem} />
      ) : lines.length === 0 ? (
        story.busy ? (
          <Busy doing="Reading the story" />
        ) : (
          <Missing
            sentence={
              thread === null ? "The chosen threads have no events in order." : "This thread ran no recorded code here."
            }
          />
        )
      ) : (
        <Lines
          lines={lines}
          active={chosen}
          find={find}
          links={links}
          folded={(each) => folds.has(callKey(each) ?? "")}
          onFold={(each) => void story.fold(each)}
          onActive={(each) =>
            store.set({ at: each.first, call: null, ...(each.method ? { method: each.method } : {}) }, "replace")
          }
          onEdge={(direction) => void story.grow(direction)}
        />
      )}
      {loaded.atEnd && loaded.why && !story.problem && <p class="story-end dim">{loaded.why}</p>}
    </>
  );
}

interface LinesProps {
  lines: readonly Line[];
  /** -1: the line that was chosen is not loaded. */
  active: number;
  find: string;
  links: Links;
  folded: (line: Line) => boolean;
  onFold: (line: Line) => void;
  onActive: (line: Line) => void;
  onEdge: (direction: 1 | -1) => void;
}

/** Digits that the times in sight need to differ. */
function stepOf(lines: readonly Line[]): number {
  const times = lines.flatMap((line) => (line.time === null ? [] : [line.time]));
  const long = times.length > 1 ? (times[times.length - 1] as number) - (times[0] as number) : 0;
  return long > 2e5 ? 1e3 : 1;
}

function Lines(props: LinesProps) {
  const { lines, active } = props;
  const box = useRef<HTMLDivElement>(null);
  const [sight, setSight] = useState({ top: 0, height: 600 });
  const anchor = useRef<{ at: string; offset: number } | null>(null);
  const narrow = sight.height > 0 && (box.current?.clientWidth ?? 1000) < 600;
  useLayoutEffect(() => {
    const element = box.current as HTMLDivElement;
    const look = () => setSight({ top: element.scrollTop, height: element.clientHeight });
    const watcher = new ResizeObserver(look);
    watcher.observe(element);
    look();
    return () => watcher.disconnect();
  }, []);
  // What stood at the top stays where it is when earlier lines come.
  useLayoutEffect(() => {
    const element = box.current;
    const held = anchor.current;
    if (element && held) {
      const index = lines.findIndex((line) => line.first === held.at);
      const top = index * rowHeight - held.offset;
      if (index >= 0 && Math.abs(top - element.scrollTop) > 1) {
        element.scrollTop = top;
      }
    }
  }, [lines]);
  // A line is scrolled to when it is chosen; after that the reader scrolls.
  const placed = useRef<string | null>(null);
  useLayoutEffect(() => {
    const element = box.current;
    const at = lines[active]?.first ?? placed.current;
    if (element && at !== placed.current) {
      placed.current = at;
      const top = active * rowHeight;
      if (top < element.scrollTop + rowHeight) {
        element.scrollTop = Math.max(0, top - element.clientHeight * 0.3);
      } else if (top + 2 * rowHeight > element.scrollTop + element.clientHeight) {
        element.scrollTop = top - element.clientHeight * 0.7;
      }
    }
  }, [lines[active]?.first]);
  const first = Math.max(0, Math.floor(sight.top / rowHeight) - 6);
  const last = Math.min(lines.length, Math.ceil((sight.top + sight.height) / rowHeight) + 6);
  const scrolled = () => {
    const element = box.current as HTMLDivElement;
    setSight({ top: element.scrollTop, height: element.clientHeight });
    const index = Math.floor(element.scrollTop / rowHeight);
    const line = lines[index];
    anchor.current = line ? { at: line.first, offset: index * rowHeight - element.scrollTop } : null;
  };
  useEffect(() => {
    if (sight.top < 30 * rowHeight) {
      props.onEdge(-1);
    }
    if (sight.top + sight.height > (lines.length - 30) * rowHeight) {
      props.onEdge(1);
    }
  }, [sight.top, sight.height, lines.length]);
  const shown = lines.slice(first, last);
  const step = stepOf(shown);
  return (
    <div
      ref={box}
      class="story"
      role="grid"
      aria-label="Events in order"
      aria-activedescendant={active >= first && active < last ? `story-${active}` : undefined}
      tabIndex={0}
      onScroll={scrolled}
    >
      <div class="story-inner" role="rowgroup" style={{ height: `${lines.length * rowHeight}px` }}>
        {shown.map((line, offset) => {
          const index = first + offset;
          const before = lines.slice(0, index).findLast((one) => one.time !== null)?.time ?? null;
          return (
            <div
              key={line.first + line.kind}
              id={`story-${index}`}
              role="row"
              aria-selected={index === active}
              class={`story-line story-${line.kind}${index === active ? " active" : ""}`}
              style={{ transform: `translateY(${index * rowHeight}px)` }}
              onClick={(event) => (event.target as HTMLElement).closest("a, button") || props.onActive(line)}
              onDblClick={() => line.kind === "call" && props.onFold(line)}
            >
              <LineRow
                line={line}
                links={props.links}
                find={props.find}
                folded={props.folded(line)}
                onFold={() => props.onFold(line)}
                time={line.time !== null && line.time !== before ? line.time : null}
                step={step}
                pad={narrow ? 8 : 16}
              />
            </div>
          );
        })}
      </div>
    </div>
  );
}
