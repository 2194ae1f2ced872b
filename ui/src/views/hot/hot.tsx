// Hot spots: methods, classes or modules by own time, each with its callers or callees.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { asyncRow } from "../../data/async";
import { one } from "../../data/place";
import type { Shown } from "../../data/shown";
import { methodSums, roots, type Tree, totalCpu } from "../../data/tree";
import { findMethod, type Grouping, grouped, search } from "../../data/tree_filter";
import { focusOn, hide, select } from "../../frame/actions";
import { AsyncCell, asyncColumns } from "../../frame/async";
import { ViewChoice } from "../../frame/callers";
import { ColumnMenu, useColumns } from "../../frame/columns";
import { useApp, useKeys, usePlace, useTree } from "../../frame/context";
import { Choices, Switch, Toolbar } from "../../frame/controls";
import { CopyTable } from "../../frame/copy";
import { groupings, groupName, Nothing, useGrouping } from "../../frame/grouping";
import { Legend } from "../../frame/legend";
import { toggled } from "../../frame/rows";
import { Missing, Ready } from "../../frame/states";
import { type Column, nextSort, sortOf, Table } from "../../frame/table";
import { Barred, Count, MethodName, Number_, Time } from "../../frame/text";
import { visible } from "../../text/foreign";
import { count, plain, share, time } from "../../text/format";
import { type HotRow, hotRows, inSight, type Way } from "./rows";

export function HotView() {
  const tree = useTree();
  const by = useGrouping();
  const value = tree.value;
  const nodes = useMemo(() => value && grouped(value.tree, by, groupName(by)), [value, by]);
  return (
    <Ready of={tree} doing="Adding up the methods">
      {(shown) => (nodes && nodes.count > 0 ? <Body shown={shown} tree={nodes} by={by} /> : <Nothing />)}
    </Ready>
  );
}

function columnsOf(shown: Shown, by: Grouping): Column[] {
  const title = { method: "Method", class: "Class", module: "Module" }[by];
  const sampled: Column = {
    name: "cpu",
    title: "CPU ~",
    width: "6.4rem",
    numeric: true,
    sortable: true,
    help: "Sampled CPU time of its own time; nothing where no sample was taken",
  };
  const timed: Column[] = [
    ...(shown.tree.sampled ? [sampled] : []),
    {
      name: "own",
      title: "Own",
      width: "7rem",
      numeric: true,
      sortable: true,
      help: "Time without the recorded methods that it called",
    },
    {
      name: "share",
      spare: true,
      wideOnly: true,
      title: "Share",
      width: "4rem",
      numeric: true,
      help: "Own time, as a share of all that is shown",
    },
    {
      name: "total",
      wideOnly: true,
      title: "Total",
      width: "7rem",
      numeric: true,
      sortable: true,
      help: "Time of outermost activations: recursion counts once",
    },
    { name: "mean", spare: true, wideOnly: true, title: "Own a call", width: "6rem", numeric: true, sortable: true },
    {
      name: "max",
      spare: true,
      wideOnly: true,
      title: "Longest",
      width: "6rem",
      numeric: true,
      sortable: true,
      help: "The longest ended activation, callees included",
    },
    ...(shown.tree.async ? asyncColumns : []),
  ];
  return [
    ...(shown.tree.timed ? timed : []),
    {
      name: "calls",
      wideOnly: shown.tree.timed,
      title: "Calls",
      width: "6.4rem",
      numeric: true,
      sortable: true,
      help: "Activations begun",
    },
    ...(shown.all.exceptions > 0
      ? [
          {
            name: "exceptions",
            wideOnly: true,
            title: "Exceptions",
            width: "6rem",
            numeric: true,
            sortable: true,
            help: "Activations that an exception ended",
          },
        ]
      : []),
    { name: "method", title, sortable: true },
  ];
}

function Body({ shown, tree, by }: { shown: Shown; tree: Tree; by: Grouping }) {
  const { store } = useApp();
  const place = usePlace();
  const way: Way = one(place, "way") === "callees" ? "callees" : "callers";
  const key = one(place, "method");
  const method = findMethod(tree, key);
  const sort = sortOf(one(place, "sort"), !tree.timed ? "calls" : tree.sampled ? "cpu" : "own");
  const [opened, setOpened] = useState<{ of: unknown; ids: ReadonlySet<string> }>({ of: null, ids: new Set() });
  const [id, setId] = useState("");
  const all = useMemo(() => hotRows(tree, way), [tree, way]);
  const found = useMemo(() => search(tree, one(place, "q")), [tree, one(place, "q")]);
  const top = useMemo(() => (found ? all.filter((row) => found[row.method]) : all), [all, found]);
  const expanded = opened.of === all ? opened.ids : new Set<string>();
  const rows = useMemo(() => inSight(tree, top, expanded, sort), [tree, top, opened, all, sort.name, sort.down]);
  const chosen = useRef("");
  useEffect(() => {
    if (method >= 0 && chosen.current !== key) {
      setId(String(method));
    }
    chosen.current = "";
  }, [method, key]);
  const active = rows.findIndex((row) => row.id === id);
  const toggle = (row: HotRow) => setOpened({ of: all, ids: toggled(expanded, row.id) });
  const activate = (at: number) => {
    const row = rows[at];
    if (row) {
      setId(row.id);
      chosen.current = tree.methods[row.method]?.key ?? "";
      select(store, tree.methods[row.method]);
    }
  };
  const here = () => tree.methods[rows[active]?.method ?? -1];
  const step = (by: number) => rows.length > 0 && activate((Math.max(active, 0) + by + rows.length) % rows.length);
  const turn = (to: Way) => store.set({ way: to === "callers" ? null : to });
  useKeys("Hot spots", [
    { key: "c", title: "Below each row its callers", run: () => turn("callers") },
    { key: "e", title: "Below each row its callees", run: () => turn("callees") },
    { key: "n", title: "Next row", run: () => step(1) },
    { key: "Shift+N", title: "Previous row", run: () => step(-1) },
    { key: "Enter", title: "Focus: only what ran below the row", run: () => focusOn_(here()) },
    { key: "x", title: "Hide the row's method", run: () => hide_(here()) },
    { key: "0", title: "Collapse all", run: () => setOpened({ of: all, ids: new Set() }) },
  ]);
  const focusOn_ = (row: Tree["methods"][number] | undefined) => row && focusOn(store, row);
  const hide_ = (row: Tree["methods"][number] | undefined) => row && hide(store, row);
  const allColumns = columnsOf(shown, by);
  const columns = useColumns(allColumns);
  const cell = (at: number, column: number) => {
    const row = rows[at] as HotRow;
    const name = columns[column]?.name ?? "";
    return name === "method" ? (
      <NameCell tree={tree} row={row} way={way} open={expanded.has(row.id)} toggle={() => toggle(row)} />
    ) : (
      numberCell(name, row, shown)
    );
  };
  if (by !== "method" && tree.count === 0) {
    return <Missing sentence="Nothing ran." />;
  }
  return (
    <>
      <Toolbar>
        <Choices label="Rows" name="by" of={groupings} />
        <Choices
          label="Below each row"
          name="way"
          of={[
            { value: "callers", label: "Callers", title: "Below each row who called it (c)" },
            { value: "callees", label: "Callees", title: "Below each row what it called (e)" },
          ]}
        />
        <ViewChoice />
        <Switch name="mine" label="My code" title="Other code's time counts as its callers' own (m)" />
        <span class="push" />
        <ColumnMenu all={allColumns} />
        <CopyTable rows={() => textRows(tree, rows)} json={() => jsonRows(tree, rows)} />
      </Toolbar>
      <Table
        tree
        label="Hot spots"
        columns={columns}
        count={rows.length}
        cell={cell}
        rowKey={(at) => (rows[at] as HotRow).id}
        state={(at) => {
          const row = rows[at] as HotRow;
          return {
            level: row.level + 1,
            expanded: row.opens ? expanded.has(row.id) : undefined,
            selected: row.method === method,
          };
        }}
        sort={sort}
        onSort={(name) => store.set({ sort: nextSort(sort, name) }, "replace")}
        active={active}
        onActive={activate}
        onOpen={(at) => toggle(rows[at] as HotRow)}
        onEnter={(at) => focusOn_(tree.methods[(rows[at] as HotRow).method])}
        foot={columns.map((column) => footCell(column.name, shown, top, all.length))}
      />
      <Legend shown={shown} />
    </>
  );
}

/** CPU time of everything that is shown. */
function cpuSum({ tree }: Shown): number {
  const all = totalCpu(tree);
  return roots(tree).reduce((sum, root) => sum + (all[root] ?? 0), 0);
}

function numberCell(name: string, row: HotRow, shown: Shown) {
  switch (name) {
    case "own":
      return (
        <Barred part={row.own} whole={shown.sum.total} kind="own">
          <Time ns={row.own} />
        </Barred>
      );
    case "cpu":
      return (
        <Barred part={row.cpu} whole={cpuSum(shown)}>
          {row.cpu > 0 && <Time ns={row.cpu} />}
        </Barred>
      );
    case "total":
      return (
        <Barred part={row.total} whole={shown.sum.total}>
          <Time ns={row.total} />
        </Barred>
      );
    case "calls":
      return (
        <Barred part={row.calls} whole={shown.tree.timed ? 0 : shown.sum.calls}>
          <Count value={row.calls} of={count} />
        </Barred>
      );
    case "share":
      return <span class="plain">{<Number_ of={share(row.own, shown.sum.total)} />}</span>;
    case "mean":
      return <span class="plain">{row.calls > 0 && <Time ns={row.own / row.calls} />}</span>;
    case "max":
      return <span class="plain">{!Number.isNaN(row.max) && <Time ns={row.max} />}</span>;
    case "latency":
    case "awaiting":
      return <AsyncCell name={name} latency={row.latency} awaiting={row.awaiting} whole={shown.sum.awaiting} />;
    default:
      return <span class="plain">{row.exceptions > 0 && <Count value={row.exceptions} of={count} />}</span>;
  }
}

function footCell(name: string, shown: Shown, top: readonly HotRow[], all: number) {
  const add = (of: (row: HotRow) => number) => top.reduce((sum, row) => sum + of(row), 0);
  switch (name) {
    case "own":
      return <Time ns={add((row) => row.own)} />;
    case "cpu":
      return <Time ns={add((row) => row.cpu)} />;
    case "share":
      return (
        <Number_
          of={share(
            add((row) => row.own),
            shown.sum.total,
          )}
        />
      );
    case "calls":
      return <Count value={add((row) => row.calls)} of={count} />;
    case "exceptions":
      return <Count value={add((row) => row.exceptions)} of={count} />;
    case "method":
      return (
        <span class="dim">
          {top.length === all
            ? `${count(all).number} ${all === 1 ? "row" : "rows"}`
            : `${count(top.length).number} of ${count(all).number} rows`}
          {shown.hidden > 0 && `, ${plain(time(shown.hidden))} hidden without a caller`}
        </span>
      );
    default:
      return null;
  }
}

interface NameCellProps {
  tree: Tree;
  row: HotRow;
  way: Way;
  open: boolean;
  toggle: () => void;
}

function NameCell({ tree, row, way, open, toggle }: NameCellProps) {
  const method = tree.methods[row.method];
  return (
    <>
      <span class="indent" style={{ width: `${Math.min(row.level, 60) * 14}px` }} />
      {row.opens ? (
        <button
          type="button"
          class="twist"
          tabIndex={-1}
          aria-label={open ? "Collapse" : `Show ${way}`}
          onClick={(event) => {
            event.stopPropagation();
            toggle();
          }}
        >
          {open ? "▾" : "▸"}
        </button>
      ) : (
        <span class="twist" aria-hidden="true" />
      )}
      {row.level > 0 && (
        <span class="arrow" aria-hidden="true">
          {way === "callers" ? "←" : "→"}
        </span>
      )}
      {method && <MethodName method={method} />}
    </>
  );
}

function textRows(tree: Tree, rows: readonly HotRow[]): string[][] {
  return [
    [
      ...(tree.sampled ? ["CPU"] : []),
      "Own",
      "Total",
      "Calls",
      ...(tree.async ? ["Latency", "Awaiting"] : []),
      "Method",
    ],
    ...rows.map((row) => [
      ...(tree.sampled ? [plain(time(row.cpu))] : []),
      plain(time(tree.timed ? row.own : null)),
      plain(time(tree.timed ? row.total : null)),
      String(row.calls),
      ...(tree.async ? [plain(time(row.latency)), plain(time(row.awaiting || null))] : []),
      `${"  ".repeat(row.level)}${visible(tree.methods[row.method]?.name ?? "")}`,
    ]),
  ];
}

function jsonRows(tree: Tree, rows: readonly HotRow[]): unknown {
  return rows.map((row) => ({
    method: tree.methods[row.method]?.name,
    module: tree.methods[row.method]?.module,
    level: row.level,
    calls: row.calls,
    exceptions: row.exceptions,
    own_ns: tree.timed ? row.own : null,
    own_cpu_ns: tree.sampled ? row.cpu : null,
    total_ns: tree.timed ? row.total : null,
    min_ns: Number.isNaN(row.min) ? null : row.min,
    max_ns: Number.isNaN(row.max) ? null : row.max,
    ...(row.level === 0 ? asyncRow(methodSums(tree).async, row.method, tree.timed) : {}),
  }));
}
