import type { View } from "../view";
import { TreeView } from "./tree";

export const tree: View = {
  name: "tree",
  title: "Call tree",
  icon: <path d="M3 3h6M3 3v9.5h3M3 7.7h3M8 7.7h5M8 12.5h5" />,
  needs: ["tree"],
  missing: "This recording has no call tree.",
  callTree: "apart",
  component: TreeView,
};
