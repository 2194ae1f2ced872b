// The flame graph: top down, bottom up, or one method between its callers and callees.
import { useMemo, useState } from "preact/hooks";
import { asyncRow } from "../../data/async";
import { integer, one } from "../../data/place";
import type { Shown } from "../../data/shown";
import { methodSums, pathOf, type Tree, wholeCpu } from "../../data/tree";
import { callee, invert } from "../../data/tree_callers";
import { below, findMethod, folded, grouped, search } from "../../data/tree_filter";
import { focusOn, hide, select } from "../../frame/actions";
import { ViewChoice } from "../../frame/callers";
import { useApp, useKeys, usePlace, useTree } from "../../frame/context";
import { Choices, Switch, Toolbar } from "../../frame/controls";
import { CopyTable } from "../../frame/copy";
import { groupings, groupName, Nothing, useGrouping } from "../../frame/grouping";
import { Legend } from "../../frame/legend";
import { Missing, Ready } from "../../frame/states";
import { Number_ } from "../../frame/text";
import { bounded, visible } from "../../text/foreign";
import { share } from "../../text/format";
import { splitName } from "../../text/name";
import "./flame.css";
import { Graph } from "./graph";
import {
  firstWeight,
  isAsync,
  ownWeight,
  totalWeight,
  type WeightName,
  type Weights,
  weigh,
  weighingOf,
  weightKinds,
} from "./layout";

export function FlameView() {
  const tree = useTree();
  const place = usePlace();
  const by = useGrouping();
  const fold = one(place, "fold") === "1";
  const value = tree.value;
  const nodes = useMemo(() => {
    if (!value) {
      return null;
    }
    const some = grouped(value.tree, by, groupName(by));
    return fold ? folded(some) : some;
  }, [value, by, fold]);
  return (
    <Ready of={tree} doing="Adding up the call tree">
      {(shown) => (nodes && nodes.count > 0 ? <Body shown={shown} tree={nodes} /> : <Nothing />)}
    </Ready>
  );
}

type Show = "down" | "up" | "sandwich";

/** The weights that the recording has. */
function weightsOf(tree: Tree, shown: Shown): WeightName[] {
  return [
    ...(tree.timed && tree.sampled ? (["cpu"] as const) : []),
    ...(tree.timed ? (["time"] as const) : []),
    ...(tree.timed && tree.async ? (["awaiting", "latency"] as const) : []),
    "calls",
    ...(shown.all.exceptions > 0 ? (["exceptions"] as const) : []),
  ];
}

function useWeight(tree: Tree, shown: Shown): WeightName {
  const asked = one(usePlace(), "weight");
  return weightsOf(tree, shown).find((name) => name === asked) ?? firstWeight(tree);
}

/** What the methods of a tree weigh themselves: whom the bottom-up graph begins with. */
function bottomUp(tree: Tree, weight: WeightName): Tree {
  const methods = tree.methods.map((_, index) => index);
  const least = weigh(tree, weight).sum * 0.0004;
  return invert(tree, methods, (caller) => ownWeight(caller, weight), least, 120);
}

function callersTree(tree: Tree, method: number, weight: WeightName): Tree {
  const whole = totalWeight(callee(tree, method), weight);
  return invert(tree, [method], (caller) => totalWeight(caller, weight), whole * 0.0004, 200);
}

function Body({ shown, tree }: { shown: Shown; tree: Tree }) {
  const { store } = useApp();
  const place = usePlace();
  const asked = one(place, "show");
  const show: Show = asked === "up" || asked === "sandwich" ? asked : "down";
  const weight = useWeight(tree, shown);
  const method = findMethod(tree, one(place, "method"));
  const weights = weightsOf(tree, shown).map((value) => ({
    value,
    label: weightKinds[value].label,
    title: `Widths are ${weightKinds[value].widths}`,
  }));
  const sandwich = (half: string | null) => store.set({ show: "sandwich", half, zoom: null });
  useKeys("Flame graph", [
    { key: "c", title: "Callers of the selected method", run: () => sandwich("callers") },
    { key: "e", title: "Callees of the selected method", run: () => sandwich("callees") },
    {
      key: "r",
      title: "Bottom up, or top down",
      run: () => store.set({ show: show === "up" ? null : "up", zoom: null }),
    },
    { key: "i", title: "Roots below, or above", run: () => store.set({ below: one(place, "below") ? null : "1" }) },
    { key: "z", title: "Zoom out", run: () => store.set({ zoom: null }) },
    {
      key: "x",
      title: "Hide the selected method",
      run: () => tree.methods[method] && hide(store, tree.methods[method]),
    },
  ]);
  return (
    <>
      <Toolbar>
        <Choices
          label="Direction"
          name="show"
          of={[
            { value: "down", label: "Top down", title: "From the roots to what they called" },
            { value: "up", label: "Bottom up", title: "From where time was spent to who called it (r)" },
            {
              value: "sandwich",
              label: "Sandwich",
              title: "The selected method between its callers (c) and callees (e)",
            },
          ]}
        />
        {weights.length > 1 && <Choices label="Width" name="weight" of={weights} />}
        <Choices
          label="Colour"
          name="colour"
          of={[
            { value: "category", label: "Category" },
            { value: "heat", label: "Heat", title: "By own time" },
          ]}
        />
        <Choices label="Frames" name="by" of={groupings} />
        <ViewChoice />
        {show === "down" && <Switch name="below" label="Roots below" title="A flame instead of an icicle (i)" />}
        <Switch name="fold" label="Fold" title="Fold recursion: levels of the same recursion as one frame" />
        <Switch name="mine" label="My code" title="Other code's time counts as its callers' own (m)" />
        <span class="push" />
        <CopyTable rows={() => foldedRows(tree, weigh(tree, weight))} json={() => jsonTree(tree)} />
      </Toolbar>
      {show === "sandwich" ? (
        <Sandwich shown={shown} tree={tree} weight={weight} method={method} />
      ) : (
        <Single key={show} shown={shown} tree={tree} weight={weight} up={show === "up"} />
      )}
      <Legend shown={shown}>
        <Widths tree={tree} weight={weight} />
      </Legend>
    </>
  );
}

/** What the widths of frames are, and how async methods and their waiting look. */
function Widths({ tree, weight }: { tree: Tree; weight: WeightName }) {
  const { widths } = weightKinds[weight];
  const async = useMemo(() => tree.methods.some(isAsync), [tree]);
  return (
    <span class="note">
      <span>Widths: {widths}</span>
      {async && (
        <span>
          <i class="mark async" aria-hidden="true" /> async method
        </span>
      )}
      {(weight === "awaiting" || weight === "latency") && (
        <span>
          <i class="mark waiting" aria-hidden="true" /> own waiting
        </span>
      )}
    </span>
  );
}

function useColour(): "category" | "heat" {
  return one(usePlace(), "colour") === "heat" ? "heat" : "category";
}

function allOf(shown: Shown, weight: WeightName): number {
  return totalWeight({ ...shown.all, own: 0, cpu: 0, ownAwaiting: 0, totalCpu: wholeCpu(shown.full) }, weight);
}

interface PartProps {
  shown: Shown;
  tree: Tree;
  weight: WeightName;
}

function Single({ shown, tree, weight, up }: PartProps & { up: boolean }) {
  const { store } = useApp();
  const place = usePlace();
  const [active, setActive] = useState(-1);
  const colour = useColour();
  const drawn = useMemo(() => (up ? bottomUp(tree, weight) : tree), [tree, weight, up]);
  const weights = weigh(drawn, up ? "time" : weight);
  const found = useMemo(() => search(drawn, one(place, "q")), [drawn, one(place, "q")]);
  const zoom = Math.min(integer(place, "zoom") ?? -1, drawn.count - 1);
  const method = findMethod(drawn, one(place, "method"));
  const chosen = active < drawn.count && active >= 0 && drawn.method[active] === method ? active : -1;
  if (weights.sum <= 0) {
    return <Missing sentence={`${weightKinds[weight].none} in what the filters show.`} />;
  }
  return (
    <>
      <Path tree={drawn} weights={weights} node={chosen >= 0 ? chosen : zoom} zoom={zoom} />
      <Graph
        label={`Flame graph by ${weightKinds[weight].label.toLowerCase()}. Arrow keys walk, space zooms, Enter focuses.`}
        tree={drawn}
        weights={weights}
        weight={weight}
        {...(up ? { heat: weights.total } : {})}
        upwards={!up && one(place, "below") === "1"}
        colour={colour}
        found={found}
        method={method}
        zoom={zoom}
        active={chosen}
        all={allOf(shown, weight)}
        onZoom={(node) => store.set({ zoom: node < 0 ? null : String(node) })}
        onActive={(node) => {
          setActive(node);
          select(store, drawn.methods[drawn.method[node]]);
        }}
        onEnter={(node) => {
          const row = drawn.methods[drawn.method[node]];
          if (row) {
            focusOn(store, row);
          }
        }}
      />
    </>
  );
}

/** The frames from the root to the chosen one. Each zooms to itself. */
function Path({ tree, weights, node, zoom }: { tree: Tree; weights: Weights; node: number; zoom: number }) {
  const { store } = useApp();
  const path = node >= 0 ? pathOf(tree, node) : [];
  const few = path.length > 12 ? path.slice(-12) : path;
  return (
    <nav class="flame-path" aria-label="Frames from the root">
      {zoom >= 0 && (
        <button type="button" title="Zoom out (z)" onClick={() => store.set({ zoom: null })}>
          ⤢ all
        </button>
      )}
      {path.length > few.length && <span class="dim">… ›</span>}
      {few.map((step, at) => (
        <>
          {at > 0 && <span class="dim">›</span>}
          <button
            key={step}
            type="button"
            title={`Zoom to ${bounded(tree.methods[tree.method[step]]?.name ?? "", 400)}`}
            onClick={() => store.set({ zoom: String(step) })}
          >
            {bounded(splitName(tree.methods[tree.method[step]]?.name ?? "").main, 80)}
          </button>
        </>
      ))}
      {path.length === 0 && (
        <span class="dim">Click selects, double click zooms, Enter focuses, c and e show callers and callees.</span>
      )}
      {path.length > 0 && (
        <span class="dim">
          &ensp;
          <Number_ of={share(weights.total[node], weights.sum)} />
        </span>
      )}
    </nav>
  );
}

function Sandwich({ shown, tree, weight, method }: PartProps & { method: number }) {
  const { store } = useApp();
  const place = usePlace();
  const colour = useColour();
  const chosen = method >= 0 ? method : hottest(tree, weight);
  const upper = useMemo(() => callersTree(tree, chosen, weight), [tree, chosen, weight]);
  const lower = useMemo(() => below(tree, chosen), [tree, chosen]);
  const upperFound = useMemo(() => search(upper, one(place, "q")), [upper, one(place, "q")]);
  const half = one(place, "half");
  const common = {
    weight,
    colour,
    found: upperFound,
    method: chosen,
    zoom: -1,
    active: -1,
    all: allOf(shown, weight),
    onZoom: () => undefined,
  };
  const pick = (from: Tree) => (node: number) => node >= 0 && select(store, from.methods[from.method[node]]);
  const enter = (from: Tree) => (node: number) => {
    const row = from.methods[from.method[node]];
    if (row) {
      focusOn(store, row);
    }
  };
  const name = bounded(tree.methods[chosen]?.name ?? "", 300);
  return (
    <div class="sandwich">
      {half !== "callees" && (
        <>
          <h2>Callers of {name}</h2>
          <Graph
            {...common}
            label={`Callers of ${name}`}
            tree={upper}
            weights={weigh(upper, "time")}
            upwards
            onActive={pick(upper)}
            onEnter={enter(upper)}
          />
        </>
      )}
      {half !== "callers" && (
        <>
          <h2 class="between">Callees of {name}</h2>
          <Graph
            {...common}
            label={`Callees of ${name}`}
            tree={lower}
            weights={weigh(lower, weight)}
            upwards={false}
            onActive={pick(lower)}
            onEnter={enter(lower)}
          />
        </>
      )}
    </div>
  );
}

function hottest(tree: Tree, weight: WeightName): number {
  const sums = methodSums(tree);
  const by = tree.methods.map((_, method) => ownWeight(weighingOf(sums, method), weight));
  return by.reduce((best, value, at) => (value > (by[best] ?? -1) ? at : best), 0);
}

/** One line a path, `a;b;c weight`, as flamegraph.pl reads it. */
function foldedRows(tree: Tree, weights: Weights): string[][] {
  const rows: string[][] = [];
  const names: string[] = [];
  for (let node = 0; node < tree.count; node++) {
    names[tree.depth[node]] = visible(tree.methods[tree.method[node]]?.name ?? "").replaceAll(";", ":");
    const own = Math.round(weights.own[node]);
    if (own > 0) {
      rows.push([`${names.slice(0, tree.depth[node] + 1).join(";")} ${own}`]);
    }
  }
  return rows;
}

interface JsonNode {
  method: string;
  calls: number;
  own_ns: number | null;
  total_ns: number | null;
  children: JsonNode[];
  [more: string]: unknown;
}

function jsonTree(tree: Tree): JsonNode[] {
  const top: JsonNode[] = [];
  const open: JsonNode[] = [];
  for (let node = 0; node < tree.count; node++) {
    const depth = tree.depth[node];
    const made: JsonNode = {
      method: tree.methods[tree.method[node]]?.name ?? "",
      calls: tree.calls[node],
      own_ns: tree.timed ? tree.own[node] : null,
      total_ns: tree.timed ? tree.total[node] : null,
      ...asyncRow(tree.async, node, tree.timed),
      children: [],
    };
    (depth === 0 ? top : (open[depth - 1] as JsonNode).children).push(made);
    open[depth] = made;
  }
  return top;
}
