// Modules: what was recorded, what was not, and why. And how the recording itself was made.
import type { Info, ModuleRow } from "../../data/documents";
import { one } from "../../data/place";
import { useApp, useDocument, usePlace } from "../../frame/context";
import { Choices } from "../../frame/controls";
import { List, type ListColumn } from "../../frame/list";
import { Ready } from "../../frame/states";
import { Barred, Count, Name, Time } from "../../frame/text";
import { bounded } from "../../text/foreign";
import { bytes, count, isKnown } from "../../text/format";

const choices = [
  { value: "modules", label: "Modules" },
  { value: "left", label: "Not recorded", title: "Methods in scope that are not recorded, and why" },
  { value: "recording", label: "The recording", title: "How it was made, and what it holds" },
];

function moduleColumns(rows: readonly ModuleRow[]): ListColumn<ModuleRow>[] {
  const own = rows.reduce((sum, row) => sum + (row.own_ns ?? 0), 0);
  return [
    {
      name: "own",
      title: "Own",
      width: "7rem",
      numeric: true,
      sortable: true,
      help: "Own time of its methods together",
      value: (row) => row.own_ns,
      draw: (row) => (
        <Barred part={row.own_ns ?? 0} whole={own} kind="own">
          <Time ns={row.own_ns} />
        </Barred>
      ),
      foot: () => <Time ns={own} />,
    },
    {
      name: "calls",
      wideOnly: true,
      title: "Calls",
      width: "6.5rem",
      numeric: true,
      sortable: true,
      value: (row) => row.calls,
      draw: (row) => (
        <span class="plain">
          <Count value={row.calls} of={count} />
        </span>
      ),
      foot: (shown) => <Count value={shown.reduce((sum, row) => sum + (row.calls ?? 0), 0)} of={count} />,
    },
    {
      name: "methods",
      wideOnly: true,
      title: "Methods",
      width: "6rem",
      numeric: true,
      sortable: true,
      help: "Its methods in the recording: those that were recorded and those that were left as they are",
      value: (row) => row.methods,
    },
    {
      name: "woven",
      wideOnly: true,
      title: "Instrumented",
      width: "7rem",
      numeric: true,
      sortable: true,
      value: (row) => row.woven,
    },
    {
      name: "module",
      title: "Module",
      width: "minmax(10rem, 20rem)",
      sortable: true,
      value: (row) => row.module,
      draw: (row) => <bdi class="plain">{bounded(row.module, 200)}</bdi>,
      foot: (shown) => <span class="dim">{count(shown.length).number} modules</span>,
    },
    {
      name: "path",
      title: "Path",
      sortable: true,
      value: (row) => row.path,
      draw: (row) => (
        <bdi class="plain dim" title={bounded(row.path ?? "", 2000)}>
          {bounded(row.path ?? "", 300)}
        </bdi>
      ),
    },
  ];
}

type Left = Info["not_woven"][number];

const leftColumns: ListColumn<Left>[] = [
  {
    name: "reason",
    title: "Why",
    width: "minmax(14rem, 28rem)",
    sortable: true,
    value: (row) => row.reason,
    draw: (row) => <span class="plain">{bounded(row.reason, 300)}</span>,
  },
  {
    name: "module",
    title: "Module",
    width: "14rem",
    sortable: true,
    value: (row) => row.module,
    draw: (row) => <bdi class="plain">{bounded(row.module ?? "", 200)}</bdi>,
  },
  {
    name: "method",
    title: "Method",
    sortable: true,
    value: (row) => row.method,
    draw: (row) => <Name name={row.method ?? ""} />,
    foot: (shown) => <span class="dim">{count(shown.length).number} methods</span>,
  },
];

interface Fact {
  what: string;
  value: string | number | boolean | null;
}

/** The plain members of `clew info`, in its order. */
function factsOf(info: Info): Fact[] {
  const facts: Fact[] = [];
  for (const [what, value] of Object.entries(info)) {
    if (value === null || ["string", "number", "boolean"].includes(typeof value)) {
      facts.push({ what, value: value as Fact["value"] });
    } else if (Array.isArray(value) && value.every((one) => typeof one === "string")) {
      facts.push({ what, value: value.join(", ") });
    }
  }
  return facts;
}

function FactValue({ of }: { of: Fact }) {
  if (of.what.endsWith("_ns") && isKnown(of.value as number) && of.what !== "started_unix_ns") {
    return <Time ns={of.value as number} />;
  }
  if (of.what.endsWith("_bytes") && typeof of.value === "number") {
    return <Count value={of.value} of={bytes} />;
  }
  if (of.what === "started_unix_ns" && typeof of.value === "number") {
    return (
      <>
        {new Date(of.value / 1e6)
          .toISOString()
          .replace("T", " ")
          .replace(/\.\d+Z$/, " UTC")}
      </>
    );
  }
  return typeof of.value === "number" ? (
    <Count value={of.value} of={count} />
  ) : (
    <bdi>{bounded(String(of.value ?? "–"), 1000)}</bdi>
  );
}

const factColumns: ListColumn<Fact>[] = [
  {
    name: "what",
    title: "What",
    width: "14rem",
    value: (row) => row.what.replace(/_(ns|bytes)$/, "").replaceAll("_", " "),
  },
  {
    name: "value",
    title: "Value",
    value: (row) => String(row.value ?? ""),
    draw: (row) => (
      <span class="plain">
        <FactValue of={row} />
      </span>
    ),
  },
];

export function FilesView() {
  const { session } = useApp();
  const place = usePlace();
  const show = one(place, "show") ?? "modules";
  const report = useDocument("report", { by: "modules" });
  const head = <Choices label="Show" name="show" of={choices} />;
  if (show === "left") {
    return (
      <List
        label="Methods that were not recorded"
        columns={leftColumns}
        rows={session.info.not_woven ?? []}
        sortKey="order"
        first=""
        text={(row) => `${row.method} ${row.reason}`}
      >
        {head}
      </List>
    );
  }
  if (show === "recording") {
    return (
      <List
        label="The recording"
        columns={factColumns}
        rows={factsOf(session.info)}
        sortKey="order"
        first=""
        text={(row) => row.what}
      >
        {head}
      </List>
    );
  }
  return (
    <Ready of={report} doing="Adding up the modules">
      {(value) => (
        <List
          label="Modules"
          columns={moduleColumns(value.modules ?? [])}
          rows={value.modules ?? []}
          sortKey="sort"
          first="own"
          text={(row) => `${row.module} ${row.path ?? ""}`}
        >
          {head}
        </List>
      )}
    </Ready>
  );
}
