import type { View } from "../view";
import "./allocations.css";
import { AllocationsView } from "./allocations";

export const allocations: View = {
  name: "allocations",
  title: "Allocations",
  icon: <path d="M3 5.5 8 3l5 2.5v5L8 13l-5-2.5zM3 5.5 8 8l5-2.5M8 8v5" />,
  needs: ["allocations"],
  missing: "This recording has no allocations.",
  ignores: ["range", "thread", "method"],
  component: AllocationsView,
};
