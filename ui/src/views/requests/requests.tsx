// Requests: a row for each method with which they begin; of the chosen one, its latencies and what it waited for.
import { useMemo } from "preact/hooks";
import type { Await } from "../../data/async";
import type { RequestRow } from "../../data/documents";
import { one } from "../../data/place";
import { Awaits } from "../../frame/async";
import { ColumnMenu, useColumns } from "../../frame/columns";
import { useApp, useDocument, useKeys, usePlace } from "../../frame/context";
import { Toolbar } from "../../frame/controls";
import { CopyTable } from "../../frame/copy";
import { Missing, Ready } from "../../frame/states";
import { type Column, nextSort, sortOf, Table } from "../../frame/table";
import { Barred, Count, Name, Time } from "../../frame/text";
import { bounded, visible } from "../../text/foreign";
import { count, plain, time } from "../../text/format";
import { Latencies } from "./picture";
import { failed, rowKey, sortRows, timeOf } from "./rows";
import { Slowest } from "./slowest";

export function RequestsView() {
  const report = useDocument("report", { by: "requests" });
  return (
    <Ready of={report} doing="Finding requests">
      {(value) =>
        value.requests?.length ? (
          <Body rows={value.requests} started={value.started_calls ?? 0} />
        ) : (
          <Missing sentence="No requests: nothing was called but by the program's own threads." />
        )
      }
    </Ready>
  );
}

function latency(name: string, title: string, help: string, spare = false): Column {
  return { name, title, help, spare, width: "6rem", numeric: true, sortable: true, wideOnly: name !== "p50" };
}

const columnsOfAll: readonly Column[] = [
  { name: "calls", title: "Requests", width: "5.6rem", numeric: true, sortable: true, help: "How many began" },
  {
    name: "failures",
    title: "Failed",
    width: "4.8rem",
    numeric: true,
    sortable: true,
    wideOnly: true,
    help: "Those that an exception or a cancellation ended",
  },
  latency("p50", "p50", "Half of the latencies are at most this long, within 6 %"),
  latency("p90", "p90", "90 % of the latencies are at most this long, within 6 %", true),
  latency("p99", "p99", "99 % of the latencies are at most this long, within 6 %"),
  latency("max", "Max", "The longest latency, exact", true),
  latency("running", "Running", "Time of their own code and of all that they called, on all threads"),
  latency("awaiting", "Awaiting", "Time in which they or what they called waited"),
  { name: "method", title: "Method", sortable: true },
];

function Body({ rows, started }: { rows: readonly RequestRow[]; started: number }) {
  const { store } = useApp();
  const place = usePlace();
  const sort = sortOf(one(place, "sort"), "time");
  const q = one(place, "q");
  const shown = useMemo(() => sortRows(rows, sort, q), [rows, sort.name, sort.down, q]);
  const key = one(place, "row");
  const active = shown.findIndex((row) => rowKey(row) === key);
  const columns = useColumns(columnsOfAll);
  const choose = (at: number) => {
    const row = shown[at];
    store.set({ row: row ? rowKey(row) : null }, "replace");
  };
  const step = (by: number) => shown.length > 0 && choose((Math.max(active, 0) + by + shown.length) % shown.length);
  const openTree = (row: RequestRow | undefined) => row && store.open("tree", treeOf(row));
  useKeys("Requests", [
    { key: "n", title: "Next row", run: () => step(1) },
    { key: "Shift+N", title: "Previous row", run: () => step(-1) },
    { key: "Enter", title: "The call tree of the row's requests", run: () => openTree(shown[active]) },
  ]);
  const whole = Math.max(0, ...shown.map(timeOf));
  return (
    <>
      <Toolbar>
        <span class="dim">
          Methods that no recorded method has called, but for those with which threads begin
          {started > 0 && `, and ${plain(count(started))} calls that the program started itself`}
        </span>
        <span class="push" />
        <ColumnMenu all={columnsOfAll} />
        <CopyTable rows={() => textRows(shown)} json={() => shown} />
      </Toolbar>
      <Table
        label="Requests"
        columns={columns}
        count={shown.length}
        cell={(at, column) => <Cell row={shown[at] as RequestRow} name={columns[column]?.name ?? ""} whole={whole} />}
        rowKey={(at) => rowKey(shown[at] as RequestRow)}
        state={(at) => ({ selected: at === active })}
        sort={sort}
        onSort={(name) => store.set({ sort: nextSort(sort, name) }, "replace")}
        active={active}
        onActive={choose}
        onOpen={(at) => openTree(shown[at])}
        foot={columns.map((column) => foot(column.name, shown, rows.length))}
      />
      {shown[active] && <Detail row={shown[active] as RequestRow} />}
    </>
  );
}

/** The place of a method's calls in the call tree, which is logical. */
function treeOf(row: RequestRow) {
  return { under: row.method, method: row.method, view: null };
}

function Cell({ row, name, whole }: { row: RequestRow; name: string; whole: number }) {
  switch (name) {
    case "calls":
      return (
        <span class="plain">
          <Count value={row.calls} of={count} />
        </span>
      );
    case "failures":
      return <span class="plain">{failed(row) > 0 && <Count value={failed(row)} of={count} />}</span>;
    case "running":
      return (
        <Barred part={row.running_ns ?? 0} whole={whole} kind="own">
          <Time ns={row.running_ns} />
        </Barred>
      );
    case "awaiting":
      return (
        <Barred part={row.awaiting_ns ?? 0} whole={whole} kind="awaiting">
          {row.awaiting_ns !== 0 && <Time ns={row.awaiting_ns} />}
        </Barred>
      );
    case "method":
      return (
        <>
          <Name name={row.method} title={`${bounded(row.method, 2000)}\n${bounded(row.module ?? "")}`} />
          {row.parent && (
            <span class="tag" title="Something in the recording called the method; what it was is not known">
              caller unknown
            </span>
          )}
          {(row.open > 0 || row.pending > 0) && (
            <span class="tag" title="Requests that at the end ran or waited">
              {count(row.open + row.pending).number} not ended
            </span>
          )}
        </>
      );
    default:
      return (
        <span class="plain">
          <Time ns={row[`${name}_ns` as "p50_ns"]} />
        </span>
      );
  }
}

function foot(name: string, rows: readonly RequestRow[], all: number) {
  const add = (of: (row: RequestRow) => number) => rows.reduce((sum, row) => sum + of(row), 0);
  switch (name) {
    case "calls":
      return <Count value={add((row) => row.calls)} of={count} />;
    case "failures":
      return <Count value={add(failed)} of={count} />;
    case "method":
      return (
        <span class="dim">
          {rows.length === all ? count(all).number : `${count(rows.length).number} of ${count(all).number}`}{" "}
          {all === 1 ? "row" : "rows"}
        </span>
      );
    default:
      return null;
  }
}

function Detail({ row }: { row: RequestRow }) {
  const { store, session } = useApp();
  return (
    <section class="requests-detail" aria-label="The chosen requests" tabIndex={0}>
      <header>
        <h2>
          <bdi>{bounded(row.method, 600)}</bdi>
        </h2>
        <a href={store.link("tree", treeOf(row))}>Call tree</a>
        <a href={store.link("flame", { ...treeOf(row), weight: "latency" })}>Flame graph</a>
      </header>
      <div class="columns">
        <div>
          <h3>Latencies</h3>
          {row.histogram.length > 0 && row.p50_ns !== null ? (
            <Latencies row={row} />
          ) : (
            <p class="dim">The recording has no latency of any of them.</p>
          )}
        </div>
        <div>
          <h3>Awaits</h3>
          <WaitedFor row={row} />
        </div>
      </div>
      {session.page.has.slowest && row.latencies > 0 && <Slowest row={row} />}
    </section>
  );
}

function WaitedFor({ row }: { row: RequestRow }) {
  const { session } = useApp();
  const files = useDocument(session.page.has.lines ? "files" : null);
  const documents = useMemo(
    () => new Map((files.value?.files ?? []).map((file) => [file.path, file.document])),
    [files.value],
  );
  const rows: Await[] = row.awaits.map(({ what, file, line, count: times, awaiting_ns }) => ({
    place: { what, file, line, document: file === null ? null : (documents.get(file) ?? null) },
    count: times,
    awaiting: awaiting_ns ?? Number.NaN,
  }));
  return rows.length > 0 ? <Awaits rows={rows} most={12} /> : <p class="dim">They waited for nothing.</p>;
}

function textRows(rows: readonly RequestRow[]): string[][] {
  return [
    ["Requests", "Failed", "p50", "p90", "p99", "Max", "Running", "Awaiting", "Method"],
    ...rows.map((row) => [
      String(row.calls),
      String(failed(row)),
      ...[row.p50_ns, row.p90_ns, row.p99_ns, row.max_ns, row.running_ns, row.awaiting_ns].map((ns) => plain(time(ns))),
      visible(row.method) + (row.parent ? " (caller unknown)" : ""),
    ]),
  ];
}
