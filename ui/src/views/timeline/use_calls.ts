// The call under the keyboard: selecting it, walking to its neighbours, opening it.
import { useMemo, useState } from "preact/hooks";
import type { RunWait } from "../../data/events";
import { one } from "../../data/place";
import { useApp, usePlace } from "../../frame/context";
import { changesTo, windowOn } from "../../frame/runs";
import { callOf, type Direction, type Found, findCall, neighbour } from "./find";
import { followed, openedTo } from "./interaction";
import type { Stage } from "./use_stage";

export interface Calls {
  focus: Found | null;
  select: (found: Found | null) => void;
  /** In the story, or, if it is several short calls, with the window on them. */
  open: (found: Found | null) => void;
  step: (direction: Direction) => void;
  /** To the run before or after in the same async activation. */
  follow: (wait: RunWait | null | undefined) => void;
}

export function useCalls({ axis, scene, glide }: Stage): Calls {
  const { store } = useApp();
  const chosen = one(usePlace(), "call");
  const [held, setFocus] = useState<Found | null>(null);
  // A link may have chosen another call than the one that was selected here.
  const mine = held !== null && callOf(held) === chosen;
  const linked = useMemo(
    () => (mine || chosen === null ? null : findCall(scene, chosen)),
    [mine, chosen, scene.pieces, scene.layout],
  );
  const focus = mine ? held : linked;
  const select = (found: Found | null) => {
    setFocus(found);
    const call = found && callOf(found);
    store.set({ method: found?.method.name ?? null, call: call ?? null }, "replace");
  };
  const open = (found: Found | null) => {
    const call = found && callOf(found);
    if (found && call) {
      store.open("story", { call, at: null, method: found.method.name });
    } else if (found) {
      glide(openedTo(found.box, axis.bounds));
    }
  };
  const step = (direction: Direction) => {
    const next = neighbour(scene, focus, direction);
    if (next) {
      select(next);
      const window = followed(axis, next.box);
      if (window) {
        glide(window);
      }
    }
  };
  const follow = (wait: RunWait | null | undefined) => {
    if (wait?.run) {
      const window = windowOn(wait.run, axis.window, axis.bounds);
      store.set(changesTo(wait.run, null), "replace");
      if (window) {
        glide(window);
      }
    }
  };
  return { focus, select, open, step, follow };
}
