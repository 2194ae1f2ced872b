// A table of any number of rows of one height: only those in sight are in the document.
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Branch, listKey, treeKey } from "./rows";

export interface Column {
  /** Names the column in the URL (`sort`). */
  name: string;
  title: string;
  /** What the numbers mean, for the tooltip of the head. */
  help?: string;
  /** CSS width; the column without one takes the rest. */
  width?: string;
  /** Numbers stand to the right. */
  numeric?: boolean;
  sortable?: boolean;
  /** Not on narrow screens. */
  wideOnly?: boolean;
  /** Left out where the names would have too little room. */
  spare?: boolean;
}

export interface Sort {
  name: string;
  down: boolean;
}

/** The order that the URL asks for: `-NAME` is the largest first. */
export function sortOf(text: string | null, first: string): Sort {
  const name = text?.replace(/^-/, "") || first;
  return { name, down: text ? text.startsWith("-") : true };
}

/** Numbers begin with the largest, names with A; a second click turns the order round. */
export function nextSort(sort: Sort, name: string): string {
  const down = sort.name === name ? !sort.down : name !== "method";
  return `${down ? "-" : ""}${name}`;
}

export interface RowState extends Branch {
  selected?: boolean;
  dim?: boolean;
}

export interface TableProps {
  label: string;
  columns: readonly Column[];
  count: number;
  cell: (row: number, column: number) => ComponentChildren;
  state?: (row: number) => RowState;
  /** Names of rows for the renderer, so that a row that moves stays the same element. */
  rowKey?: (row: number) => string | number;
  sort?: Sort;
  onSort?: (name: string) => void;
  /** The row under the keyboard; the table scrolls to it when it changes. */
  active: number;
  onActive: (row: number) => void;
  /** A double click, and Enter where rows are no tree. In a tree it opens and closes the row. */
  onOpen?: (row: number) => void;
  /** Enter on a row of a tree. */
  onEnter?: (row: number) => void;
  foot?: readonly ComponentChildren[];
  tree?: boolean;
}

function rowHeight(): number {
  const text = getComputedStyle(document.documentElement).getPropertyValue("--row");
  return Number.parseFloat(text) || 22;
}

interface Sight {
  top: number;
  height: number;
}

function useSight(): [RefObject<HTMLDivElement | null>, Sight, number] {
  const box = useRef<HTMLDivElement>(null);
  const [sight, setSight] = useState<Sight>({ top: 0, height: 600 });
  const [row, setRow] = useState(22);
  useLayoutEffect(() => {
    const element = box.current as HTMLDivElement;
    const look = () => {
      setRow(rowHeight());
      setSight({ top: element.scrollTop, height: element.clientHeight });
    };
    const watcher = new ResizeObserver(look);
    watcher.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    look();
    return () => {
      watcher.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);
  return [box, sight, row];
}

export function Table(props: TableProps) {
  const { columns, count, active } = props;
  const [box, sight, height] = useSight();
  const head = 1;
  useEffect(() => {
    const element = box.current;
    if (element && active >= 0) {
      const top = active * height;
      const room = element.clientHeight - height * (head + (props.foot ? 1 : 0));
      if (top < element.scrollTop) {
        element.scrollTop = top;
      } else if (top + height > element.scrollTop + room) {
        element.scrollTop = top + height - room;
      }
    }
  }, [active, height, box]);
  const first = Math.max(0, Math.floor(sight.top / height) - 8);
  const last = Math.min(count, Math.ceil((sight.top + sight.height) / height) + 8);
  const template = columns.map((column) => column.width ?? "minmax(11rem, 1fr)").join(" ");
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const known = active >= 0 && active < count;
    const inTree = props.tree && known ? treeKey(event.key, active, (row) => props.state?.(row) ?? {}) : null;
    const action = inTree ?? listKey(event.key, active, count, Math.max(1, Math.floor(sight.height / height) - 3));
    const enter = props.tree ? props.onEnter : props.onOpen;
    if (!action || (action.kind === "enter" && !enter)) {
      return;
    }
    event.preventDefault();
    if (inTree) {
      event.stopPropagation();
    }
    if (action.kind === "go") {
      props.onActive(action.row);
    } else if (action.kind === "toggle") {
      props.onOpen?.(active);
    } else if (action.kind === "enter") {
      enter?.(active);
    }
  };
  const rows: ComponentChildren[] = [];
  for (let row = first; row < last; row++) {
    rows.push(<Row key={props.rowKey?.(row) ?? row} row={row} top={row * height} table={props} template={template} />);
  }
  return (
    <div
      ref={box}
      class="table"
      role={props.tree ? "treegrid" : "grid"}
      aria-label={props.label}
      aria-rowcount={count + 1}
      aria-colcount={columns.length}
      aria-activedescendant={active >= first && active < last ? `row-${active}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div class="table-inner">
        <Head {...props} template={template} />
        <div class="rows" role="rowgroup" style={{ height: `${count * height}px` }}>
          {rows}
        </div>
        {props.foot && (
          <div class="foot" role="rowgroup">
            <div class="row" role="row" style={{ gridTemplateColumns: template }}>
              {columns.map((column, at) => (
                <div key={column.name} role="gridcell" class={column.numeric ? "cell numeric" : "cell"}>
                  {props.foot?.[at]}
                </div>
              ))}
            </div>
          </div>
        )}
      </div>
    </div>
  );
}

function Head({ columns, sort, onSort, template }: TableProps & { template: string }) {
  return (
    <div class="head" role="rowgroup">
      <div class="row" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
        {columns.map((column) => {
          const sorted = sort?.name === column.name;
          const order = sorted ? (sort?.down ? "descending" : "ascending") : undefined;
          return (
            <div
              key={column.name}
              role="columnheader"
              class={column.numeric ? "cell numeric" : "cell"}
              title={column.help}
              aria-sort={order}
            >
              {column.sortable && onSort ? (
                <button type="button" tabIndex={-1} onClick={() => onSort(column.name)}>
                  {column.title}
                  {sorted && <span aria-hidden="true">{sort?.down ? " ▾" : " ▴"}</span>}
                </button>
              ) : (
                column.title
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Row({ row, top, table, template }: { row: number; top: number; table: TableProps; template: string }) {
  const state = table.state?.(row) ?? {};
  const classes = ["row"];
  if (row === table.active) {
    classes.push("active");
  }
  if (state.selected) {
    classes.push("selected");
  }
  if (state.dim) {
    classes.push("dimmed");
  }
  return (
    <div
      id={`row-${row}`}
      class={classes.join(" ")}
      role="row"
      aria-rowindex={row + 2}
      aria-level={state.level}
      aria-expanded={state.expanded}
      aria-selected={state.selected ?? false}
      style={{ gridTemplateColumns: template, transform: `translateY(${top}px)` }}
      onClick={() => table.onActive(row)}
      onDblClick={() => table.onOpen?.(row)}
    >
      {table.columns.map((column, at) => (
        <div key={column.name} role="gridcell" class={column.numeric ? "cell numeric" : "cell"}>
          {table.cell(row, at)}
        </div>
      ))}
    </div>
  );
}
