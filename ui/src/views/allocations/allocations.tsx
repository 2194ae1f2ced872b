// Objects that the recorded code allocated: by type, and by method and line.
import { useMemo } from "preact/hooks";
import type { AllocationRow, AllocationType } from "../../data/events";
import { one } from "../../data/place";
import { useApp, useDocument, usePlace } from "../../frame/context";
import { Choices, Toolbar } from "../../frame/controls";
import { CopyTable } from "../../frame/copy";
import { Missing, Ready } from "../../frame/states";
import { type Column, Table } from "../../frame/table";
import { Barred, Count, Name, Number_ } from "../../frame/text";
import { bounded, visible } from "../../text/foreign";
import { bytes, count, digits, share } from "../../text/format";
import { globTest } from "../../text/name";
import { shortType } from "../story/rows";
import { type Amount, ofMethods, sortRows, total } from "./amounts";

export function AllocationsView() {
  const report = useDocument("report", { by: "allocations" });
  return (
    <Ready of={report} doing="Adding up allocations">
      {(value) => {
        const types = (value.types ?? []) as AllocationType[];
        const rows = (value.allocations ?? []) as AllocationRow[];
        return types.length === 0 ? (
          <Missing sentence="The recorded code allocated no objects." />
        ) : (
          <Body types={types} rows={rows} />
        );
      }}
    </Ready>
  );
}

const amounts: readonly Column[] = [
  {
    name: "bytes",
    title: "Bytes",
    width: "6.4rem",
    numeric: true,
    sortable: true,
    help: "Sizes of the objects, as far as they are known",
  },
  { name: "share", title: "Share", width: "4rem", numeric: true },
  { name: "count", title: "Objects", width: "6rem", numeric: true, sortable: true },
];

const columnsBy: Record<string, readonly Column[]> = {
  type: [...amounts, { name: "type", title: "Type", sortable: true }],
  method: [...amounts, { name: "method", title: "Method", sortable: true }],
  line: [
    ...amounts,
    { name: "type", title: "Type", width: "minmax(10rem, 1fr)", sortable: true },
    { name: "method", title: "Method", width: "minmax(10rem, 1.4fr)", sortable: true },
    { name: "place", title: "Line", width: "11rem" },
  ],
};

function Body({ types, rows }: { types: readonly AllocationType[]; rows: readonly AllocationRow[] }) {
  const { store, session } = useApp();
  const place = usePlace();
  const by = one(place, "by") ?? "type";
  const type = one(place, "type");
  const q = one(place, "q");
  const key = one(place, "sort") ?? "bytes";
  const down = !key.startsWith("-");
  const name = key.replace(/^-/, "");
  const files = useDocument(session.page.has.sources || session.page.has.lines ? "files" : null);
  const documents = useMemo(
    () => new Map((files.value?.files ?? []).map((file) => [file.path, file.document])),
    [files.value],
  );
  const all = useMemo<Amount[]>(() => {
    const some = type === null ? rows : rows.filter((row) => row.type === type);
    const made: Amount[] =
      by === "type"
        ? types.map((row) => ({ ...row }))
        : by === "method"
          ? ofMethods(some)
          : some.map((row) => ({ ...row }));
    const test = q ? globTest(q) : null;
    return made.filter((row) => !test || test(row.type ?? "") || test(row.method ?? ""));
  }, [types, rows, by, type, q]);
  const sorted = useMemo(() => sortRows(all, name, down), [all, name, down]);
  const sum = total(sorted);
  const columns = columnsBy[by] ?? (columnsBy.type as readonly Column[]);
  const chosen = one(place, "row");
  const active = sorted.findIndex((row) => rowKey(row) === chosen);
  const sourceOf = (row: Amount): string | null => {
    const document = row.file ? documents.get(row.file) : undefined;
    return document === undefined || !row.line
      ? null
      : store.link("source", { document: String(document), line: String(row.line) });
  };
  const open = (index: number) => {
    const row = sorted[index];
    if (row && by === "type") {
      store.set({ by: "line", type: row.type ?? null, row: null });
    } else if (row) {
      const link = sourceOf(row);
      if (link) {
        location.hash = link;
      }
    }
  };
  return (
    <>
      <Toolbar>
        <Choices
          label="Group by"
          name="by"
          of={[
            { value: "type", label: "Types" },
            { value: "method", label: "Methods" },
            { value: "line", label: "Lines" },
          ]}
        />
        {type !== null && by !== "type" && (
          <span class="chip">
            {bounded(shortType(type), 80)}
            <button type="button" aria-label="Show all types" onClick={() => store.set({ type: null })}>
              ×
            </button>
          </span>
        )}
        {session.info.lost ? <span class="chip warn">too low by what was lost</span> : null}
        <span class="push" />
        <CopyTable
          rows={() => [
            ["bytes", "objects", "type", "method", "line"],
            ...sorted.map((row) => [
              String(row.bytes ?? ""),
              String(row.count),
              row.type ?? "",
              row.method ?? "",
              String(row.line ?? ""),
            ]),
          ]}
          json={() => sorted}
        />
      </Toolbar>
      <Table
        label="Allocations"
        columns={columns}
        count={sorted.length}
        active={active}
        onActive={(index) => {
          const row = sorted[index];
          store.set({ row: row ? rowKey(row) : null, ...(row?.method ? { method: row.method } : {}) }, "replace");
        }}
        onOpen={open}
        rowKey={(index) => rowKey(sorted[index] as Amount)}
        sort={{ name, down }}
        onSort={(next) => store.set({ sort: next === name && down ? `-${next}` : next }, "replace")}
        cell={(index, column) => (
          <Cell
            row={sorted[index] as Amount}
            name={columns[column]?.name ?? ""}
            sum={sum}
            source={sourceOf(sorted[index] as Amount)}
            drill={by === "type"}
          />
        )}
        foot={columns.map((column) =>
          column.name === "bytes" ? (
            <Count value={sum.bytes} of={bytes} />
          ) : column.name === "count" ? (
            <Count value={sum.count} of={count} />
          ) : column.name === "type" || column.name === "method" ? (
            <span class="dim">{digits(sorted.length)} rows</span>
          ) : null,
        )}
      />
    </>
  );
}

function rowKey(row: Amount): string {
  return [row.type ?? "", row.method ?? "", row.file ?? "", row.line ?? "", row.offset ?? ""].join(" ");
}

function Cell({
  row,
  name,
  sum,
  source,
  drill,
}: {
  row: Amount;
  name: string;
  sum: { bytes: number; count: number };
  source: string | null;
  drill: boolean;
}) {
  const { store } = useApp();
  switch (name) {
    case "bytes":
      return (
        <Barred part={row.bytes ?? 0} whole={sum.bytes}>
          <Count value={row.bytes} of={bytes} />
          {row.unsized > 0 && (
            <span class="dim" title={`${digits(row.unsized)} objects have no known size`}>
              +
            </span>
          )}
        </Barred>
      );
    case "share":
      return (
        <span class="plain">
          <Number_ of={share(row.bytes ?? 0, sum.bytes)} />
        </span>
      );
    case "count":
      return (
        <span class="plain">
          <Count value={row.count} of={count} />
        </span>
      );
    case "type":
      return (
        <span class="plain allocations-type" title={bounded(row.type ?? "", 1000)}>
          {drill ? (
            <a href={store.link("allocations", { by: "line", type: row.type ?? null, row: null })}>
              {row.type ? visible(bounded(shortType(row.type), 300)) : "type not known"}
            </a>
          ) : (
            <bdi>{row.type ? bounded(shortType(row.type), 300) : "type not known"}</bdi>
          )}
        </span>
      );
    case "method":
      return (
        <span class="plain allocations-type">
          <Name name={row.method ?? ""} />
        </span>
      );
    default: {
      const text = row.file && row.line ? `${row.file.split("/").at(-1)}:${row.line}` : "";
      return (
        <span class="plain allocations-type" title={bounded(row.file ?? "", 1000)}>
          {source ? <a href={source}>{bounded(text, 120)}</a> : <span class="dim">{bounded(text, 120)}</span>}
        </span>
      );
    }
  }
}
