import type { View } from "../view";
import { FlameView } from "./flame";

export const flame: View = {
  name: "flame",
  title: "Flame graph",
  icon: <path d="M2 13.5h12M2 10h9M2 6.5h5.5M2 3h2.5" />,
  needs: ["tree"],
  missing: "A flame graph shows the call tree, and this recording has none.",
  callTree: "apart",
  component: FlameView,
};
