// What a view is: each folder beside this file exports one, and registry.ts lists them.
import type { ComponentChildren, FunctionComponent } from "preact";
import type { Ability } from "../data/documents";
import type { FilterKind } from "../frame/chips";

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
  /** It shows the call tree, logical or physical: of all threads together, or apart where the place says so. */
  callTree?: "merged" | "apart";
  /** The filters that its figures do not follow; the filter bar says so. */
  ignores?: readonly FilterKind[];
  component: FunctionComponent;
}
