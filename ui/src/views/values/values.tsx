// The variables, and the history of the one that is chosen, or of an object.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { VariableRow } from "../../data/events";
import { integer, one } from "../../data/place";
import { useApp, useDocument, usePlace } from "../../frame/context";
import { Missing, Ready } from "../../frame/states";
import { type Column, Table } from "../../frame/table";
import { bounded } from "../../text/foreign";
import { digits, isKnown } from "../../text/format";
import { splitName } from "../../text/name";
import { History } from "./history";
import { numericType } from "./plot";

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
