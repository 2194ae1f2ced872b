// The views, in the order of their tabs. A new view is a folder beside this file and one entry here.
import type { ComponentChildren, FunctionComponent } from "preact";
import type { Ability } from "../data/documents";
import type { FilterKind } from "../frame/filters";
import { allocations } from "./allocations";
import { files } from "./files";
import { flame } from "./flame";
import { hot } from "./hot";
import { overview } from "./overview";
import { source } from "./source";
import { story } from "./story";
import { threads } from "./threads";
import { timeline } from "./timeline";
import { tree } from "./tree";
import { values } from "./values";

export interface View {
  /** In the URL: `#/NAME`. */
  name: string;
  title: string;
  /** Lines of a 16 by 16 icon. */
  icon: ComponentChildren;
  /** What the recording must have, any of them; without one the tab is dimmed and the view says what records it. */
  needs?: readonly Ability[];
  /** The sentence for a recording that has none of them. */
  missing?: string;
  /** The filters that its figures do not follow; the filter bar says so. */
  ignores?: readonly FilterKind[];
  component: FunctionComponent;
}

export const views: readonly View[] = [
  overview,
  flame,
  tree,
  hot,
  timeline,
  source,
  story,
  values,
  allocations,
  threads,
  files,
];

export function viewOf(name: string): View | null {
  return views.find((view) => view.name === name) ?? null;
}
