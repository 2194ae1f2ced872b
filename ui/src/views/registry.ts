// The views, in the order of their tabs. A new view is a folder beside this file and one entry here.
import { allocations } from "./allocations";
import { exceptions } from "./exceptions";
import { files } from "./files";
import { flame } from "./flame";
import { hot } from "./hot";
import { overview } from "./overview";
import { requests } from "./requests";
import { source } from "./source";
import { story } from "./story";
import { threads } from "./threads";
import { timeline } from "./timeline";
import { tree } from "./tree";
import { values } from "./values";
import type { View } from "./view";

export const views: readonly View[] = [
  overview,
  flame,
  tree,
  hot,
  requests,
  timeline,
  source,
  story,
  values,
  allocations,
  exceptions,
  threads,
  files,
];

export function viewOf(name: string): View | null {
  return views.find((view) => view.name === name) ?? null;
}
