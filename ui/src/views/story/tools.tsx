// Above the story: the thread, the search, what it found, and steps for the pointer.
import { useEffect, useState } from "preact/hooks";
import { useApp } from "../../frame/context";
import { Toolbar } from "../../frame/controls";
import { CopyTable } from "../../frame/copy";
import { count, moment, plain } from "../../text/format";
import { type Line, plainLine } from "./rows";
import type { Steps } from "./use_steps";
import type { Story } from "./use_story";
import type { Thread } from "./use_threads";

interface ToolsProps {
  threads: readonly Thread[];
  thread: string | null;
  story: Story;
  lines: readonly Line[];
  find: string;
  steps: Steps;
}

export function Tools({ threads, thread, story, lines, find, steps }: ToolsProps) {
  const { store } = useApp();
  return (
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
      <SearchForm find={find} steps={steps} />
      <Searched story={story} steps={steps} />
      <StepButtons {...steps} />
      <CopyTable
        rows={() => lines.map((each) => [each.time === null ? "" : moment(each.time, 1), plainLine(each)])}
        json={() => story.loaded.events}
      />
    </Toolbar>
  );
}

function SearchForm({ find, steps }: { find: string; steps: Steps }) {
  const { store } = useApp();
  const [typed, setTyped] = useState(find);
  useEffect(() => {
    if (find && typed !== find) {
      setTyped(find);
    }
  }, [find]);
  const submit = (event: Event) => {
    event.preventDefault();
    if (typed === find) {
      void steps.search(1);
    } else {
      store.set({ find: typed || null }, "replace");
    }
  };
  return (
    <form class="group" role="search" onSubmit={submit}>
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
  );
}

function Searched({ story, steps }: { story: Story; steps: Steps }) {
  const { searching, stop } = story;
  return (
    <>
      <span class="dim" role="status">
        {searching
          ? `searched ${plain(count(searching.seen))} events${searching.time === null ? "" : `, at ${moment(searching.time, 1e4)}`}`
          : steps.said}
      </span>
      {searching && (
        <button type="button" class="quiet" onClick={stop}>
          Stop
        </button>
      )}
    </>
  );
}

function StepButtons({ out, same }: Steps) {
  return (
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
  );
}
