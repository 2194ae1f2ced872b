// Which columns of a table are shown: on narrow screens few, and those that the reader has not hidden (`less` in the URL).
import { useEffect, useState } from "preact/hooks";
import { one } from "../data/place";
import { useApp, usePlace } from "./context";
import type { Column } from "./table";

const narrow = "(max-width: 640px)";

function useNarrow(): boolean {
  const [is, setIs] = useState(() => matchMedia(narrow).matches);
  useEffect(() => {
    const query = matchMedia(narrow);
    const look = () => setIs(query.matches);
    query.addEventListener("change", look);
    return () => query.removeEventListener("change", look);
  }, []);
  return is;
}

function hiddenOf(text: string | null): string[] {
  return text ? text.split(",") : [];
}

/** The columns to show. The last one, the name, always stays. */
export function useColumns<C extends Column>(all: readonly C[]): C[] {
  const isNarrow = useNarrow();
  const hidden = hiddenOf(one(usePlace(), "less"));
  return all.filter(
    (column, at) => at === all.length - 1 || !(hidden.includes(column.name) || (isNarrow && column.wideOnly)),
  );
}

/** Chooses columns. */
export function ColumnMenu({ all }: { all: readonly Column[] }) {
  const { store } = useApp();
  const hidden = hiddenOf(one(usePlace(), "less"));
  const turn = (name: string) => {
    const next = hidden.includes(name) ? hidden.filter((one) => one !== name) : [...hidden, name];
    store.set({ less: next.join(",") || null }, "replace");
  };
  return (
    <details class="menu">
      <summary>Columns</summary>
      <fieldset>
        <legend class="offscreen">Columns that are shown</legend>
        {all.slice(0, -1).map((column) => (
          <label key={column.name}>
            <input type="checkbox" checked={!hidden.includes(column.name)} onChange={() => turn(column.name)} />
            {column.title}
          </label>
        ))}
      </fieldset>
    </details>
  );
}
