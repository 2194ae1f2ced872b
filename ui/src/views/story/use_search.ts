// Searches the story: page by page here, or by the server. A search says how far it is, and can be stopped.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { StoryEvent } from "../../data/events";
import { useApp } from "../../frame/context";
import { type Ask, type AskFor, find, scan, type Wanted } from "./model";

export interface Searching {
  seen: number;
  time: number | null;
}

export interface Search {
  /** null: no search is going on. */
  searching: Searching | null;
  stop: () => void;
  seek: (
    from: string,
    direction: 1 | -1,
    test: (events: readonly StoryEvent[]) => string | null,
  ) => Promise<string | null>;
  /** The server looks for it, from an event on or before it. */
  find: (from: string, direction: 1 | -1, wanted: Wanted) => Promise<string | null>;
}

type Progress = (seen: number, time: number | null) => boolean;

export function useSearch(ask: Ask, fail: (trouble: unknown) => void): Search {
  const { client, generation } = useApp();
  const [searching, setSearching] = useState<Searching | null>(null);
  const stopped = useRef(false);
  const askFor: AskFor = useCallback(
    (from, direction, wanted) =>
      client.get("story", { at: from, count: 1, direction: direction === 1 ? null : direction, ...wanted }),
    [client, generation],
  );
  const look = async (search: (progress: Progress) => Promise<string | null>) => {
    stopped.current = false;
    setSearching({ seen: 0, time: null });
    try {
      return await search((seen, time) => {
        setSearching({ seen, time });
        return !stopped.current;
      });
    } catch (trouble) {
      fail(trouble);
      return null;
    } finally {
      setSearching(null);
    }
  };
  const stop = useCallback(() => {
    stopped.current = true;
  }, []);
  useEffect(() => stop, [stop]);
  return {
    searching,
    stop,
    seek: (from, direction, test) => look((progress) => scan(ask, from, direction, test, progress)),
    find: (from, direction, wanted) => look((progress) => find(askFor, from, direction, wanted, progress)),
  };
}
