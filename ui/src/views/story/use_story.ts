// Loads the story around a position, pages at both ends, folds, and searches.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { DocumentError } from "../../data/client";
import type { StoryEvent } from "../../data/events";
import { useApp } from "../../frame/context";
import {
  type Ask,
  type AskFor,
  callKey,
  type Fold,
  find,
  type Loaded,
  loadAround,
  merge,
  more,
  nothing,
  scan,
  type Wanted,
} from "./model";
import { type Line, parsePosition } from "./rows";

export interface Searching {
  seen: number;
  time: number | null;
}

export interface Story {
  loaded: Loaded;
  folds: ReadonlyMap<string, Fold>;
  problem: DocumentError | null;
  busy: boolean;
  searching: Searching | null;
  stop: () => void;
  grow: (direction: 1 | -1) => Promise<void>;
  fold: (line: Line) => Promise<void>;
  seek: (
    from: string,
    direction: 1 | -1,
    test: (events: readonly StoryEvent[]) => string | null,
  ) => Promise<string | null>;
  /** The server looks for it, from an event on or before it. */
  find: (from: string, direction: 1 | -1, wanted: Wanted) => Promise<string | null>;
}

function asProblem(trouble: unknown): DocumentError {
  return trouble instanceof DocumentError ? trouble : new DocumentError(0, String(trouble), "");
}

/** thread: P:T. at: P:T:ORDINAL, or ns, where the story opens; loaded anew when it leaves what is loaded. */
export function useStory(thread: string | null, at: string | null): Story {
  const { client, generation } = useApp();
  const [loaded, setLoaded] = useState<Loaded>(nothing);
  const [folds, setFolds] = useState<ReadonlyMap<string, Fold>>(new Map());
  const [problem, setProblem] = useState<DocumentError | null>(null);
  const [busy, setBusy] = useState(true);
  const [searching, setSearching] = useState<Searching | null>(null);
  const latest = useRef({ loaded, folds });
  latest.current = { loaded, folds };
  const loading = useRef(false);
  const stopped = useRef(false);
  const ask: Ask = useCallback(
    (from, direction, count) =>
      client.get("story", {
        at: from,
        thread,
        count: count === 200 ? null : count,
        direction: direction === 1 ? null : direction,
      }),
    [client, thread, generation],
  );

  useEffect(() => {
    if (thread === null) {
      setLoaded(nothing);
      setBusy(false);
      return undefined;
    }
    const place = parsePosition(at ?? "");
    const first = parsePosition(latest.current.loaded.events[0]?.at ?? "");
    const last = parsePosition(latest.current.loaded.events.at(-1)?.at ?? "");
    if (
      place &&
      first &&
      last &&
      `${place.process}:${place.thread}` === thread &&
      first.process === place.process &&
      first.thread === place.thread &&
      place.ordinal >= first.ordinal &&
      place.ordinal <= last.ordinal
    ) {
      return undefined;
    }
    let left = false;
    setBusy(true);
    setProblem(null);
    loadAround(ask, at ?? `${thread}:0`).then(
      (next) => {
        if (!left) {
          setLoaded(next);
          setBusy(false);
        }
      },
      (trouble) => {
        if (!left) {
          setProblem(asProblem(trouble));
          setBusy(false);
        }
      },
    );
    return () => {
      left = true;
    };
  }, [ask, at, thread]);

  const grow = useCallback(
    async (direction: 1 | -1) => {
      const { loaded: now, folds: folded } = latest.current;
      if (loading.current || now.events.length === 0 || (direction === 1 ? now.atEnd : now.atStart)) {
        return;
      }
      loading.current = true;
      try {
        const next = await more(ask, now, direction, folded);
        if (latest.current.loaded === now) {
          setLoaded(next);
        }
      } catch (trouble) {
        setProblem(asProblem(trouble));
      } finally {
        loading.current = false;
      }
    },
    [ask],
  );

  const fold = useCallback(
    async (line: Line) => {
      const key = callKey(line);
      if (key === null) {
        return;
      }
      const { loaded: now, folds: folded } = latest.current;
      if (folded.has(key)) {
        const next = new Map(folded);
        next.delete(key);
        setFolds(next);
        const begin = now.events.findIndex((event) => event.at === line.first);
        const after = now.events[begin + 1];
        const gap = after && parsePosition(after.at)?.ordinal !== (parsePosition(line.first)?.ordinal ?? 0) + 1;
        if (gap) {
          const kept: Loaded = { ...now, events: now.events.slice(0, begin + 1), atEnd: false };
          setLoaded(merge(kept, await ask(line.first, 1, 400), 1));
        }
        return;
      }
      try {
        const call = await client.get("call", { of: key });
        const range = { begin: call.begin ?? line.first, end: call.end ?? line.last };
        setFolds(new Map(folded).set(key, range));
        const end = parsePosition(range.end)?.ordinal ?? 0;
        const last = parsePosition(now.events.at(-1)?.at ?? "")?.ordinal ?? 0;
        if (end > last) {
          const begin = now.events.findIndex((event) => event.at === line.first);
          const kept: Loaded = { ...now, events: now.events.slice(0, begin + 1), atEnd: false };
          setLoaded(merge(kept, await ask(range.end, 1, 400), 1));
        }
      } catch (trouble) {
        setProblem(asProblem(trouble));
      }
    },
    [ask, client],
  );

  const askFor: AskFor = useCallback(
    (from, direction, wanted) =>
      client.get("story", { at: from, count: 1, direction: direction === 1 ? null : direction, ...wanted }),
    [client, generation],
  );
  const look = useCallback(
    async (search: (progress: (seen: number, time: number | null) => boolean) => Promise<string | null>) => {
      stopped.current = false;
      setSearching({ seen: 0, time: null });
      try {
        return await search((seen, time) => {
          setSearching({ seen, time });
          return !stopped.current;
        });
      } catch (trouble) {
        setProblem(asProblem(trouble));
        return null;
      } finally {
        setSearching(null);
      }
    },
    [],
  );
  const seek = useCallback(
    (from: string, direction: 1 | -1, test: (events: readonly StoryEvent[]) => string | null) =>
      look((progress) => scan(ask, from, direction, test, progress)),
    [ask, look],
  );
  const findFrom = useCallback(
    (from: string, direction: 1 | -1, wanted: Wanted) =>
      look((progress) => find(askFor, from, direction, wanted, progress)),
    [askFor, look],
  );
  const stop = useCallback(() => {
    stopped.current = true;
  }, []);
  useEffect(() => stop, [stop]);
  return { loaded, folds, problem, busy, searching, stop, grow, fold, seek, find: findFrom };
}
