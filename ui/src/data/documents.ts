// The documents that a recording gives, as doc/serve.md defines them. Times are ns from the session's start; null: unknown.
import type { AsyncKey, FigureKey } from "./figures";

export type Category = "mine" | "package" | "framework" | "runtime" | "gc" | "jit" | "waiting" | "other";

export const categories: readonly Category[] = [
  "mine",
  "package",
  "framework",
  "runtime",
  "gc",
  "jit",
  "waiting",
  "other",
];

export interface Exactness {
  exact: boolean;
  bound_ns?: number | null;
  why?: string | null;
  losses?: number | null;
  /** The share of the recording that it is made of so far, 0 to 1. Absent: all. */
  done?: number | null;
}

/** Whether the server still works on it, so that it is to be asked for again. */
export function isPartial(document: unknown): boolean {
  const { done } = (document ?? {}) as Partial<Exactness>;
  return typeof done === "number" && done < 1;
}

/** ms until a partial document is asked for again. */
export const partialRest = 700;

export interface MethodRow {
  name: string;
  module: string | null;
  kind: string;
  category: Category;
  process: number;
  id: number;
  document: number | null;
  line: number | null;
  /** Only of a method that the program hands over to be run elsewhere: what does; null: several methods do. */
  started_by?: string | null;
}

/** The columns of the tree's nodes; depth first, a parent before its children. */
export interface NodeColumns extends Record<FigureKey, (number | null)[] | null> {
  parent: number[];
  method: number[];
}

/** A place where async methods wait. what: as in the source. document: where the page has the source. */
export interface AwaitPlace {
  what: string | null;
  file: string | null;
  line: number | null;
  document: number | null;
}

/** Columns of the async nodes alone: `node` is the number of each. */
export interface AsyncColumns extends Record<AsyncKey, (number | null)[]> {
  node: number[];
  awaits: { node: number[]; place: number[]; count: number[]; awaiting_ns: (number | null)[] };
  places: AwaitPlace[];
}

export interface TreeDocument extends Exactness {
  /** logical: async methods are below their callers; physical: below what resumed them. */
  view?: "logical" | "physical";
  from_ns: number | null;
  to_ns: number | null;
  total_ns: number | null;
  calls: number | null;
  cut: { nodes: number; calls: number | null; own_ns: number | null } | null;
  methods: MethodRow[];
  roots: { node: number; process: number | null; thread: number | null }[];
  nodes: NodeColumns;
  async?: AsyncColumns | null;
}

export interface ThreadRow {
  thread: number;
  process: number;
  os_id: number | null;
  name: string | null;
  start_ns: number | null;
  end_ns: number | null;
  calls: number | null;
  open: number | null;
  lost: number | null;
  cpu_user_ns: number | null;
  cpu_kernel_ns: number | null;
}

export interface ProcessRow {
  process: number;
  os_id: number | null;
  state: string;
  exit_code: number | null;
  signal: number | null;
  command: string | null;
  runtime: string | null;
  start_ns: number | null;
  end_ns: number | null;
  dynamic_methods?: number | null;
  overhead_ns?: number | null;
  lost?: number | null;
}

/** `clew info --json`. */
export interface Info {
  version: string;
  command: string | null;
  clock: string;
  elapsed_ns: number | null;
  adjusted: boolean;
  complete: boolean;
  damaged: boolean;
  events: number | null;
  lost: number | null;
  processes: number;
  threads: number;
  methods: number;
  statements: number | null;
  values: number | null;
  process_list: ProcessRow[];
  thread_list: ThreadRow[];
  not_woven: { method: string | null; module: string | null; reason: string }[];
  overhead_ns: number | null;
  overheads?: { event: string; each_ns: number; count: number }[];
  instruments: string[];
  all_code: boolean;
  scope: string | null;
  host: string | null;
  folder: string | null;
  started_unix_ns: number | null;
  notes: string[];
  size_bytes: number | null;
  closed: boolean;
  [more: string]: unknown;
}

export interface Finding {
  rule: string;
  text: string;
  link: string;
}

export interface SessionDocument {
  page: {
    api: number;
    file: string;
    generation: number;
    growing: boolean;
    has: Partial<Record<Ability, boolean>>;
    record: Record<string, string>;
    /** P:T of the threads that have events in order. */
    stories: string[];
  };
  info: Info;
  categories: Category[];
  findings: Finding[];
  command: string;
}

/** What a recording may have, as `session.page.has` lists it. */
export type Ability =
  | "times"
  | "tree"
  | "calls"
  | "lines"
  | "statements"
  | "values"
  | "sources"
  | "allocations"
  | "logical"
  | "requests"
  | "slowest"
  | "exceptions";

export interface ModuleRow {
  module: string;
  path: string | null;
  methods: number | null;
  woven: number | null;
  calls: number | null;
  own_ns: number | null;
}

export interface StatementRow {
  file: string;
  line: number;
  column: number;
  method: string | null;
  count: number;
  own_ns: number | null;
}

export interface ReportMethod extends Record<FigureKey, number | null> {
  method: string;
  module: string | null;
  kind: string;
  mean_ns: number | null;
}

/** Latencies from `from_ns` to `to_ns`, not included. */
export interface Latencies {
  from_ns: number;
  to_ns: number;
  count: number;
}

/** A method with which requests begin: `clew report --by requests --json`. */
export interface RequestRow {
  method: string;
  module: string | null;
  kind: string;
  calls: number;
  failures: number;
  cancelled: number;
  open: number;
  pending: number;
  /** `unknown`: something in the recording called it, and it is not known what. */
  parent?: string;
  p50_ns: number | null;
  p90_ns: number | null;
  p99_ns: number | null;
  min_ns: number | null;
  max_ns: number | null;
  /** Of how many activations the quantiles are. */
  latencies: number;
  running_ns: number | null;
  awaiting_ns: number | null;
  awaits: (Pick<AwaitPlace, "what" | "file" | "line"> & { count: number; awaiting_ns: number | null })[];
  histogram: Latencies[];
}

/** A row of the call tree of one request. */
export interface SlowNode {
  method: string;
  calls: number;
  total_ns: number | null;
  awaiting_ns?: number | null;
  children: SlowNode[];
}

/** One of the requests that took longest: `clew report --by slowest --json`. */
export interface SlowRequest {
  method: string;
  process: number;
  thread: number;
  call: number;
  began_ns: number | null;
  how: "completed" | "faulted" | "cancelled";
  latency_ns: number | null;
  running_ns: number | null;
  awaiting_ns: number | null;
  tree: SlowNode[];
}

export interface StripDocument extends Exactness {
  from_ns?: number | null;
  to_ns?: number | null;
  columns: { busy: number | null; calls: number | null; [more: string]: unknown }[];
}

export interface ChangesDocument {
  generation: number;
  growing: boolean;
  replaced: boolean;
}
