import type { View } from "../view";
import "./exceptions.css";
import { ExceptionsView } from "./exceptions";

export const exceptions: View = {
  name: "exceptions",
  title: "Exceptions",
  icon: <path d="M8 2 14.5 13.5H1.5zM8 6.5v3.5M8 11.7v.3" />,
  needs: ["exceptions"],
  missing: "This recording has no exceptions: it was made without the call tree, or by an earlier version.",
  ignores: ["range", "thread", "method"],
  component: ExceptionsView,
};
