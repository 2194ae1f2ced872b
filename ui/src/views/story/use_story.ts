// Loads the story around a position, pages at both ends, and folds.
import type { RefObject } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { DocumentError } from "../../data/client";
import { useApp } from "../../frame/context";
import {
  type Ask,
  callKey,
  type Fold,
  foldedUp,
  holds,
  type Loaded,
  loadAround,
  more,
  nothing,
  unfolded,
} from "./model";
import type { Line } from "./rows";
import { type Search, useSearch } from "./use_search";

export interface Story extends Search {
  loaded: Loaded;
  folds: ReadonlyMap<string, Fold>;
  problem: DocumentError | null;
  busy: boolean;
  grow: (direction: 1 | -1) => Promise<void>;
  fold: (line: Line) => Promise<void>;
}

function asProblem(trouble: unknown): DocumentError {
  return trouble instanceof DocumentError ? trouble : new DocumentError(0, String(trouble), "");
}

/** Asks for pages of a thread's story. */
function useAsk(thread: string | null): Ask {
  const { client, generation } = useApp();
  return useCallback(
    (from, direction, count) =>
      client.get("story", {
        at: from,
        thread,
        count: count === 200 ? null : count,
        direction: direction === 1 ? null : direction,
      }),
    [client, thread, generation],
  );
}

/** The calls that are folded. Folding one loads what follows it, unfolding one what is in it. */
function useFolding(
  ask: Ask,
  loaded: RefObject<Loaded>,
  setLoaded: (next: Loaded) => void,
  fail: (trouble: unknown) => void,
) {
  const { client } = useApp();
  const [folds, setFolds] = useState<ReadonlyMap<string, Fold>>(new Map());
  const latest = useRef(folds);
  latest.current = folds;
  const fold = useCallback(
    async (line: Line) => {
      const key = callKey(line);
      if (key === null) {
        return;
      }
      const now = loaded.current;
      const next = new Map(latest.current);
      try {
        const wasFolded = next.delete(key);
        if (!wasFolded) {
          const call = await client.get("call", { of: key });
          next.set(key, { begin: call.begin ?? line.first, end: call.end ?? line.last });
        }
        setFolds(next);
        const range = next.get(key);
        const then = await (range ? foldedUp(ask, now, line, range) : unfolded(ask, now, line));
        if (then !== now) {
          setLoaded(then);
        }
      } catch (trouble) {
        fail(trouble);
      }
    },
    [ask, client],
  );
  return { folds, latest, fold };
}

/** thread: P:T. at: P:T:ORDINAL, or ns, where the story opens; loaded anew when it leaves what is loaded. */
export function useStory(thread: string | null, at: string | null): Story {
  const [loaded, setLoaded] = useState<Loaded>(nothing);
  const [problem, setProblem] = useState<DocumentError | null>(null);
  const [busy, setBusy] = useState(true);
  const latest = useRef(loaded);
  latest.current = loaded;
  const loading = useRef(false);
  const fail = useCallback((trouble: unknown) => setProblem(asProblem(trouble)), []);
  const ask = useAsk(thread);
  const folding = useFolding(ask, latest, setLoaded, fail);

  useEffect(() => {
    if (thread === null) {
      setLoaded(nothing);
      setBusy(false);
      return undefined;
    }
    if (holds(latest.current, thread, at)) {
      return undefined;
    }
    let left = false;
    setBusy(true);
    setProblem(null);
    const end = (show: () => void) => {
      if (!left) {
        show();
        setBusy(false);
      }
    };
    loadAround(ask, at ?? `${thread}:0`).then(
      (next) => end(() => setLoaded(next)),
      (trouble) => end(() => fail(trouble)),
    );
    return () => {
      left = true;
    };
  }, [ask, at, thread]);

  const grow = useCallback(
    async (direction: 1 | -1) => {
      const now = latest.current;
      if (loading.current || now.events.length === 0 || (direction === 1 ? now.atEnd : now.atStart)) {
        return;
      }
      loading.current = true;
      try {
        const next = await more(ask, now, direction, folding.latest.current);
        if (latest.current === now) {
          setLoaded(next);
        }
      } catch (trouble) {
        fail(trouble);
      } finally {
        loading.current = false;
      }
    },
    [ask],
  );

  return { loaded, problem, busy, grow, folds: folding.folds, fold: folding.fold, ...useSearch(ask, fail) };
}
