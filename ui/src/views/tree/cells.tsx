// The columns of the call tree, and what stands in them.
import { meanLatency } from "../../data/async";
import type { Shown } from "../../data/shown";
import { methodSums, type Tree, totalCpu, wholeCpu } from "../../data/tree";
import { AsyncCell, asyncColumns } from "../../frame/async";
import type { Column } from "../../frame/table";
import { Barred, Count, MethodName, Number_, Time } from "../../frame/text";
import { count, plain, type Quantity, share, time } from "../../text/format";

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
    spare: true,
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
    spare: true,
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

const countedColumns = timedColumns
  .filter((column) => ["calls", "method"].includes(column.name))
  .map((column) => ({ ...column, wideOnly: false }));

const sampledShare = {
  title: "Share ~",
  help: "Sampled CPU time with everything that it called, as a share of that of all shown roots: wall time includes waiting",
};

/** byCpu: shares are of sampled CPU time. */
export function columnsOf(tree: Tree, byCpu: boolean): readonly Column[] {
  return !tree.timed
    ? countedColumns
    : [
        ...(tree.sampled ? [cpuColumn] : []),
        ...timedColumns
          .slice(0, -1)
          .map((column) => (byCpu && column.name === "share" ? { ...column, ...sampledShare } : column)),
        ...(tree.async ? asyncColumns : []),
        ...timedColumns.slice(-1),
      ];
}

/** The share of a node as text has it too: nothing where CPU time counts and no sample was taken. */
export function shareOf(tree: Tree, node: number, sum: Shown["sum"], byCpu: boolean): Quantity {
  const cpu = totalCpu(tree)[node];
  return byCpu ? share(cpu > 0 ? cpu : Number.NaN, wholeCpu(tree)) : share(tree.total[node], sum.total);
}

/** A number of a node. sum: of all that is shown. */
export function numberCell(name: string, tree: Tree, node: number, sum: Shown["sum"], byCpu: boolean) {
  const total = tree.total[node];
  const own = tree.own[node];
  const calls = tree.calls[node];
  switch (name) {
    case "total":
      return (
        <Barred part={byCpu ? 0 : total} whole={sum.total}>
          <Time ns={total} />
        </Barred>
      );
    case "cpu":
      return (
        <Barred part={byCpu ? totalCpu(tree)[node] : 0} whole={wholeCpu(tree)}>
          {totalCpu(tree)[node] > 0 && <Time ns={totalCpu(tree)[node]} />}
        </Barred>
      );
    case "share":
      return (
        <span class="plain">
          <Number_ of={shareOf(tree, node, sum, byCpu)} />
        </span>
      );
    case "own":
      return (
        <Barred part={own} whole={sum.total} kind="own">
          <Time ns={own} />
        </Barred>
      );
    case "calls":
      return tree.timed ? (
        <span class="plain">{isHead(tree, node) ? "" : <Count value={calls} of={count} />}</span>
      ) : (
        <Barred part={calls} whole={sum.calls}>
          <Count value={calls} of={count} />
        </Barred>
      );
    case "latency":
    case "awaiting":
      return (
        <AsyncCell
          name={name}
          latency={meanLatency(tree.async, node)}
          awaiting={tree.async?.awaiting[node] ?? 0}
          whole={sum.awaiting}
        />
      );
    default:
      return <span class="plain">{calls > 0 && <Time ns={total / calls} />}</span>;
  }
}

function isHead(tree: Tree, node: number): boolean {
  return tree.methods[tree.method[node]]?.kind === "head";
}

export function footCell(name: string, shown: Shown, tree: Tree, rows: number, byCpu: boolean) {
  switch (name) {
    case "total":
      return <Time ns={shown.sum.total} />;
    case "share":
      return (
        shown.all.total > 0 && (
          <Number_
            of={byCpu ? share(wholeCpu(tree), wholeCpu(shown.full)) : share(shown.sum.total, shown.all.total)}
            exact={byCpu ? "Of the sampled CPU time of the whole session" : "Of the time of the whole session"}
          />
        )
      );
    case "cpu":
      return <Time ns={wholeCpu(tree)} />;
    case "own":
      return <Time ns={methodSums(tree).own.reduce((sum, ns) => sum + ns, 0)} />;
    case "awaiting":
      return <Time ns={shown.sum.awaiting} />;
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

/** What the report says of the row of an async method. */
function AsyncTags({ tree, node }: { tree: Tree; node: number }) {
  const { pending, unknownEnds, cancelled, parallel, folded } = tree.async ?? {};
  return (
    <>
      {pending && pending[node] > 0 && (
        <span class="tag" title="Activations that at the end neither ran nor were seen to end">
          {count(pending[node]).number} pending{unknownEnds && unknownEnds[node] > 0 && " or failed"}
        </span>
      )}
      {cancelled && cancelled[node] > 0 && (
        <span class="tag" title="Activations that a cancellation ended">
          {count(cancelled[node]).number} cancelled
        </span>
      )}
      {parallel && parallel[node] > 0 && (
        <span class="tag quiet" title="Some of what ran and waited below it overlapped: together it took longer">
          parallel
        </span>
      )}
      {folded && folded[node] > 0 && (
        <span class="tag quiet" title="It also has activations further down a recursion of more than 4,096 async calls">
          folded
        </span>
      )}
    </>
  );
}

interface NameCellProps {
  tree: Tree;
  node: number;
  expanded: boolean;
  found: Uint8Array | null;
  toggle: () => void;
}

export function NameCell({ tree, node, expanded, found, toggle }: NameCellProps) {
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
      <AsyncTags tree={tree} node={node} />
    </>
  );
}
