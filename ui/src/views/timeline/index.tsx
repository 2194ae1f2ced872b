import type { View } from "../view";
import "./timeline.css";
import { TimelineView } from "./timeline";

export const timeline: View = {
  name: "timeline",
  title: "Timeline",
  icon: <path d="M2.5 4h6M5 8h8.5M8.5 12h4M2.5 8h.01M2.5 12h3" />,
  needs: ["calls"],
  missing: "This recording has sums, not the order of calls: it has no timeline.",
  ignores: ["method"],
  component: TimelineView,
};
