import type { View } from "../view";
import { Overview } from "./overview";

export const overview: View = {
  name: "overview",
  title: "Overview",
  icon: <path d="M2.5 13.5v-4M6.2 13.5v-8M9.8 13.5v-5M13.5 13.5v-11" />,
  callTree: "merged",
  component: Overview,
};
