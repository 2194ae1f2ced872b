import type { View } from "../view";
import { HotView } from "./hot";

export const hot: View = {
  name: "hot",
  title: "Hot spots",
  icon: <path d="M8 14a4 4 0 0 0 4-4c0-3-3-4-3-8c-3 2-5 4.5-5 7.5M4 9.500a4.200 4.200 0 0 0 4 4.500" />,
  needs: ["tree"],
  missing: "Hot spots add up the call tree, and this recording has none.",
  callTree: "apart",
  component: HotView,
};
