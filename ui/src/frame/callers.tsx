// Who the callers of async methods are: the methods that called them, or what resumed them. For the views on the call tree.

import { one } from "../data/place";
import { physicalBy, useApp, usePlace } from "./context";
import { Choices } from "./controls";

/** The choice between both, where the recording and the filters leave it. */
export function ViewChoice() {
  const { session } = useApp();
  const place = usePlace();
  if (!session.page.has.logical || physicalBy(place, one(place, "apart") === "1")) {
    return null;
  }
  return (
    <Choices
      label="Callers of async methods"
      name="view"
      of={[
        { value: "logical", label: "Logical", title: "Async methods below the methods that called them" },
        { value: "physical", label: "Physical", title: "Async methods below what resumed them, as the stacks were" },
      ]}
    />
  );
}
