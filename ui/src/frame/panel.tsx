// Beside the view: details of what is selected. Sections are listed here; each says by itself whether it has something.
import type { FunctionComponent } from "preact";
import { one, type Place } from "../data/place";
import { usePlace } from "./context";
import { MethodPanel } from "./panel_method";

export interface PanelSection {
  name: string;
  /** Whether the place selects something that this section shows. */
  shows: (place: Place) => boolean;
  component: FunctionComponent;
}

/** In the order in which they stand below each other. */
export const sections: readonly PanelSection[] = [
  { name: "method", shows: (place) => one(place, "method") !== null, component: MethodPanel },
];

export function Panel() {
  const place = usePlace();
  const open = sections.filter((section) => section.shows(place));
  if (open.length === 0) {
    return null;
  }
  return (
    <aside class="panel" aria-label="Details" tabIndex={0}>
      {open.map((section) => (
        <section.component key={section.name} />
      ))}
    </aside>
  );
}
