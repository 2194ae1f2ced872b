import type { View } from "../view";
import "./values.css";
import { ValuesView } from "./values";

export const values: View = {
  name: "values",
  title: "Values",
  icon: <path d="M2.5 12h3V7h3.5v3H12V4h1.5" />,
  needs: ["values"],
  missing: "This recording has no values of variables.",
  ignores: ["thread", "method"],
  component: ValuesView,
};
