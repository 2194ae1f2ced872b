// The history of a variable, or of an object: its moments as a table, a plot, and how often each value occurs.
import { useMemo } from "preact/hooks";
import type { Range } from "../../charts/axis";
import type { ValueMoment } from "../../data/events";
import { one } from "../../data/place";
import { rangeOf, useApp, useKeys, usePlace } from "../../frame/context";
import { Toolbar } from "../../frame/controls";
import { CopyTable } from "../../frame/copy";
import { Busy, Missing, Problem } from "../../frame/states";
import { type Column, Table } from "../../frame/table";
import { Name } from "../../frame/text";
import { bounded } from "../../text/foreign";
import { digits, isKnown, moment } from "../../text/format";
import { shortType, valueText } from "../story/rows";
import { boundsOf, nextChange } from "./interaction";
import { Histogram, Picture } from "./picture";
import { changesOf, textOf } from "./plot";
import { type Moments, useValues } from "./use_values";

const columns: readonly Column[] = [
  { name: "time", title: "Moment", width: "8.6rem", numeric: true },
  { name: "value", title: "Value", width: "minmax(8rem, 1.2fr)" },
  { name: "line", title: "Line", width: "3.6rem", numeric: true },
  { name: "call", title: "Call", width: "5.6rem", numeric: true, help: "The activation, in its process" },
  { name: "method", title: "Method", width: "minmax(9rem, 1fr)" },
];

export interface Subject {
  name: string | null;
  /** Its method; null: that name in all methods. */
  of: string | null;
  object: number | null;
  type: string | null;
}

export function History(subject: Subject) {
  const { store, session } = useApp();
  const place = usePlace();
  const { name, of, object } = subject;
  const { from, to } = rangeOf(place);
  const asked =
    name === null && object === null ? null : { name, method: of, object, from: from ?? null, to: to ?? null };
  const moments = useValues(asked);
  const { values } = moments;
  const changes = useMemo(() => changesOf(values), [values]);
  const at = one(place, "at");
  const active = values.findIndex((value) => value.at === at);
  const bounds = useMemo(() => boundsOf(values, from, to, session.info.elapsed_ns), [values, from, to]);
  const pick = (row: number) => store.set({ at: values[row]?.at ?? null }, "replace");
  const pickChange = (direction: 1 | -1) => {
    const row = nextChange(changes, active, direction);
    if (row >= 0) {
      pick(row);
    }
  };
  useKeys("Values", [
    { key: "v", title: "Search variables", run: () => document.getElementById("values-search")?.focus() },
    { key: "]", title: "Next change", run: () => pickChange(1) },
    { key: "[", title: "Previous change", run: () => pickChange(-1) },
  ]);
  const what = object === null ? (name ?? "") : `object #${object}`;
  return (
    <section class="values-history" aria-label="History">
      <Tools what={what} subject={subject} moments={moments} changes={changes} />
      {moments.problem ? (
        <Problem problem={moments.problem} />
      ) : values.length === 0 ? (
        <Nothing busy={moments.busy} asked={asked !== null} />
      ) : (
        <Shown what={what} values={values} changes={changes} bounds={bounds} active={active} onPick={pick} />
      )}
    </section>
  );
}

function Nothing({ busy, asked }: { busy: boolean; asked: boolean }) {
  const none = asked ? "It got no value in what the filters show." : "Choose a variable.";
  return busy ? <Busy doing="Reading values" /> : <Missing sentence={none} />;
}

interface ToolsProps {
  what: string;
  subject: Subject;
  moments: Moments;
  changes: readonly boolean[];
}

function Tools({ what, subject, moments, changes }: ToolsProps) {
  const { store } = useApp();
  const { of, object, type } = subject;
  const { values } = moments;
  return (
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
  );
}

interface ShownProps {
  what: string;
  values: readonly ValueMoment[];
  changes: readonly boolean[];
  bounds: Range;
  active: number;
  onPick: (row: number) => void;
}

function Shown({ what, values, changes, bounds, active, onPick }: ShownProps) {
  const { store } = useApp();
  const open = (row: number) => {
    const value = values[row];
    if (value) {
      store.open("story", { at: value.at, call: null });
    }
  };
  return (
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
          onPick={onPick}
        />
        <Histogram values={values} />
      </div>
      <Table
        label={`Values of ${bounded(what, 100)}`}
        columns={columns}
        count={values.length}
        active={active}
        onActive={onPick}
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
  );
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
