// What did the program do, and what should one look at?
import { useMemo } from "preact/hooks";
import { Chart, type Size } from "../../charts/canvas";
import { useTheme } from "../../charts/theme";
import { ownCpu } from "../../data/figures";
import type { Shown } from "../../data/shown";
import { headKind, methodSums } from "../../data/tree";
import { narrows } from "../../frame/chips";
import { useApp, usePlace, useTree } from "../../frame/context";
import { Command, CopyTable } from "../../frame/copy";
import { Legend } from "../../frame/legend";
import { Ready } from "../../frame/states";
import { Barred, Count, MethodName, Number_, Time } from "../../frame/text";
import { bounded, visible } from "../../text/foreign";
import { count, plain, share, time } from "../../text/format";
import { everything, firstWeight, frameAt, layOut, weigh } from "../flame/layout";
import { paintFlame, rowHeight } from "../flame/paint";
import { figuresOf } from "./figures";
import "./overview.css";
import { Statements } from "./statements";

export function Overview() {
  const tree = useTree(false);
  return (
    <Ready of={tree} doing="Adding up the call tree">
      {(shown) => <Body shown={shown} />}
    </Ready>
  );
}

function Body({ shown }: { shown: Shown }) {
  const { session } = useApp();
  const calls = session.page.has.tree === true;
  return (
    // A box that scrolls must be reachable by keyboard.
    <section class="overview" aria-label="Overview" tabIndex={0}>
      <Figures shown={shown} />
      {session.findings.length > 0 && <Findings />}
      {calls && <Top shown={shown} />}
      {session.info.instruments.includes("lines") && <Statements />}
      <div class="columns">
        {calls && <Hottest shown={shown} />}
        <div>
          {calls && <Exceptions shown={shown} />}
          <Recorded />
        </div>
      </div>
    </section>
  );
}

function Figures({ shown }: { shown: Shown }) {
  const { session } = useApp();
  const place = usePlace();
  return (
    <dl class="figures">
      {figuresOf(session, shown, narrows(place)).map((figure) => (
        <div key={figure.title} class={figure.warn ? "figure warned" : "figure"} title={figure.help}>
          <dt>{figure.title}</dt>
          <dd class="value">
            <Number_ of={figure.value} />
          </dd>
          <dd class="dim">{figure.note}</dd>
        </div>
      ))}
    </dl>
  );
}

function Findings() {
  const { session } = useApp();
  const filtered = narrows(usePlace());
  return (
    <section class="findings">
      <h2>What to look at{filtered && <span class="dim">in the whole session</span>}</h2>
      <ul>
        {session.findings.map((finding) => (
          <li key={finding.rule + finding.text}>
            {finding.link.startsWith("#/") ? (
              <a href={finding.link}>{bounded(finding.text, 600)}</a>
            ) : (
              bounded(finding.text, 600)
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

const levels = 3;

/** The first levels of the flame graph. A click opens it there. */
function Top({ shown }: { shown: Shown }) {
  const { store } = useApp();
  const theme = useTheme();
  const { tree } = shown;
  const name = firstWeight(tree);
  const what = name === "cpu" ? "sampled CPU time" : name;
  const weights = weigh(tree, name);
  const layout = useMemo(() => {
    const whole = layOut(tree, weights, everything, 1 / 1500);
    return { ...whole, rows: whole.rows.slice(0, levels) };
  }, [tree, weights]);
  const paint = (context: CanvasRenderingContext2D, size: Size) => {
    const none = { found: null, method: -1, hover: -1, active: -1 };
    paintFlame(context, size, layout, {
      theme,
      weights,
      heat: weights.own,
      colour: "category",
      upwards: false,
      levels,
      scroll: 0,
      ...none,
    });
  };
  const frames = layout.rows.flat().filter((frame) => frame.node >= 0);
  return (
    <section>
      <h2>
        Where {what} went <a href={store.link("flame")}>Flame graph</a>
      </h2>
      <div class="top">
        <Chart
          height={levels * rowHeight}
          label={`First ${levels} levels of the flame graph by ${what}; the view Flame graph has all`}
          paint={paint}
          onClick={(event, x, y) => {
            const width = (event.currentTarget as HTMLElement).clientWidth;
            const node = frameAt(layout, x / width, Math.floor(y / rowHeight))?.node ?? -1;
            store.open("flame", { zoom: node >= 0 ? String(node) : null });
          }}
          table={{
            head: ["Level", "Method", "Share"],
            rows: frames
              .slice(0, 40)
              .map((frame) => [
                String(frame.depth + 1),
                visible((tree.methods[tree.method[frame.node]]?.name ?? "").slice(0, 300)),
                plain(share(weights.total[frame.node], weights.sum)),
              ]),
          }}
        />
        <Legend shown={shown} />
      </div>
    </section>
  );
}

interface Row {
  method: number;
  weight: number;
}

function ranked(shown: Shown, weight: Float64Array, most: number): Row[] {
  const rows: Row[] = [];
  shown.tree.methods.forEach((method, at) => {
    if (method.kind !== headKind && weight[at] > 0) {
      rows.push({ method: at, weight: weight[at] });
    }
  });
  return rows.sort((a, b) => b.weight - a.weight).slice(0, most);
}

function sumOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** By CPU time where it was sampled: a wall time can be waiting. */
function hottest(shown: Shown): Row[] {
  const { tree } = shown;
  const sums = methodSums(tree);
  const cpu = sums.cpuUser.map((_, method) => ownCpu(sums, method));
  return ranked(shown, !tree.timed ? sums.calls : tree.sampled ? cpu : sums.own, 10);
}

function Hottest({ shown }: { shown: Shown }) {
  const { store } = useApp();
  const place = usePlace();
  const { tree, sum } = shown;
  const sums = methodSums(tree);
  const rows = useMemo(() => hottest(shown), [shown]);
  const { sampled } = tree;
  const all = sampled ? sumOf(sums.cpuUser) + sumOf(sums.cpuKernel) : tree.timed ? sum.total : sum.calls;
  const text = () => [
    ["Share", ...(sampled ? ["CPU"] : []), "Own", "Total", "Calls", "Method"],
    ...rows.map(({ method, weight }) => [
      plain(share(weight, all)),
      ...(sampled ? [plain(time(weight))] : []),
      plain(time(sums.own[method])),
      plain(time(sums.total[method])),
      String(sums.calls[method]),
      visible(tree.methods[method]?.name ?? ""),
    ]),
  ];
  const json = () =>
    rows.map(({ method }) => ({
      method: tree.methods[method]?.name,
      calls: sums.calls[method],
      own_ns: sums.own[method],
    }));
  return (
    <section class="hottest">
      <h2>
        {!tree.timed
          ? "Most called methods"
          : sampled
            ? "Hottest methods, by sampled CPU time"
            : "Hottest methods, by own time"}{" "}
        <a href={store.link("hot")}>Hot spots</a>
        <CopyTable rows={text} json={json} />
      </h2>
      <div class={tree.timed ? "ten" : "ten counted"}>
        {rows.map(({ method, weight }) => {
          const row = tree.methods[method];
          return row ? (
            <a key={row.key} href={store.link(place.view, { method: row.key })}>
              <span class="cell numeric">
                <Barred part={weight} whole={all} kind="own">
                  {tree.timed ? <Time ns={weight} /> : <Count value={weight} of={count} />}
                </Barred>
              </span>
              {tree.timed && (
                <span class="cell numeric dim">
                  <Number_ of={share(weight, all)} />
                </span>
              )}
              {tree.timed && (
                <span class="cell numeric">
                  <Count value={sums.calls[method]} of={count} />
                  <span class="unit">×</span>
                </span>
              )}
              <span class="cell">
                <MethodName method={row} />
              </span>
            </a>
          ) : null;
        })}
      </div>
    </section>
  );
}

function Exceptions({ shown }: { shown: Shown }) {
  const { store } = useApp();
  const place = usePlace();
  const sums = methodSums(shown.tree);
  const rows = useMemo(() => ranked(shown, sums.exceptions, 6), [shown]);
  return (
    <section>
      <h2>
        Left by exception{" "}
        {rows.length > 0 && shown.tree.timed && (
          <a href={store.link("flame", { weight: "exceptions" })}>Flame graph of exceptions</a>
        )}
      </h2>
      {rows.length === 0 ? (
        <p class="dim">No recorded method was left by an exception.</p>
      ) : (
        <div class="ten counted">
          {rows.map(({ method, weight }) => {
            const row = shown.tree.methods[method];
            return row ? (
              <a key={row.key} href={store.link(place.view, { method: row.key })}>
                <span class="cell numeric">
                  <Barred part={weight} whole={sums.calls[method]} kind="own">
                    <Count value={weight} of={count} />
                  </Barred>
                </span>
                <span class="cell">
                  <MethodName method={row} />
                </span>
              </a>
            ) : null;
          })}
        </div>
      )}
    </section>
  );
}

/** What ran, and the command that prints the same in a terminal. */
function Recorded() {
  const { session, cut, store } = useApp();
  const { info } = session;
  return (
    <section class="recorded">
      <h2>What ran</h2>
      <p class="mono">
        <bdi>{bounded(info.command ?? "", 600)}</bdi>
      </p>
      <dl>
        {info.process_list.slice(0, 12).map((row) => (
          <div key={row.process}>
            <dt>
              {info.processes > 1 ? (
                <a href={store.link("tree", { thread: `${row.process}:*` })} title="Show only this process">
                  Process {row.process}
                </a>
              ) : (
                "Process"
              )}
            </dt>
            <dd>
              {row.runtime ? `${bounded(row.runtime, 60)}, ` : ""}
              {ending(row.state, row.exit_code, row.signal)}
              {info.processes > 1 && row.command ? (
                <>
                  {", "}
                  <bdi class="mono dim">{bounded(row.command, 160)}</bdi>
                </>
              ) : null}
            </dd>
          </div>
        ))}
        <div>
          <dt>Recorded</dt>
          <dd>
            {info.instruments.join(", ")}
            {info.all_code ? ", all code" : info.scope ? ", chosen methods" : ", my code"}
            {info.host ? ` on ${bounded(info.host, 60)}` : ""}, by clew {bounded(info.version, 20)}
          </dd>
        </div>
      </dl>
      {[...info.notes, ...cut].map((note) => (
        <p key={note} class="dim">
          {bounded(note, 400)}
        </p>
      ))}
      <h2>The same in a terminal</h2>
      <Command line={session.command} />
    </section>
  );
}

function ending(state: string, exit: number | null, signal: number | null): string {
  if (signal !== null) {
    return `killed by signal ${signal}`;
  }
  return exit !== null ? `exit status ${exit}` : bounded(state, 40);
}
