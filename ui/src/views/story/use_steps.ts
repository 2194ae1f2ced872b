// The steps of the story: the line at hand moves by lines, by calls, or to what the search finds.
import { useState } from "preact/hooks";
import type { Changes } from "../../data/place";
import { useApp } from "../../frame/context";
import {
  type Direction,
  type Goal,
  lastCall,
  outward,
  stepped,
  toSameMethod,
  toText,
  unfoldsInto,
} from "./interaction";
import type { Line } from "./rows";
import type { Story } from "./use_story";

export interface Steps {
  /** What the last step did not find. */
  said: string;
  go: (to: string | null, more?: Changes) => void;
  by: (lines: number) => void;
  into: () => Promise<void>;
  out: () => Promise<void>;
  same: (direction: Direction) => Promise<void>;
  search: (direction: Direction) => Promise<void>;
}

export function useSteps(story: Story, lines: readonly Line[], active: number, find: string): Steps {
  const { store } = useApp();
  const [said, setSaid] = useState("");
  const go = (to: string | null, more: Changes = {}) => {
    if (to) {
      store.set({ at: to, call: null, ...more }, "replace");
    }
  };
  const reach = async (goal: Goal, missing: string) => {
    if (goal) {
      const found = "at" in goal ? goal.at : await story.find(goal.from, goal.direction, goal.wanted);
      setSaid(found ? "" : missing);
      go(found);
    }
  };
  const by = (count: number) => go(stepped(lines, active, count));
  return {
    said,
    go,
    by,
    into: async () => {
      const line = lines[active];
      if (unfoldsInto(line, story.folds)) {
        await story.fold(line);
      }
      by(1);
    },
    out: async () => {
      const goal = outward(lines, active);
      if (goal) {
        go("at" in goal ? goal.at : await story.seek(goal.from, -1, (events) => lastCall(events, goal.depth)));
      }
    },
    same: (direction) =>
      reach(toSameMethod(lines, active, direction), `no ${direction === 1 ? "later" : "earlier"} call of this method`),
    search: (direction) =>
      reach(toText(lines, active, find, direction), `nothing found ${direction === 1 ? "after" : "before"} this`),
  };
}
