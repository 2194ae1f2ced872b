// The call tree: every path of calls with its times and counts.
import { useMemo } from "preact/hooks";
import { one } from "../../data/place";
import type { Shown } from "../../data/shown";
import { goesByCpu, type Tree } from "../../data/tree";
import { folded, grouped, search } from "../../data/tree_filter";
import { isWaiting, withWaiting } from "../../data/tree_waiting";
import { focusOn, hide } from "../../frame/actions";
import { ViewChoice } from "../../frame/callers";
import { ColumnMenu, useColumns } from "../../frame/columns";
import { useApp, useKeys, usePlace, useTree } from "../../frame/context";
import { Choices, Switch, Toolbar } from "../../frame/controls";
import { CopyTable } from "../../frame/copy";
import { groupings, groupName, Nothing, useGrouping } from "../../frame/grouping";
import { Ready } from "../../frame/states";
import { nextSort, type Sort, sortOf, Table } from "../../frame/table";
import { columnsOf, footCell, NameCell, numberCell } from "./cells";
import { jsonRows, textRows } from "./copy";
import { type Rows, useRows } from "./use_rows";

/** The order of rows: first, what used the processor most. */
function sortOfTree(text: string | null, tree: Tree): Sort {
  return sortOf(text, !tree.timed ? "calls" : tree.sampled ? "cpu" : "total");
}

/** Whether shares are of CPU time: there is enough of it, and no other order is asked for. */
function sharesCpu(tree: Tree, sort: Sort): boolean {
  return sort.name === "cpu" && goesByCpu(tree);
}

export function TreeView() {
  const tree = useTree();
  const place = usePlace();
  const by = useGrouping();
  const fold = one(place, "fold") === "1";
  const order = one(place, "sort");
  const full = tree.value;
  const nodes = useMemo(() => {
    if (!full) {
      return null;
    }
    const some = grouped(full.tree, by, groupName(by));
    const rows = fold ? folded(some) : some;
    return sharesCpu(rows, sortOfTree(order, rows)) ? withWaiting(rows) : rows;
  }, [full, by, fold, order]);
  return (
    <Ready of={tree} doing="Adding up the call tree">
      {(shown) => (nodes && nodes.count > 0 ? <Body shown={shown} tree={nodes} /> : <Nothing />)}
    </Ready>
  );
}

function Tools({ shown, tree, rows, byCpu }: { shown: Shown; tree: Tree; rows: Rows; byCpu: boolean }) {
  return (
    <Toolbar>
      <Choices label="Rows" name="by" of={groupings} />
      <ViewChoice />
      <Switch name="fold" label="Fold recursion" title="Levels of the same recursion as one row" />
      <Switch name="mine" label="My code" title="Other code's time counts as its callers' own (m)" />
      <Switch name="apart" label="Threads apart" title="A tree for each thread (t)" />
      <button
        type="button"
        class="quiet"
        title="Open the way to where the most time is lost (h)"
        onClick={rows.openHottest}
      >
        Hottest path
      </button>
      <button type="button" class="quiet" title="Expand all under the row (*)" onClick={rows.expandHere}>
        Expand all under
      </button>
      <span class="push" />
      <ColumnMenu all={columnsOf(tree, byCpu)} />
      <CopyTable rows={() => textRows(tree, rows.rows, shown, byCpu)} json={() => jsonRows(tree, rows.rows)} />
    </Toolbar>
  );
}

function Body({ shown, tree }: { shown: Shown; tree: Tree }) {
  const { store } = useApp();
  const place = usePlace();
  const sort = sortOfTree(one(place, "sort"), tree);
  const byCpu = sharesCpu(tree, sort);
  const found = useMemo(() => search(tree, one(place, "q")), [tree, one(place, "q")]);
  const all = useRows(tree, sort, found);
  const { rows, open, methodOf, here } = all;
  const nodeOf = (row: number) => rows[row] as number;
  const focusRow = (at: number) => {
    const method = methodOf(at);
    if (method) {
      focusOn(store, method);
    }
  };
  const hideRow = (at: number) => {
    const method = methodOf(at);
    if (method) {
      hide(store, method);
    }
  };
  useKeys("Call tree", [
    { key: "h", title: "Open the hottest path", run: all.openHottest },
    { key: "*", title: "Expand all under the row", run: all.expandHere },
    { key: "n", title: "Next match of the search", run: () => all.search(true) },
    { key: "Shift+N", title: "Previous match", run: () => all.search(false) },
    { key: "Enter", title: "Focus: only what ran below the row", run: () => focusRow(here()) },
    { key: "x", title: "Hide the row's method", run: () => hideRow(here()) },
    { key: "0", title: "Collapse all", run: all.collapse },
  ]);
  const columns = useColumns(columnsOf(tree, byCpu));
  const cell = (row: number, column: number) => {
    const node = nodeOf(row);
    const name = columns[column]?.name ?? "";
    return name === "method" ? (
      <NameCell tree={tree} node={node} expanded={open.has(node)} found={found} toggle={() => all.toggle(node)} />
    ) : (
      numberCell(name, tree, node, shown.sum, byCpu)
    );
  };
  const state = (row: number) => {
    const node = nodeOf(row);
    return {
      level: tree.depth[node] + 1,
      expanded: tree.end[node] > node + 1 ? open.has(node) : undefined,
      selected: tree.method[node] === all.method,
      dim: isWaiting(tree, node) || (found !== null && !found[tree.method[node]]),
    };
  };
  return (
    <>
      <Tools shown={shown} tree={tree} rows={all} byCpu={byCpu} />
      <Table
        tree
        label="Call tree"
        columns={columns}
        count={rows.length}
        cell={cell}
        rowKey={nodeOf}
        state={state}
        sort={sort}
        onSort={(name) => store.set({ sort: nextSort(sort, name) }, "replace")}
        active={all.active}
        onActive={all.activate}
        onOpen={(row) => all.toggle(nodeOf(row))}
        onEnter={(row) => focusRow(nodeOf(row))}
        foot={columns.map((column) => footCell(column.name, shown, tree, rows.length, byCpu))}
      />
    </>
  );
}
