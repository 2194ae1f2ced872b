// The call tree: every path of calls with its times and counts.
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { one } from "../../data/place";
import type { Shown } from "../../data/shown";
import { methodSums, roots, type Tree, totalCpu } from "../../data/tree";
import { findMethod, folded, grouped, search } from "../../data/tree_filter";
import { focusOn, hide, select } from "../../frame/actions";
import { ColumnMenu, useColumns } from "../../frame/columns";
import { useApp, useKeys, usePlace, useTree } from "../../frame/context";
import { Choices, Switch, Toolbar } from "../../frame/controls";
import { CopyTable } from "../../frame/copy";
import { groupings, groupName, Nothing, useGrouping } from "../../frame/grouping";
import { Ready } from "../../frame/states";
import { type Column, nextSort, sortOf, Table } from "../../frame/table";
import { Barred, Count, MethodName, Number_, Time } from "../../frame/text";
import { visible } from "../../text/foreign";
import { count, plain, share, time } from "../../text/format";
import { above, expandAll, foundNodes, heaviest, hottestPath, visibleRows } from "./rows";

export function TreeView() {
  const tree = useTree();
  const place = usePlace();
  const by = useGrouping();
  const fold = one(place, "fold") === "1";
  const full = tree.value;
  const nodes = useMemo(() => {
    if (!full) {
      return null;
    }
    const some = grouped(full.tree, by, groupName(by));
    return fold ? folded(some) : some;
  }, [full, by, fold]);
  return (
    <Ready of={tree} doing="Adding up the call tree">
      {(shown) => (nodes && nodes.count > 0 ? <Body shown={shown} tree={nodes} /> : <Nothing />)}
    </Ready>
  );
}

const timedColumns: readonly Column[] = [
  {
    name: "total",
    title: "Total",
    width: "6.6rem",
    numeric: true,
    sortable: true,
    help: "Time with everything that it called",
  },
  {
    name: "share",
    wideOnly: true,
    title: "Share",
    width: "4rem",
    numeric: true,
    help: "Total, as a share of the time of all shown roots",
  },
  {
    name: "own",
    wideOnly: true,
    title: "Own",
    width: "6.6rem",
    numeric: true,
    sortable: true,
    help: "Time without the recorded methods that it called",
  },
  {
    name: "calls",
    wideOnly: true,
    title: "Calls",
    width: "6.4rem",
    numeric: true,
    sortable: true,
    help: "Activations begun on this path",
  },
  {
    name: "mean",
    wideOnly: true,
    title: "Mean",
    width: "5.6rem",
    numeric: true,
    sortable: true,
    help: "Total divided by calls",
  },
  { name: "method", title: "Method", sortable: true },
];

const cpuColumn: Column = {
  name: "cpu",
  title: "CPU ~",
  wideOnly: true,
  width: "6.4rem",
  numeric: true,
  sortable: true,
  help: "Sampled CPU time with everything that it called",
};

const sampledColumns = [cpuColumn, ...timedColumns];

const countedColumns = timedColumns
  .filter((column) => ["calls", "method"].includes(column.name))
  .map((column) => ({ ...column, wideOnly: false }));

function useExpanded(tree: Tree): [ReadonlySet<number>, (next: ReadonlySet<number>) => void] {
  const first = useMemo(() => {
    const weight = tree.timed ? tree.total : tree.calls;
    const heavy = [...roots(tree)].sort((a, b) => weight[b] - weight[a]);
    const open = new Set(heavy.slice(0, 40));
    if (heavy[0] !== undefined) {
      for (const node of hottestPath(tree, heavy[0], weight, tree.own).slice(0, 6)) {
        open.add(node);
      }
    }
    return open;
  }, [tree]);
  const [state, setState] = useState<{ tree: Tree; expanded: ReadonlySet<number> }>({ tree, expanded: first });
  const expanded = state.tree === tree ? state.expanded : first;
  return [expanded, (next) => setState({ tree, expanded: next })];
}

function Body({ shown, tree }: { shown: Shown; tree: Tree }) {
  const { store } = useApp();
  const place = usePlace();
  const key = one(place, "method");
  const method = findMethod(tree, key);
  const [expanded, setExpanded] = useExpanded(tree);
  const [node, setNode] = useState(-1);
  const sort = sortOf(one(place, "sort"), !tree.timed ? "calls" : tree.sampled ? "cpu" : "total");
  const rows = useMemo(() => visibleRows(tree, expanded, sort), [tree, expanded, sort.name, sort.down]);
  const found = useMemo(() => search(tree, one(place, "q")), [tree, one(place, "q")]);
  const weight = tree.timed ? tree.total : tree.calls;
  const active = rows.indexOf(node);
  const reveal = useCallback(
    (target: number) => {
      const way = above(tree, target);
      if (way.some((each) => !expanded.has(each))) {
        setExpanded(new Set([...expanded, ...way]));
      }
      setNode(target);
    },
    [tree, expanded],
  );
  const own = useRef("");
  useEffect(() => {
    if (method >= 0 && tree.method[node] !== method && own.current !== key) {
      reveal(heaviest(tree, method, weight));
    }
    own.current = "";
  }, [tree, method]);
  const activate = (row: number) => {
    const to = rows[row];
    if (to !== undefined) {
      setNode(to);
      own.current = tree.methods[tree.method[to]]?.key ?? "";
      select(store, tree.methods[tree.method[to]]);
    }
  };
  const toggle = (at: number) => {
    const next = new Set(expanded);
    if (!next.delete(at)) {
      next.add(at);
    }
    setExpanded(next);
  };
  const here = () => (node >= 0 ? node : (rows[0] ?? -1));
  const jump = (forward: boolean) => {
    const hits = found ? foundNodes(tree, found) : [];
    const next = forward ? hits.find((hit) => hit > node) : hits.findLast((hit) => hit < node);
    const target = next ?? (forward ? hits[0] : hits.at(-1));
    if (target !== undefined) {
      reveal(target);
    }
  };
  useKeys("Call tree", [
    { key: "h", title: "Open the hottest path", run: () => openHottest() },
    { key: "*", title: "Expand all under the row", run: () => setExpanded(expandAll(tree, here(), expanded)) },
    { key: "n", title: "Next match of the search", run: () => jump(true) },
    { key: "Shift+N", title: "Previous match", run: () => jump(false) },
    { key: "Enter", title: "Focus: only what ran below the row", run: () => focusRow(here()) },
    { key: "x", title: "Hide the row's method", run: () => hideRow(here()) },
    { key: "0", title: "Collapse all", run: () => setExpanded(new Set()) },
  ]);
  const openHottest = () => {
    const heavy = roots(tree).reduce((best, root) => (best < 0 || weight[root] > weight[best] ? root : best), -1);
    const path = hottestPath(tree, node >= 0 ? node : heavy, weight, tree.own);
    setExpanded(new Set([...expanded, ...path]));
    const last = path.at(-1) ?? -1;
    setNode(last);
    own.current = tree.methods[tree.method[last]]?.key ?? "";
    select(store, tree.methods[tree.method[last]]);
  };
  const focusRow = (at: number) => {
    const row = tree.methods[tree.method[at]];
    if (row) {
      focusOn(store, row);
    }
  };
  const hideRow = (at: number) => {
    const row = tree.methods[tree.method[at]];
    if (row) {
      hide(store, row);
    }
  };
  const onKey = (event: KeyboardEvent, row: number): boolean => {
    const at = rows[row] as number;
    const branches = tree.end[at] > at + 1;
    if (event.key === "Enter") {
      focusRow(at);
      return true;
    }
    if (event.key === "ArrowRight" && branches) {
      expanded.has(at) ? activate(row + 1) : toggle(at);
      return true;
    }
    if (event.key === "ArrowLeft") {
      expanded.has(at) && branches ? toggle(at) : tree.parent[at] >= 0 && activate(rows.indexOf(tree.parent[at]));
      return true;
    }
    if (event.key === " " && branches) {
      toggle(at);
      return true;
    }
    return false;
  };
  const allColumns = !tree.timed ? countedColumns : tree.sampled ? sampledColumns : timedColumns;
  const columns = useColumns(allColumns);
  const draw = (row: number, column: number) => {
    const at = rows[row] as number;
    switch (columns[column]?.name) {
      case "total":
        return (
          <Barred part={tree.total[at]} whole={shown.sum.total}>
            <Time ns={tree.total[at]} />
          </Barred>
        );
      case "cpu":
        return <span class="plain">{totalCpu(tree)[at] > 0 && <Time ns={totalCpu(tree)[at]} />}</span>;
      case "share":
        return (
          <span class="plain">
            <Number_ of={share(tree.total[at], shown.sum.total)} />
          </span>
        );
      case "own":
        return (
          <Barred part={tree.own[at]} whole={shown.sum.total} kind="own">
            <Time ns={tree.own[at]} />
          </Barred>
        );
      case "calls":
        return tree.timed ? (
          <span class="plain">{isHead(tree, at) ? "" : <Count value={tree.calls[at]} of={count} />}</span>
        ) : (
          <Barred part={tree.calls[at]} whole={shown.sum.calls}>
            <Count value={tree.calls[at]} of={count} />
          </Barred>
        );
      case "mean":
        return <span class="plain">{tree.calls[at] > 0 && <Time ns={tree.total[at] / tree.calls[at]} />}</span>;
      default:
        return <TreeCell tree={tree} node={at} expanded={expanded.has(at)} found={found} toggle={() => toggle(at)} />;
    }
  };
  return (
    <>
      <Toolbar>
        <Choices label="Rows" name="by" of={groupings} />
        <Switch name="fold" label="Fold recursion" title="Levels of the same recursion as one row" />
        <Switch name="mine" label="My code" title="Other code's time counts as its callers' own (m)" />
        <Switch name="apart" label="Threads apart" title="A tree for each thread (t)" />
        <button
          type="button"
          class="quiet"
          title="Open the way to where the most time is lost (h)"
          onClick={openHottest}
        >
          Hottest path
        </button>
        <button
          type="button"
          class="quiet"
          title="Expand all under the row (*)"
          onClick={() => setExpanded(expandAll(tree, here(), expanded))}
        >
          Expand all under
        </button>
        <span class="push" />
        <ColumnMenu all={allColumns} />
        <CopyTable rows={() => textRows(tree, rows, shown)} json={() => jsonRows(tree, rows)} />
      </Toolbar>
      <Table
        tree
        label="Call tree"
        columns={columns}
        count={rows.length}
        cell={draw}
        rowKey={(row) => rows[row] as number}
        state={(row) => {
          const at = rows[row] as number;
          return {
            level: tree.depth[at] + 1,
            expanded: tree.end[at] > at + 1 ? expanded.has(at) : undefined,
            selected: tree.method[at] === method,
            dim: found !== null && !found[tree.method[at]],
          };
        }}
        sort={sort}
        onSort={(name) => store.set({ sort: nextSort(sort, name) }, "replace")}
        active={active}
        onActive={activate}
        onOpen={(row) => toggle(rows[row] as number)}
        onKey={onKey}
        foot={columns.map((column) => footCell(column.name, shown, tree, rows.length))}
      />
    </>
  );
}

function isHead(tree: Tree, node: number): boolean {
  return tree.methods[tree.method[node]]?.kind === "head";
}

function footCell(name: string, shown: Shown, tree: Tree, rows: number) {
  switch (name) {
    case "total":
      return <Time ns={shown.sum.total} />;
    case "share":
      return (
        shown.all.total > 0 && (
          <Number_ of={share(shown.sum.total, shown.all.total)} exact="Of the time of the whole session" />
        )
      );
    case "own":
      return <Time ns={methodSums(tree).own.reduce((sum, ns) => sum + ns, 0)} />;
    case "calls":
      return <Count value={shown.sum.calls} of={count} />;
    case "method":
      return (
        <span class="dim">
          {count(rows).number} of {count(tree.count).number} rows
          {shown.hidden > 0 && `, ${plain(time(shown.hidden))} hidden without a caller`}
          {shown.document.cut &&
            shown.document.cut.nodes > 0 &&
            `, ${count(shown.document.cut.nodes).number} small paths folded into (small)`}
        </span>
      );
    default:
      return null;
  }
}

interface TreeCellProps {
  tree: Tree;
  node: number;
  expanded: boolean;
  found: Uint8Array | null;
  toggle: () => void;
}

function TreeCell({ tree, node, expanded, found, toggle }: TreeCellProps) {
  const method = tree.methods[tree.method[node]];
  const branches = tree.end[node] > node + 1;
  return (
    <>
      <span class="indent" style={{ width: `${Math.min(tree.depth[node], 60) * 14}px` }} />
      {branches ? (
        <button
          type="button"
          class="twist"
          tabIndex={-1}
          aria-label={expanded ? "Collapse" : "Expand"}
          onClick={(event) => {
            event.stopPropagation();
            toggle();
          }}
        >
          {expanded ? "▾" : "▸"}
        </button>
      ) : (
        <span class="twist" aria-hidden="true" />
      )}
      {method &&
        (found?.[tree.method[node]] ? (
          <mark>
            <MethodName method={method} />
          </mark>
        ) : (
          <MethodName method={method} />
        ))}
      {tree.exceptions[node] > 0 && (
        <span class="tag" title="Activations that an exception ended">
          {count(tree.exceptions[node]).number} by exception
        </span>
      )}
      {tree.open[node] > 0 && (
        <span class="tag" title="Still running at the end">
          open
        </span>
      )}
    </>
  );
}

function textRows(tree: Tree, rows: Int32Array, shown: Shown): string[][] {
  const head = tree.timed ? ["Share", "Total", "Own", "Calls", "Method"] : ["Calls", "Method"];
  const lines = Array.from(rows, (node) => {
    const name = `${"  ".repeat(tree.depth[node])}${visible(tree.methods[tree.method[node]]?.name ?? "")}`;
    const calls = String(tree.calls[node]);
    return tree.timed
      ? [
          plain(share(tree.total[node], shown.sum.total)),
          plain(time(tree.total[node])),
          plain(time(tree.own[node])),
          calls,
          name,
        ]
      : [calls, name];
  });
  return [head, ...lines];
}

function jsonRows(tree: Tree, rows: Int32Array): unknown {
  return Array.from(rows, (node) => {
    const method = tree.methods[tree.method[node]];
    return {
      method: method?.name,
      module: method?.module,
      kind: method?.kind,
      depth: tree.depth[node],
      calls: tree.calls[node],
      exceptions: tree.exceptions[node],
      open: tree.open[node],
      own_ns: tree.timed ? tree.own[node] : null,
      total_ns: tree.timed ? tree.total[node] : null,
      min_ns: Number.isNaN(tree.min[node]) ? null : tree.min[node],
      max_ns: Number.isNaN(tree.max[node]) ? null : tree.max[node],
    };
  });
}
