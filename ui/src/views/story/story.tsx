// What one thread did, in order: calls, statements, and the values that they gave.
import { useEffect, useMemo } from "preact/hooks";
import { one } from "../../data/place";
import { useApp, useDocument, useKeys, usePlace } from "../../frame/context";
import { Busy, Missing, Problem } from "../../frame/states";
import type { Links } from "./lines";
import { Lines } from "./list";
import { chosenLine, isFolded, visibleLines } from "./model";
import { type Line, matches } from "./rows";
import { Tools } from "./tools";
import { type Steps, useSteps } from "./use_steps";
import { type Story, useStory } from "./use_story";
import { type Thread, threadOf, useThreads } from "./use_threads";

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
      exceptions: store.link("exceptions", { by: null, type: null }),
      source: (line) => {
        const document = line.file === null ? undefined : documents.get(line.file);
        return document === undefined || line.line === null
          ? null
          : store.link("source", { document: String(document), line: String(line.line) });
      },
    };
  }, [store, files.value, store.place]);
}

function useStoryKeys(steps: Steps, story: Story, line: Line | undefined, thread: string | null): void {
  const { by, into, out, same, search, go } = steps;
  useKeys("Story", [
    { key: "j", title: "Next line", run: () => by(1) },
    { key: "k", title: "Previous line", run: () => by(-1) },
    { key: "ArrowDown", title: "Next line", run: () => by(1) },
    { key: "ArrowUp", title: "Previous line", run: () => by(-1) },
    { key: "PageDown", title: "A page on", run: () => by(25) },
    { key: "PageUp", title: "A page back", run: () => by(-25) },
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
}

function Body({ thread, at, threads }: { thread: string | null; at: string | null; threads: readonly Thread[] }) {
  const find = one(usePlace(), "find") ?? "";
  const story = useStory(thread, at);
  const { loaded, folds, problem } = story;
  const lines = useMemo(() => visibleLines(loaded, folds), [loaded, folds]);
  const chosen = chosenLine(lines, loaded, at);
  const active = Math.max(0, chosen);
  const line = lines[active];
  const links = useLinks();
  const steps = useSteps(story, lines, active, find);
  useStoryKeys(steps, story, line, thread);
  // A new search goes to its first place, unless the line at hand is one.
  useEffect(() => {
    if (find && line && !matches(line, find)) {
      void steps.search(1);
    }
  }, [find, lines.length > 0]);
  return (
    <>
      <Tools threads={threads} thread={thread} story={story} lines={lines} find={find} steps={steps} />
      {problem ? (
        <Problem problem={problem} />
      ) : lines.length === 0 ? (
        <Nothing busy={story.busy} thread={thread} />
      ) : (
        <Lines
          lines={lines}
          active={chosen}
          find={find}
          links={links}
          folded={(each) => isFolded(each, folds)}
          onFold={(each) => void story.fold(each)}
          onActive={(each) => steps.go(each.first, each.method ? { method: each.method } : {})}
          onEdge={(direction) => void story.grow(direction)}
        />
      )}
      {loaded.atEnd && loaded.why && !problem && <p class="story-closing dim">{loaded.why}</p>}
    </>
  );
}

function Nothing({ busy, thread }: { busy: boolean; thread: string | null }) {
  const none =
    thread === null ? "The chosen threads have no events in order." : "This thread ran no recorded code here.";
  return busy ? <Busy doing="Reading the story" /> : <Missing sentence={none} />;
}
