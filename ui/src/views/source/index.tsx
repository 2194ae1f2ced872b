import type { View } from "../view";
import "./source.css";
import { SourceView } from "./source";

export const source: View = {
  name: "source",
  title: "Source",
  icon: <path d="M6 4 2.5 8 6 12M10 4l3.5 4L10 12" />,
  needs: ["sources", "lines", "statements"],
  missing: "This recording names no sources.",
  ignores: ["range", "thread", "method"],
  component: SourceView,
};
