// The threads: when they lived, what they did. Opening one shows it alone.
import type { ThreadRow } from "../../data/documents";
import { chosenThreads, takesThread } from "../../data/place";
import { useApp, useDocument, usePlace } from "../../frame/context";
import { List, type ListColumn } from "../../frame/list";
import { Ready } from "../../frame/states";
import { Barred, Count, Time } from "../../frame/text";
import { bounded } from "../../text/foreign";
import { count, isKnown, moment } from "../../text/format";

function nameOf(row: ThreadRow): string {
  return `${row.process}:${row.thread}`;
}

function cpu(row: ThreadRow): number | null {
  return isKnown(row.cpu_user_ns) || isKnown(row.cpu_kernel_ns)
    ? (row.cpu_user_ns ?? 0) + (row.cpu_kernel_ns ?? 0)
    : null;
}

/** When it lived, as a bar on the axis of the session. */
function Life({ row, elapsed }: { row: ThreadRow; elapsed: number }) {
  if (!isKnown(row.start_ns) || elapsed <= 0) {
    return null;
  }
  const end = row.end_ns ?? elapsed;
  const left = Math.min(99.5, (100 * row.start_ns) / elapsed);
  const width = Math.max(0.4, Math.min(100 - left, (100 * (end - row.start_ns)) / elapsed));
  return (
    <span class="life" title={`${moment(row.start_ns)} to ${row.end_ns === null ? "the end" : moment(row.end_ns)}`}>
      <i style={{ left: `${left.toFixed(2)}%`, width: `${width.toFixed(2)}%` }} />
    </span>
  );
}

function columnsOf(
  rows: readonly ThreadRow[],
  elapsed: number,
  alone: (threads: string) => string,
): ListColumn<ThreadRow>[] {
  const most = Math.max(1, ...rows.map((row) => row.calls ?? 0));
  const several = new Set(rows.map((row) => row.process)).size > 1;
  const columns: ListColumn<ThreadRow>[] = [
    { name: "thread", title: "Thread", width: "5rem", numeric: true, sortable: true, value: (row) => row.thread },
    ...(several
      ? [
          {
            name: "process",
            title: "Process",
            width: "5rem",
            numeric: true,
            sortable: true,
            value: (row: ThreadRow) => row.process,
            draw: (row: ThreadRow) => (
              <a class="plain" href={alone(`${row.process}:*`)} title="Show only this process">
                {row.process}
              </a>
            ),
          },
        ]
      : []),
    {
      name: "os",
      wideOnly: true,
      title: "OS id",
      width: "6rem",
      numeric: true,
      sortable: true,
      value: (row) => row.os_id,
    },
    {
      name: "calls",
      title: "Calls",
      width: "7rem",
      numeric: true,
      sortable: true,
      value: (row) => row.calls,
      draw: (row) => (
        <Barred part={row.calls ?? 0} whole={most}>
          <Count value={row.calls} of={count} />
        </Barred>
      ),
      foot: (shown) => <Count value={shown.reduce((sum, row) => sum + (row.calls ?? 0), 0)} of={count} />,
    },
    {
      name: "cpu",
      wideOnly: true,
      title: "CPU ~",
      width: "6.5rem",
      numeric: true,
      sortable: true,
      help: "CPU time in user and kernel mode, sampled",
      value: cpu,
      draw: (row) => (
        <span class="plain">
          <Time ns={cpu(row)} />
        </span>
      ),
    },
    {
      name: "open",
      wideOnly: true,
      title: "Open",
      width: "4.5rem",
      numeric: true,
      sortable: true,
      help: "Activations still running at the end",
      value: (row) => row.open,
    },
    {
      name: "lost",
      wideOnly: true,
      title: "Lost",
      width: "4.5rem",
      numeric: true,
      sortable: true,
      help: "Events that were not recorded",
      value: (row) => row.lost,
      draw: (row) => <span class={row.lost ? "plain lost" : "plain"}>{row.lost ?? "–"}</span>,
    },
    {
      name: "life",
      wideOnly: true,
      title: "Life",
      width: "minmax(8rem, 1fr)",
      sortable: true,
      value: (row) => row.start_ns,
      draw: (row) => <Life row={row} elapsed={elapsed} />,
    },
    {
      name: "name",
      title: "Name",
      width: "minmax(8rem, 16rem)",
      sortable: true,
      value: (row) => row.name,
      draw: (row) => (
        <a class="plain" href={alone(nameOf(row))} title="Show only this thread">
          <bdi>{row.name ? bounded(row.name, 120) : `thread ${row.thread}`}</bdi>
        </a>
      ),
      foot: (shown) => <span class="dim">{count(shown.length).number} threads</span>,
    },
  ];
  return columns;
}

export function ThreadsView() {
  const { store, session } = useApp();
  const place = usePlace();
  const report = useDocument("report", { by: "threads" });
  const elapsed = session.info.elapsed_ns ?? 0;
  const chosen = chosenThreads(place);
  return (
    <Ready of={report} doing="Listing the threads">
      {(value) => (
        <List
          label="Threads"
          columns={columnsOf(value.threads ?? [], elapsed, (thread) => store.link("tree", { thread }))}
          rows={value.threads ?? []}
          sortKey="sort"
          first="calls"
          text={(row) => `${row.name ?? ""} ${nameOf(row)}`}
          selected={(row) => takesThread(chosen, row)}
          onOpen={(row) => store.open("tree", { thread: nameOf(row) })}
        >
          <span class="dim">Double click shows a thread alone, in every view.</span>
        </List>
      )}
    </Ready>
  );
}
