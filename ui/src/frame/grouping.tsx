// Rows by method, class or module: for the call tree, the hot spots and the flame graph.
import { one } from "../data/place";
import type { Method } from "../data/tree";
import type { Grouping } from "../data/tree_filter";
import { classOf } from "../text/name";
import { usePlace } from "./context";
import { Missing } from "./states";

export function groupName(by: Grouping): (method: Method) => string {
  return by === "class" ? (method) => classOf(method.name, method.kind) : (method) => method.module ?? "(no module)";
}

export const groupings = [
  { value: "method", label: "Methods" },
  { value: "class", label: "Classes" },
  { value: "module", label: "Modules" },
] as const;

export function useGrouping(): Grouping {
  const by = one(usePlace(), "by");
  return by === "class" || by === "module" ? by : "method";
}

export function Nothing() {
  return <Missing sentence="The filters leave nothing to show. Backspace removes the last of them." />;
}
