// What a frame is, beside the pointer.
import { useLayoutEffect, useRef } from "preact/hooks";
import { meanLatency } from "../../data/async";
import type { Tree } from "../../data/tree";
import { categoryNames } from "../../frame/actions";
import { Count, Name, Number_, Time } from "../../frame/text";
import { bounded } from "../../text/foreign";
import { count, share } from "../../text/format";
import { type WeightName, type Weights, weightKinds } from "./layout";

export interface TipAt {
  node: number;
  x: number;
  y: number;
}

/** What the numbers are of. */
export interface Weighed {
  tree: Tree;
  weights: Weights;
  weight: WeightName;
  /** Of the whole session, for the share of all. */
  all: number;
}

export function Tip({ at, tree, weights, weight, all }: { at: TipAt } & Weighed) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (element) {
      const { width, height } = element.getBoundingClientRect();
      element.style.left = `${Math.max(4, Math.min(at.x + 14, window.innerWidth - width - 8))}px`;
      element.style.top = `${at.y + 18 + height > window.innerHeight ? at.y - height - 10 : at.y + 18}px`;
    }
  });
  const method = tree.methods[tree.method[at.node]];
  if (!method) {
    return null;
  }
  const total = weights.total[at.node];
  const kind = weightKinds[weight];
  const show = (value: number) => (kind.isTime ? <Time ns={value} /> : <Count value={value} of={count} />);
  return (
    <div ref={box} class="tip" role="tooltip">
      <Name name={method.name} />
      <p class="dim">
        <i class={`dot cat-${method.category}`} />
        {method.module ? `${bounded(method.module, 120)}, ` : ""}
        {categoryNames[method.category]}
        {tree.parent[at.node] >= 0 && tree.method[tree.parent[at.node]] === tree.method[at.node] && ", recursion"}
      </p>
      <dl class="facts-list">
        <dt>{kind.isTime ? kind.label.replace("Time", "Total") : "With callees"}</dt>
        <dd>{show(total)}</dd>
        <dd class="dim">
          <Number_ of={share(total, weights.sum)} />
          {Math.abs(all - weights.sum) > all * 1e-6 && (
            <>
              , <Number_ of={share(total, all)} /> of all
            </>
          )}
        </dd>
        <dt>Own</dt>
        <dd>{show(weights.own[at.node])}</dd>
        <dd class="dim">
          <Number_ of={share(weights.own[at.node], weights.sum)} />
        </dd>
        <Waiting tree={tree} node={at.node} />
        {weight !== "calls" && (
          <>
            <dt>Calls</dt>
            <dd>
              <Count value={tree.calls[at.node]} of={count} />
            </dd>
            <dd />
          </>
        )}
      </dl>
    </div>
  );
}

/** Of an async method: how long its activations took, and how long they waited. */
function Waiting({ tree, node }: { tree: Tree; node: number }) {
  if (!tree.async || !tree.timed || tree.async.runs[node] === 0) {
    return null;
  }
  const rows = [
    ["Latency", meanLatency(tree.async, node)],
    ["Awaiting", tree.async.awaiting[node]],
    ["Own awaiting", tree.async.ownAwaiting[node]],
  ] as const;
  return (
    <>
      {rows.map(([label, ns]) => (
        <>
          <dt>{label}</dt>
          <dd>
            <Time ns={ns} />
          </dd>
          <dd />
        </>
      ))}
    </>
  );
}
