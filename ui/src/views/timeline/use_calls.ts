// The call under the keyboard: selecting it, walking to its neighbours, opening it.
import { useState } from "preact/hooks";
import { useApp } from "../../frame/context";
import { callOf, type Direction, type Found, neighbour } from "./find";
import { followed, openedTo } from "./interaction";
import type { Stage } from "./use_stage";

export interface Calls {
  focus: Found | null;
  select: (found: Found | null) => void;
  /** In the story, or, if it is several short calls, with the window on them. */
  open: (found: Found | null) => void;
  step: (direction: Direction) => void;
}

export function useCalls({ axis, scene, glide }: Stage): Calls {
  const { store } = useApp();
  const [focus, setFocus] = useState<Found | null>(null);
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
  return { focus, select, open, step };
}
