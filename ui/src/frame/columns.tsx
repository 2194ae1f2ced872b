// Which columns of a table are shown: on narrow screens few, where names need the room fewer, and those that the reader has not hidden (`less` in the URL).
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
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

/** The width of the view in px: the panel beside it takes a part of the window. */
function useRoom(): number {
  const [room, setRoom] = useState(Number.POSITIVE_INFINITY);
  useLayoutEffect(() => {
    const view = document.getElementById("view");
    const look = () => setRoom(view?.clientWidth ?? Number.POSITIVE_INFINITY);
    const watcher = new ResizeObserver(look);
    if (view) {
      watcher.observe(view);
    }
    look();
    return () => watcher.disconnect();
  }, []);
  return room;
}

/** In px, as far as the columns say it. */
function widthOf(columns: readonly Column[]): number {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  return rem * columns.reduce((sum, column) => sum + Number.parseFloat(column.width ?? String(nameWidth)), 0);
}

/** The least room for names, in rem. */
const nameWidth = 17;

function hiddenOf(text: string | null): string[] {
  return text ? text.split(",") : [];
}

/** The columns to show. The last one, the name, always stays. */
export function useColumns<C extends Column>(all: readonly C[]): C[] {
  const isNarrow = useNarrow();
  const room = useRoom();
  const hidden = hiddenOf(one(usePlace(), "less"));
  let columns = all.filter(
    (column, at) => at === all.length - 1 || !(hidden.includes(column.name) || (isNarrow && column.wideOnly)),
  );
  for (const spare of columns.filter((column) => column.spare)) {
    if (widthOf(columns) > room) {
      columns = columns.filter((column) => column !== spare);
    }
  }
  return columns;
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
