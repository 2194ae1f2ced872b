import type { View } from "../view";
import "./requests.css";
import { RequestsView } from "./requests";

export const requests: View = {
  name: "requests",
  title: "Requests",
  icon: <path d="M2 5h9M8 2l3 3-3 3M14 11H5M8 8l-3 3 3 3" />,
  needs: ["requests"],
  missing: "This recording does not say with which methods requests begin.",
  ignores: ["range", "thread", "method"],
  component: RequestsView,
};
