import type { View } from "../view";
import { ThreadsView } from "./threads";

export const threads: View = {
  name: "threads",
  title: "Threads",
  icon: <path d="M3 2.5c0 4 4 3 4 7v4M8.500 2.500c0 4-3 4 1.500 7v4M13 2.500v11" />,
  ignores: ["range", "thread", "method"],
  component: ThreadsView,
};
