// The history of a variable, or of an object: its moments, a plot, and how often each value occurs.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Range } from "../../charts/axis";
import type { ValueMoment, VariableRow } from "../../data/events";
import { integer, one } from "../../data/place";
import { rangeOf, useApp, useDocument, useKeys, usePlace } from "../../frame/context";
import { Toolbar } from "../../frame/controls";
import { CopyTable } from "../../frame/copy";
import { Busy, Missing, Problem, Ready } from "../../frame/states";
import { type Column, Table } from "../../frame/table";
import { Name } from "../../frame/text";
import { bounded } from "../../text/foreign";
import { digits, isKnown, moment } from "../../text/format";
import { splitName } from "../../text/name";
import { shortType, valueText } from "../story/rows";
import { Histogram, Picture } from "./picture";
import { changesOf, numericType, textOf } from "./plot";
import { useValues } from "./use_values";

export function ValuesView() {
  const variables = useDocument("variables");
  return (
    <Ready of={variables} doing="Listing variables">
      {(value) =>
        value.variables.length === 0 ? (
          <Missing sentence="No variable got a value in what was recorded." />
        ) : (
          <Body variables={value.variables} />
        )
      }
    </Ready>
  );
}

function keyOf(variable: VariableRow): string {
  return `${variable.name}\n${variable.method ?? ""}`;
}

function found(variables: readonly VariableRow[], text: string): VariableRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return variables.filter((variable) => {
    const all =
      `${variable.name} ${variable.method ?? ""} ${variable.type ?? ""} ${variable.place ?? ""}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

const nameColumn: Column = { name: "name", title: "Variable", width: "minmax(6rem, 1fr)" };
const countColumn: Column = { name: "count", title: "Values", width: "4.6rem", numeric: true };

function Body({ variables }: { variables: readonly VariableRow[] }) {
  const { store } = useApp();
  const place = usePlace();
  const name = one(place, "name");
  const of = one(place, "of");
  const object = integer(place, "object");
  const [text, setText] = useState("");
  const sorted = useMemo(() => [...variables].sort((a, b) => (b.count ?? 0) - (a.count ?? 0)), [variables]);
  const counted = variables.some((variable) => isKnown(variable.count));
  const q = one(place, "q") ?? "";
  const shown = useMemo(() => found(sorted, `${text} ${q}`), [sorted, text, q]);
  const chosen = shown.findIndex((variable) => variable.name === name && (of === null || variable.method === of));
  const first = sorted.find((variable) => variable.name !== "this" && numericType(variable.type)) ?? sorted[0];
  useEffect(() => {
    if (name === null && object === null && first) {
      store.set({ name: first.name, of: first.method }, "replace");
    }
  }, [name, object]);
  const choose = (row: number) => {
    const variable = shown[row];
    if (variable) {
      store.set({ name: variable.name, of: variable.method, object: null, at: null });
    }
  };
  return (
    <div class="values">
      <section class="values-list" aria-label="Variables">
        <div class="values-search">
          <input
            id="values-search"
            class="field"
            type="search"
            placeholder="Variable, method, type  v"
            aria-label="Search variables"
            value={text}
            spellcheck={false}
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => event.key === "Enter" && choose(0)}
          />
        </div>
        <Table
          label="Variables"
          columns={counted ? [nameColumn, countColumn] : [nameColumn]}
          count={shown.length}
          active={chosen}
          onActive={choose}
          rowKey={(row) => keyOf(shown[row] as VariableRow)}
          cell={(row, column) => <Variable variable={shown[row] as VariableRow} column={column} />}
        />
      </section>
      <History
        name={name}
        of={of}
        object={object}
        type={variables.find((variable) => variable.name === name)?.type ?? null}
      />
    </div>
  );
}

function Variable({ variable, column }: { variable: VariableRow; column: number }) {
  if (column === 1) {
    return <span class="number plain">{isKnown(variable.count) ? digits(variable.count) : "–"}</span>;
  }
  const title = `${bounded(variable.name, 200)}: ${bounded(variable.type ?? "type not known", 200)}\n${variable.place ?? ""}\n${bounded(variable.method ?? "", 600)}`;
  return (
    <span class="plain values-variable" title={title}>
      <b>{bounded(variable.name, 100)}</b>{" "}
      {variable.method && <span class="dim">{bounded(splitName(variable.method).main, 100)}</span>}
    </span>
  );
}

const columns: readonly Column[] = [
  { name: "time", title: "Moment", width: "8.6rem", numeric: true },
  { name: "value", title: "Value", width: "minmax(8rem, 1.2fr)" },
  { name: "line", title: "Line", width: "3.6rem", numeric: true },
  { name: "call", title: "Call", width: "5.6rem", numeric: true, help: "The activation, in its process" },
  { name: "method", title: "Method", width: "minmax(9rem, 1fr)" },
];

function History({
  name,
  of,
  object,
  type,
}: {
  name: string | null;
  of: string | null;
  object: number | null;
  type: string | null;
}) {
  const { store, session } = useApp();
  const place = usePlace();
  const { from, to } = rangeOf(place);
  const asked =
    name === null && object === null ? null : { name, method: of, object, from: from ?? null, to: to ?? null };
  const moments = useValues(asked);
  const { values } = moments;
  const changes = useMemo(() => changesOf(values), [values]);
  const at = one(place, "at");
  const active = values.findIndex((value) => value.at === at);
  const bounds: Range = useMemo(() => boundsOf(values, from, to, session.info.elapsed_ns), [values, from, to]);
  const open = (row: number) => {
    const value = values[row];
    if (value) {
      store.open("story", { at: value.at, call: null });
    }
  };
  const nextChange = (direction: 1 | -1) => {
    for (let row = active + direction; row >= 0 && row < values.length; row += direction) {
      if (changes[row]) {
        store.set({ at: values[row]?.at ?? null }, "replace");
        return;
      }
    }
  };
  useKeys("Values", [
    { key: "v", title: "Search variables", run: () => document.getElementById("values-search")?.focus() },
    { key: "]", title: "Next change", run: () => nextChange(1) },
    { key: "[", title: "Previous change", run: () => nextChange(-1) },
  ]);
  const what = object === null ? (name ?? "") : `object #${object}`;
  return (
    <section class="values-history" aria-label="History">
      <Toolbar>
        <strong class="mono">{bounded(what, 120)}</strong>
        {type && object === null && <span class="dim mono">{bounded(shortType(type), 100)}</span>}
        {of && (
          <span class="values-of">
            <Name name={of} />
          </span>
        )}
        <span class="dim" role="status">
          {digits(values.length)} {values.length === 1 ? "value" : "values"}
          {changes.length > 0 && `, ${digits(changes.filter(Boolean).length)} changes`}
          {moments.busy && ", reading more…"}
          {moments.more && !moments.busy && ", and more"}
          {moments.why && `. ${moments.why}`}
        </span>
        {moments.more && !moments.busy && (
          <button type="button" class="quiet" onClick={moments.load}>
            Load more
          </button>
        )}
        {of && (
          <button
            type="button"
            class="quiet"
            title="Values of this name in all methods"
            onClick={() => store.set({ of: null })}
          >
            All methods
          </button>
        )}
        <span class="push" />
        <CopyTable
          rows={() => [
            ["time_ns", "value", "type", "line", "method"],
            ...values.map((value) => [
              String(value.time_ns ?? ""),
              textOf(value),
              value.type ?? "",
              String(value.line ?? ""),
              value.method ?? "",
            ]),
          ]}
          json={() => values}
        />
      </Toolbar>
      {moments.problem ? (
        <Problem problem={moments.problem} />
      ) : values.length === 0 ? (
        moments.busy ? (
          <Busy doing="Reading values" />
        ) : (
          <Missing sentence={asked ? "It got no value in what the filters show." : "Choose a variable."} />
        )
      ) : (
        <>
          <div class="values-pictures">
            <Picture
              values={values}
              bounds={bounds}
              name={what}
              chosen={active}
              onRange={(range) =>
                store.set(range ? { from: String(range.from), to: String(range.to) } : { from: null, to: null })
              }
              onPick={(row) => store.set({ at: values[row]?.at ?? null }, "replace")}
            />
            <Histogram values={values} />
          </div>
          <Table
            label={`Values of ${bounded(what, 100)}`}
            columns={columns}
            count={values.length}
            active={active}
            onActive={(row) => store.set({ at: values[row]?.at ?? null }, "replace")}
            onOpen={open}
            rowKey={(row) => `${values[row]?.at} ${row}`}
            state={(row) => ({ dim: !changes[row] && row > 0 })}
            cell={(row, column) => (
              <Cell
                value={values[row] as ValueMoment}
                column={column}
                changed={changes[row] ?? false}
                before={values[row - 1]}
              />
            )}
          />
        </>
      )}
    </section>
  );
}

function boundsOf(values: readonly ValueMoment[], from: unknown, to: unknown, elapsed: number | null): Range {
  const timed = values.filter((value) => value.time_ns !== null);
  const begin = typeof from === "number" ? from : (timed[0]?.time_ns ?? 0);
  const last = timed.at(-1)?.time_ns ?? elapsed ?? 1;
  const end = typeof to === "number" ? to : last;
  const room = Math.max(10, (end - begin) * 0.02);
  return {
    from: Math.max(0, begin - (typeof from === "number" ? 0 : room)),
    to: end + (typeof to === "number" ? 0 : room),
  };
}

function Cell({
  value,
  column,
  changed,
  before,
}: {
  value: ValueMoment;
  column: number;
  changed: boolean;
  before: ValueMoment | undefined;
}) {
  const { store } = useApp();
  const { isNull, missing } = valueText(value);
  switch (column) {
    case 0:
      return (
        <a class="plain" href={store.link("story", { at: value.at, call: null })} title="Open the story here">
          {value.time_ns !== null && value.time_ns === before?.time_ns ? (
            <span class="dim">same</span>
          ) : (
            moment(value.time_ns, 1)
          )}
        </a>
      );
    case 1:
      return (
        <span class="plain values-value">
          <i
            class={changed ? "values-changed" : "values-same"}
            title={changed ? "It changed" : undefined}
            aria-hidden="true"
          />
          <span
            class={missing !== null ? "story-missing" : isNull ? "story-null" : "story-given"}
            title={`${bounded(textOf(value), 2000)}\n${bounded(value.type ?? "", 200)}`}
          >
            {bounded(valueText(value).text, 300)}
          </span>
          {isKnown(value.object) && value.type !== "System.String" && (
            <>
              {" "}
              <a href={store.link("values", { object: String(value.object), name: null, of: null })}>#{value.object}</a>
            </>
          )}
          {changed && <span class="offscreen">changed</span>}
        </span>
      );
    case 2:
      return <span class="plain">{value.line ?? ""}</span>;
    case 3:
      return (
        <span class="plain dim">
          {String(value.call ?? "")
            .split(":")
            .at(-1)}
        </span>
      );
    default:
      return (
        <span class="plain values-method">
          <Name name={value.method ?? ""} />
        </span>
      );
  }
}
