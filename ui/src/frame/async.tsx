// What the views on the call tree show of async methods: columns, and the places where they waited.
import type { Await } from "../data/async";
import type { AwaitPlace } from "../data/documents";
import { bounded } from "../text/foreign";
import { count } from "../text/format";
import { useApp } from "./context";
import type { Column } from "./table";
import { Barred, Count, Time } from "./text";

/** Columns of trees with async methods. */
export const asyncColumns: readonly Column[] = [
  {
    name: "latency",
    title: "Latency",
    wideOnly: true,
    width: "5.8rem",
    numeric: true,
    sortable: true,
    help: "Of async methods: from the call to the end, the mean of the activations that ended",
  },
  {
    name: "awaiting",
    title: "Awaiting",
    wideOnly: true,
    width: "6.4rem",
    numeric: true,
    sortable: true,
    help: "Time in which it and the async methods below waited, while nothing that they called ran",
  },
];

interface AsyncCellProps {
  name: "latency" | "awaiting";
  /** The mean; NaN: no activation has ended. */
  latency: number;
  awaiting: number;
  /** Of all that is shown. */
  whole: number;
}

export function AsyncCell({ name, latency, awaiting, whole }: AsyncCellProps) {
  return name === "latency" ? (
    <span class="plain">{!Number.isNaN(latency) && <Time ns={latency} />}</span>
  ) : (
    <Barred part={awaiting} whole={whole} kind="awaiting">
      {awaiting > 0 && <Time ns={awaiting} />}
    </Barred>
  );
}

/** The text of the source: `await Repo.LoadAsync`. */
export function awaitName(place: Pick<AwaitPlace, "what">): string {
  return `await ${place.what ? bounded(place.what, 200) : "(not known)"}`;
}

/** `Repo.cs:41`; nothing where the line is not known. */
export function awaitLine(place: Pick<AwaitPlace, "file" | "line">): string {
  const file = place.file?.split(/[/\\]/).at(-1);
  return file && place.line !== null ? `${bounded(file, 80)}:${place.line}` : "";
}

function Line({ place }: { place: AwaitPlace }) {
  const { store } = useApp();
  const text = awaitLine(place);
  return place.document === null || !text ? (
    <span class="dim">{text}</span>
  ) : (
    <a
      href={store.link("source", { document: String(place.document), line: String(place.line) })}
      title={bounded(place.file ?? "", 1000)}
    >
      {text}
    </a>
  );
}

export function Awaits({ rows, most = 20 }: { rows: readonly Await[]; most?: number }) {
  return (
    <>
      <ul class="awaits">
        {rows.slice(0, most).map((row, at) => (
          <li key={at}>
            <bdi class="what">{awaitName(row.place)}</bdi> <Line place={row.place} />{" "}
            <span class="amount">
              <Count value={row.count} of={count} /> {row.count === 1 ? "time" : "times"}
            </span>{" "}
            <span class="amount">
              <Time ns={row.awaiting} />
            </span>
          </li>
        ))}
      </ul>
      {rows.length > most && <p class="dim">and {rows.length - most} more</p>}
    </>
  );
}
