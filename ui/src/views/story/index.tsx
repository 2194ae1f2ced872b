import type { View } from "../view";
import "./story.css";
import { StoryView } from "./story";

export const story: View = {
  name: "story",
  title: "Story",
  icon: <path d="M2.5 3.5h8M5 6.5h8.5M5 9.5h6M2.5 12.5h7" />,
  needs: ["calls", "statements", "values"],
  missing: "This recording has sums, not the order of calls: it has no story.",
  ignores: ["method"],
  component: StoryView,
};
