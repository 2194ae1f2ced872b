// A plain list on the shared table: columns with values, sorted by a click, copied as text and JSON.
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { one } from "../data/place";
import { globTest } from "../text/name";
import { useColumns } from "./columns";
import { useApp, usePlace } from "./context";
import { Toolbar } from "./controls";
import { CopyTable } from "./copy";
import { type Column, nextSort, sortOf, Table } from "./table";

export interface ListColumn<R> extends Column {
  /** What the column sorts by, and what is copied. */
  value: (row: R) => number | string | null;
  draw?: (row: R) => ComponentChildren;
  foot?: (rows: readonly R[]) => ComponentChildren;
}

interface ListProps<R> {
  label: string;
  columns: readonly ListColumn<R>[];
  rows: readonly R[];
  /** The key of the URL for the order, and the column that it begins with. */
  sortKey: string;
  first: string;
  selected?: (row: R) => boolean;
  onOpen?: (row: R) => void;
  /** What the search looks at. */
  text: (row: R) => string;
  children?: ComponentChildren;
}

function inOrder<R>(rows: readonly R[], column: ListColumn<R> | undefined, down: boolean): R[] {
  if (!column) {
    return [...rows];
  }
  const sign = down ? -1 : 1;
  return [...rows].sort((left, right) => {
    const a = column.value(left) ?? -1;
    const b = column.value(right) ?? -1;
    return a === b ? 0 : a < b ? -sign : sign;
  });
}

export function List<R>(props: ListProps<R>) {
  const { rows, sortKey } = props;
  const columns = useColumns(props.columns);
  const { store } = useApp();
  const place = usePlace();
  const [active, setActive] = useState(-1);
  const sort = sortOf(one(place, sortKey), props.first);
  const query = one(place, "q");
  const shown = useMemo(() => {
    const test = query ? globTest(query) : null;
    const some = test ? rows.filter((row) => test(props.text(row))) : rows;
    return inOrder(
      some,
      columns.find((column) => column.name === sort.name),
      sort.down,
    );
  }, [rows, query, sort.name, sort.down]);
  const copied = () => [
    columns.map((column) => column.title),
    ...shown.map((row) => columns.map((column) => String(column.value(row) ?? ""))),
  ];
  return (
    <>
      <Toolbar>
        {props.children}
        <span class="push" />
        <CopyTable rows={copied} json={() => shown} />
      </Toolbar>
      <Table
        label={props.label}
        columns={columns}
        count={shown.length}
        cell={(at, column) => {
          const of = columns[column];
          const row = shown[at];
          return of && row !== undefined ? of.draw ? of.draw(row) : <span class="plain">{of.value(row)}</span> : null;
        }}
        state={(at) => ({ selected: shown[at] !== undefined && (props.selected?.(shown[at] as R) ?? false) })}
        sort={sort}
        onSort={(name) => store.set({ [sortKey]: nextSort(sort, name) }, "replace")}
        active={active}
        onActive={setActive}
        onOpen={(at) => shown[at] !== undefined && props.onOpen?.(shown[at] as R)}
        foot={columns.map((column) => column.foot?.(shown) ?? null)}
      />
    </>
  );
}
