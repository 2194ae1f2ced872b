// What was thrown and caught: by type, and by place of the throw and of the catch.
import { useMemo } from "preact/hooks";
import type { ExceptionRow, ExceptionType } from "../../data/events";
import { one } from "../../data/place";
import { useApp, useDocument, usePlace } from "../../frame/context";
import { Choices, Toolbar } from "../../frame/controls";
import { CopyTable } from "../../frame/copy";
import { Missing, Ready } from "../../frame/states";
import { type Column, Table } from "../../frame/table";
import { Barred, Count, Name, Number_ } from "../../frame/text";
import { bounded, visible } from "../../text/foreign";
import { count, digits, share } from "../../text/format";
import { globTest } from "../../text/name";
import { shortType } from "../story/rows";
import {
  caughtAt,
  messageText,
  ofPlaces,
  ofTypes,
  type Row,
  rowKey,
  sortRows,
  texts,
  thrownAt,
  total,
  typeText,
} from "./rows";

export function ExceptionsView() {
  const report = useDocument("report", { by: "exceptions" });
  return (
    <Ready of={report} doing="Adding up exceptions">
      {(value) => {
        const types = (value.types ?? []) as ExceptionType[];
        const rows = (value.exceptions ?? []) as ExceptionRow[];
        const outside = (value.thrown_outside ?? 0) as number;
        return types.length === 0 ? (
          <Missing
            sentence={
              outside > 0
                ? `${digits(outside)} exceptions were thrown on threads that ran no recorded code, and no others.`
                : "No exceptions were thrown."
            }
          />
        ) : (
          <Body types={types} rows={rows} outside={outside} />
        );
      }}
    </Ready>
  );
}

const columnsBy: Record<string, readonly Column[]> = {
  type: [
    {
      name: "count",
      title: "Thrown",
      width: "6.4rem",
      numeric: true,
      sortable: true,
      help: "Each throw counts, also one that throws again",
    },
    { name: "share", title: "Share", width: "4rem", numeric: true },
    {
      name: "caught",
      title: "Caught",
      width: "6rem",
      numeric: true,
      sortable: true,
      help: "By managed code; others were replaced, taken by the runtime, or are still in flight",
    },
    { name: "type", title: "Type", sortable: true },
  ],
  place: [
    { name: "count", title: "Count", width: "6.4rem", numeric: true, sortable: true },
    { name: "share", title: "Share", width: "4rem", numeric: true },
    { name: "type", title: "Type", width: "minmax(9rem, 1fr)", sortable: true },
    { name: "thrown", title: "Thrown in", width: "minmax(9rem, 1.3fr)", sortable: true },
    { name: "in", title: "Caught in", width: "minmax(9rem, 1.3fr)", sortable: true },
    {
      name: "message",
      title: "First message",
      width: "minmax(7rem, 1fr)",
      help: "Of the first exception of the row",
    },
  ],
};

interface BodyProps {
  types: readonly ExceptionType[];
  rows: readonly ExceptionRow[];
  outside: number;
}

/** The rows that the place asks for, in its order. */
function useRows({ types, rows }: BodyProps) {
  const place = usePlace();
  const by = one(place, "by") === "place" ? "place" : "type";
  const type = one(place, "type");
  const q = one(place, "q");
  const key = one(place, "sort") ?? "count";
  const down = !key.startsWith("-");
  const name = key.replace(/^-/, "");
  const all = useMemo(() => {
    const test = q ? globTest(q) : null;
    const made = by === "type" ? ofTypes(types) : ofPlaces(rows, type);
    return made.filter((row) => !test || texts(row).some(test));
  }, [types, rows, by, type, q]);
  const sorted = useMemo(() => sortRows(all, name, down), [all, name, down]);
  return { by, type, name, down, sorted };
}

function Body(props: BodyProps) {
  const { store } = useApp();
  const { by, type, name, down, sorted } = useRows(props);
  const chosen = one(usePlace(), "row");
  const sum = total(sorted);
  const columns = columnsBy[by] as readonly Column[];
  return (
    <>
      <Toolbar>
        <Choices
          label="Group by"
          name="by"
          of={[
            { value: "type", label: "Types" },
            { value: "place", label: "Places" },
          ]}
        />
        {type !== null && by === "place" && (
          <span class="chip">
            {bounded(shortType(type), 80)}
            <button type="button" aria-label="Show all types" onClick={() => store.set({ type: null })}>
              ×
            </button>
          </span>
        )}
        {props.outside > 0 && (
          <span class="chip" title="What threads throw that ran no recorded code is counted without type">
            {digits(props.outside)} more elsewhere
          </span>
        )}
        <span class="push" />
        <CopyTable
          rows={() => copied(sorted)}
          json={() => (by === "type" ? props.types : sorted.map((row) => row.place))}
        />
      </Toolbar>
      <Table
        label="Exceptions"
        columns={columns}
        count={sorted.length}
        active={sorted.findIndex((row) => rowKey(row) === chosen)}
        onActive={(index) => {
          const row = sorted[index];
          const method = row?.place?.method;
          store.set({ row: row ? rowKey(row) : null, ...(method ? { method } : {}) }, "replace");
        }}
        onOpen={(index) => {
          const row = sorted[index];
          if (row && by === "type") {
            store.set({ by: "place", type: row.type, row: null });
          }
        }}
        rowKey={(index) => rowKey(sorted[index] as Row)}
        sort={{ name, down }}
        onSort={(next) => store.set({ sort: next === name && down ? `-${next}` : next }, "replace")}
        cell={(index, column) => (
          <Cell row={sorted[index] as Row} name={columns[column]?.name ?? ""} whole={sum.count} />
        )}
        foot={columns.map((column) =>
          column.name === "count" || column.name === "caught" ? (
            <Count value={sum[column.name]} of={count} />
          ) : column.name === "type" ? (
            <span class="dim">{digits(sorted.length)} rows</span>
          ) : null,
        )}
      />
    </>
  );
}

function copied(rows: readonly Row[]): string[][] {
  const at = (where: { before: string; method: string | null }) => `${where.before}${where.method ?? ""}`;
  return [
    ["count", "caught", "type", "thrown in", "caught in", "first message"],
    ...rows.map((row) => [
      String(row.count),
      String(row.caught),
      row.type ?? "",
      row.place ? at(thrownAt(row.place)) : "",
      row.place ? at(caughtAt(row.place)) : "",
      row.place?.message ?? "",
    ]),
  ];
}

function Place({ of }: { of: { before: string; method: string | null } }) {
  const { store } = useApp();
  return (
    <span class="plain exceptions-text">
      {of.before && <span class="dim">{of.before}</span>}
      {of.method && (
        <a href={store.link("tree", { method: of.method })} title="Show it in the call tree">
          <Name name={of.method} />
        </a>
      )}
    </span>
  );
}

function TypeCell({ row }: { row: Row }) {
  const { store } = useApp();
  const text = visible(bounded(typeText(row), 300));
  return (
    <span class="plain exceptions-text" title={bounded(row.type ?? "", 1000)}>
      {row.place ? (
        <bdi>{text}</bdi>
      ) : (
        <a href={store.link("exceptions", { by: "place", type: row.type, row: null })}>{text}</a>
      )}
    </span>
  );
}

function Cell({ row, name, whole }: { row: Row; name: string; whole: number }) {
  switch (name) {
    case "count":
      return (
        <Barred part={row.count} whole={whole}>
          <Count value={row.count} of={count} />
        </Barred>
      );
    case "share":
      return (
        <span class="plain">
          <Number_ of={share(row.count, whole)} />
        </span>
      );
    case "caught":
      return (
        <span class="plain">
          <Count value={row.caught} of={count} />
        </span>
      );
    case "type":
      return <TypeCell row={row} />;
    case "thrown":
      return row.place && <Place of={thrownAt(row.place)} />;
    case "in":
      return row.place && <Place of={caughtAt(row.place)} />;
    default: {
      const message = row.place ? messageText(row.place) : "";
      return (
        <span class="plain exceptions-text" title={bounded(message, 1000)}>
          <bdi>{visible(bounded(message, 300))}</bdi>
        </span>
      );
    }
  }
}
