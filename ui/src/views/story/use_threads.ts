// The threads that have a story, and which of them the place asks for.
import { useMemo } from "preact/hooks";
import type { SessionDocument, ThreadRow } from "../../data/documents";
import { chosenThreads, one, type Place, takesThread } from "../../data/place";
import { useApp } from "../../frame/context";
import { bounded } from "../../text/foreign";
import { parsePosition } from "./rows";

export interface Thread {
  process: number;
  thread: number;
  key: string;
  name: string;
}

/** The threads that have events. */
export function useThreads(): Thread[] {
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
export function threadOf(place: Place, ofCall: string | null, threads: readonly Thread[]): string | null {
  const at = parsePosition(one(place, "at") ?? "");
  if (at) {
    return `${at.process}:${at.thread}`;
  }
  const chosen = chosenThreads(place);
  const first = chosen.length === 0 ? threads[0] : threads.find((thread) => takesThread(chosen, thread));
  return ofCall ?? first?.key ?? null;
}
