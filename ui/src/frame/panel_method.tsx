// The selected method: its sums under the filters, who calls it, what it calls, and where the numbers come from.
import { useMemo } from "preact/hooks";
import { awaitsOf, meanLatency } from "../data/async";
import { ownCpu } from "../data/figures";
import { one } from "../data/place";
import type { Shown } from "../data/shown";
import { methodSums, type Tree } from "../data/tree";
import { callee, callersOf } from "../data/tree_callers";
import { calleesOf, findMethod } from "../data/tree_filter";
import { bounded } from "../text/foreign";
import { count, share } from "../text/format";
import { categoryNames, focusOn, hide } from "./actions";
import { Awaits } from "./async";
import { chipsOf } from "./chips";
import { useApp, usePlace, useTree } from "./context";
import { Command, CopyButton } from "./copy";
import { RunLinks } from "./runs";
import { Ready } from "./states";
import { Barred, Count, MethodName, Number_, Time } from "./text";

export function MethodPanel() {
  const { store } = useApp();
  const key = one(usePlace(), "method");
  const tree = useTree();
  return (
    <>
      <header>
        <h2 class="title">
          <bdi>{bounded(key ?? "", 600)}</bdi>
        </h2>
        <button
          type="button"
          class="icon"
          aria-label="Close the panel"
          title="Close (Esc)"
          onClick={() => store.set({ method: null })}
        >
          ×
        </button>
      </header>
      {tree.value && (
        <Ready of={tree} doing="Adding up the call tree">
          {(shown) => <Known shown={shown} method={findMethod(shown.tree, key)} />}
        </Ready>
      )}
    </>
  );
}

function Known({ shown, method }: { shown: Shown; method: number }) {
  const { store } = useApp();
  const { tree } = shown;
  const sums = methodSums(tree);
  const row = tree.methods[method];
  if (!row || sums.nodes[method] === 0) {
    return <p class="dim">It did not run in what the filters show.</p>;
  }
  return (
    <>
      <p class="dim">
        <i class={`dot cat-${row.category}`} aria-hidden="true" />
        {row.module ? bounded(row.module, 200) : "no module"}, {categoryNames[row.category]}
      </p>
      <div class="actions">
        <button type="button" title="Show only what ran below it (Enter)" onClick={() => focusOn(store, row)}>
          Focus
        </button>
        <button
          type="button"
          title="Leave it out; its time counts as its callers' own"
          onClick={() => hide(store, row)}
        >
          Hide
        </button>
        <a href={store.link("flame", { show: "sandwich" })}>Callers and callees</a>
        {row.document !== null && <a href={store.link("source")}>Source</a>}
        <CopyButton label="Copy name" title="Copy the whole name" text={() => row.name} />
      </div>
      <RunLinks />
      <Figures shown={shown} method={method} />
      <Waiting shown={shown} method={method} />
      <Neighbours shown={shown} method={method} />
      <Origin shown={shown} />
    </>
  );
}

function Figures({ shown, method }: { shown: Shown; method: number }) {
  const { tree, sum } = shown;
  const sums = methodSums(tree);
  const calls = sums.calls[method];
  const timed = tree.timed;
  return (
    <section>
      <dl class="facts-list">
        {timed && <Figure label="Total" ns={sums.total[method]} of={sum.total} />}
        {timed && <Figure label="Own" ns={sums.own[method]} of={sum.total} />}
        {tree.sampled && <Figure label="CPU, sampled" ns={ownCpu(sums, method)} />}
        <dt>Calls</dt>
        <dd>
          <Count value={calls} of={count} />
        </dd>
        <dd class="dim">
          <Number_ of={share(calls, sum.calls)} />
        </dd>
        {timed && calls > 0 && <Figure label="Own a call" ns={sums.own[method] / calls} />}
        {timed && <Figure label="Shortest" ns={sums.min[method]} />}
        {timed && <Figure label="Longest" ns={sums.max[method]} />}
        {sums.exceptions[method] > 0 && (
          <>
            <dt>Left by exception</dt>
            <dd>
              <Count value={sums.exceptions[method]} of={count} />
            </dd>
            <dd class="dim">
              <Number_ of={share(sums.exceptions[method], calls)} />
            </dd>
          </>
        )}
        {sums.open[method] > 0 && (
          <>
            <dt>Still running</dt>
            <dd>
              <Count value={sums.open[method]} of={count} />
            </dd>
            <dd />
          </>
        )}
      </dl>
    </section>
  );
}

/** Of an async method: what its activations took, what they waited for, and where. */
function Waiting({ shown, method }: { shown: Shown; method: number }) {
  const { tree, sum } = shown;
  const async = methodSums(tree).async;
  const rows = useMemo(() => awaitsOf(tree.async, (node) => tree.method[node] === method), [tree, method]);
  if (!async || async.runs[method] === 0) {
    return null;
  }
  const {
    ended,
    pending,
    unknownEnds,
    cancelled,
    runs,
    latency,
    latencyMin,
    latencyMax,
    ownAwaiting,
    awaiting,
    parallel,
  } = async;
  return (
    <section>
      <h3>Async</h3>
      <dl class="facts-list">
        {tree.timed && ended[method] > 0 && (
          <>
            <Figure label="Latency, mean" ns={meanLatency(async, method)} />
            <Figure label="Latency, sum" ns={latency[method]} />
            <Figure label="Shortest latency" ns={latencyMin[method]} />
            <Figure label="Longest latency" ns={latencyMax[method]} />
          </>
        )}
        {tree.timed && <Figure label="Awaiting" ns={awaiting[method]} of={sum.awaiting} />}
        {tree.timed && <Figure label="Own awaiting" ns={ownAwaiting[method]} of={sum.awaiting} />}
        <Amount label="Runs" value={runs[method]} />
        {pending[method] > 0 && (
          <Amount label={unknownEnds[method] > 0 ? "Pending or failed" : "Pending"} value={pending[method]} />
        )}
        {cancelled[method] > 0 && <Amount label="Cancelled" value={cancelled[method]} />}
      </dl>
      {parallel[method] > 0 && (
        <p class="dim">parallel: some of what ran and waited below it overlapped, so together it took longer</p>
      )}
      {rows.length > 0 && (
        <>
          <h3 class="after">Awaits</h3>
          <Awaits rows={rows} />
        </>
      )}
    </section>
  );
}

function Amount({ label, value }: { label: string; value: number }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>
        <Count value={value} of={count} />
      </dd>
      <dd />
    </>
  );
}

function Figure({ label, ns, of }: { label: string; ns: number; of?: number }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>
        <Time ns={ns} />
      </dd>
      <dd class="dim">{of !== undefined && <Number_ of={share(ns, of)} />}</dd>
    </>
  );
}

interface Neighbour {
  method: number;
  weight: number;
  calls: number;
}

function neighbours(tree: Tree, method: number): { callers: Neighbour[]; callees: Neighbour[] } {
  const callers = callersOf(tree, callee(tree, method)).map((caller) => ({
    method: caller.method,
    weight: tree.timed ? caller.total : caller.calls,
    calls: caller.calls,
  }));
  const callees = calleesOf(tree, method).map((row) => ({
    method: row.method,
    weight: tree.timed ? row.total : row.calls,
    calls: row.calls,
  }));
  const heavy = (a: Neighbour, b: Neighbour) => b.weight - a.weight;
  return { callers: callers.sort(heavy), callees: callees.sort(heavy) };
}

/** Why nothing recorded calls the method. */
function uncalled(startedBy: string | null | undefined): string {
  if (startedBy === undefined) {
    return "Only from outside of the recorded code.";
  }
  return startedBy === null
    ? "Started by several methods, which hand it over to be run elsewhere."
    : `Started by ${bounded(startedBy, 300)}, which hands it over to be run elsewhere.`;
}

function Neighbours({ shown, method }: { shown: Shown; method: number }) {
  const { tree } = shown;
  const found = useMemo(() => neighbours(tree, method), [tree, method]);
  const sums = methodSums(tree);
  const all = tree.timed ? sums.total[method] : sums.calls[method];
  return (
    <>
      <List
        title="Called by"
        none={uncalled(tree.methods[method]?.startedBy)}
        tree={tree}
        rows={found.callers}
        all={all}
      />
      <List title="Calls" none="Nothing that was recorded." tree={tree} rows={found.callees} all={all} />
    </>
  );
}

interface ListProps {
  title: string;
  none: string;
  tree: Tree;
  rows: readonly Neighbour[];
  all: number;
}

function List({ title, none, tree, rows, all }: ListProps) {
  const { store } = useApp();
  const place = usePlace();
  const few = rows.slice(0, 12);
  return (
    <section>
      <h3>{title}</h3>
      {few.length === 0 && <p class="dim">{none}</p>}
      <div class="mini">
        {few.map((row) => {
          const method = tree.methods[row.method];
          return method ? (
            <a key={row.method} href={store.link(place.view, { method: method.key })}>
              <span class="cell numeric">
                <Barred part={row.weight} whole={all}>
                  {tree.timed ? <Time ns={row.weight} /> : <Count value={row.calls} of={count} />}
                </Barred>
              </span>
              <span class="cell plain">
                <MethodName method={method} />
              </span>
            </a>
          ) : null;
        })}
      </div>
      {rows.length > few.length && <p class="dim">and {rows.length - few.length} more</p>}
    </section>
  );
}

/** Where a number comes from, and the command that prints the same. */
function Origin({ shown }: { shown: Shown }) {
  const { session } = useApp();
  const place = usePlace();
  const { info } = session;
  const filters = chipsOf(place).map((chip) => chip.label);
  const exact = shown.document.exact;
  return (
    <section>
      <h3>Where the numbers come from</h3>
      <p class="dim">
        Recorded by {info.instruments.join(", ") || "tree"}, clock {info.clock}
        {info.adjusted ? ", the probes' calibrated cost subtracted" : ", the probes' cost included"}.{" "}
        {exact
          ? "Every call was counted."
          : `Not exact: ${bounded(shown.document.why ?? "the range is approximate", 300)}`}
        {filters.length > 0 ? ` Filters: ${filters.join(", ")}.` : " No filters."}
      </p>
      <Command line={`clew report ${session.page.file} --by methods`} />
    </section>
  );
}
