// What the four figures of the overview say.
import type { Info, SessionDocument } from "../../data/documents";
import type { Shown } from "../../data/shown";
import { bytes, count, isKnown, plain, type Quantity, share, time } from "../../text/format";

export interface FigureText {
  title: string;
  value: Quantity;
  /** One line below, in words. */
  note: string;
  help: string;
  warn?: boolean;
}

export const clockNames: Record<string, string> = {
  tsc: "wall time, the processor's counter",
  monotonic: "wall time, the system's monotonic clock",
  tick: "wall time, updated every 100 µs",
  none: "counts only, no times",
};

function several(value: number, one: string, many: string): string {
  return `${plain(count(value))} ${value === 1 ? one : many}`;
}

/** CPU time of all threads, sampled; null: not known. */
export function cpuTime(info: Info): number | null {
  let sum: number | null = null;
  for (const row of info.thread_list ?? []) {
    if (isKnown(row.cpu_user_ns) || isKnown(row.cpu_kernel_ns)) {
      sum = (sum ?? 0) + (row.cpu_user_ns ?? 0) + (row.cpu_kernel_ns ?? 0);
    }
  }
  return sum;
}

/** A figure that does not follow filters says so below it, where there are any. */
function ofSession(figure: FigureText, narrowed: boolean): FigureText {
  return narrowed ? { ...figure, note: `whole session${figure.note && `: ${figure.note}`}` } : figure;
}

function duration(info: Info, { document }: Shown): FigureText {
  const { from_ns: from, to_ns: to } = document;
  const long = isKnown(from) && isKnown(to) ? to - from : null;
  if (isKnown(info.elapsed_ns) && long !== null && long < info.elapsed_ns) {
    const note = `of the session's ${plain(time(info.elapsed_ns))}`;
    return { title: "Range of time", value: time(long), note, help: "The range that the filters show" };
  }
  return {
    title: "Duration",
    value: time(info.elapsed_ns),
    note: clockNames[info.clock] ?? `clock ${info.clock}`,
    help: "From the session's start to its end",
  };
}

function calls(info: Info, { document, sum, all }: Shown, narrowed: boolean, counted: boolean): FigureText {
  if (!counted) {
    return {
      title: "Calls",
      value: count(null),
      note: "not recorded: lines count statements",
      help: "Activations begun",
    };
  }
  if (narrowed) {
    const note = sum.calls === all.calls ? "in what the filters show" : `of ${plain(count(all.calls))} before filters`;
    return { title: "Calls", value: count(sum.calls), note, help: "Activations begun in what the filters show" };
  }
  const parts = [several(info.threads, "thread", "threads"), several(info.methods, "method", "methods")];
  if (info.processes > 1) {
    parts.unshift(several(info.processes, "process", "processes"));
  }
  return {
    title: "Calls",
    value: count(document.calls),
    note: parts.join(", "),
    help: "Activations begun, every one counted",
  };
}

function busy(info: Info): FigureText {
  const cpu = cpuTime(info);
  const help = "CPU time of all recorded threads, sampled, divided by the duration: 1 is one processor all the time";
  if (cpu === null || !isKnown(info.elapsed_ns) || info.elapsed_ns <= 0) {
    return { title: "Processors busy", value: count(null), note: "CPU times were not recorded", help };
  }
  const kernel = (info.thread_list ?? []).reduce((sum, row) => sum + (row.cpu_kernel_ns ?? 0), 0);
  return {
    title: "Processors busy",
    value: { number: `~${(cpu / info.elapsed_ns).toFixed(2)}`, unit: "" },
    note: `~${plain(time(cpu))} CPU${cpu > 0 ? `, ${plain(share(kernel, cpu))} in the kernel` : ""}`,
    help,
  };
}

function cost(info: Info): FigureText {
  const lost = info.lost ?? 0;
  const own = (info.overheads ?? []).reduce((sum, row) => sum + row.each_ns * row.count, 0);
  const parts: string[] = [];
  if (own > 0) {
    parts.push(`about ${plain(time(own))} of probes${info.adjusted ? ", subtracted" : ", included"}`);
  }
  if (isKnown(info.size_bytes)) {
    parts.push(plain(bytes(info.size_bytes)));
  }
  return {
    title: "Lost events",
    value: count(info.lost),
    note: parts.join(", "),
    help: "Events that were not recorded. Below: what recording cost, by the calibrated cost of a call, and the file's size",
    warn: lost > 0,
  };
}

/** narrowed: filters leave something out. */
export function figuresOf({ info, page }: SessionDocument, shown: Shown, narrowed: boolean): FigureText[] {
  return [
    duration(info, shown),
    calls(info, shown, narrowed, page.has.tree === true),
    ofSession(busy(info), narrowed),
    ofSession(cost(info), narrowed),
  ];
}
