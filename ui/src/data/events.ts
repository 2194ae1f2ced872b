// The documents that need events: timeline, story, values, sources (doc/serve.md). Times are ns from the session's
// start; null: unknown. A position is P:T:ORDINAL, an activation P:N.
import type { AwaitPlace, Exactness, MethodRow } from "./documents";

/** Columns of one lane's spans. */
export interface SpanColumns {
  begin_ns: number[];
  end_ns: number[];
  depth: number[];
  /** Index in the document's methods. */
  method: number[];
  /** Number of the activation in its process; 0: several calls, or not known. */
  call: number[];
  /** How many short calls a merged span holds. */
  calls: number[];
}

export interface TimelineLane {
  process: number;
  thread: number;
  name: string | null;
  spans: SpanColumns;
  /** Share of each column's time inside recorded calls. */
  busy: number[];
  /** Method with the most time in each column, or -1. */
  dominant: number[];
}

export interface TimelineDocument extends Exactness {
  from_ns: number;
  to_ns: number;
  methods: MethodRow[];
  lanes: TimelineLane[];
}

export interface StructField {
  name?: string | null;
  type?: string | null;
  value?: string | null;
  object?: number | null;
  fields?: StructField[];
  not_captured?: string;
}

/** One event, as `clew replay --json` prints it, with its position and its source line. */
export interface StoryEvent extends StructField {
  event: string;
  at: string;
  time_ns?: number | null;
  process: number;
  thread: number;
  depth: number;
  call?: number | null;
  method?: string;
  id?: number;
  duration_ns?: number | null;
  count?: number;
  offset?: number;
  line?: number | null;
  column?: number;
  end_line?: number | null;
  end_column?: number;
  file?: string | null;
  text?: string | null;
  place?: string;
  index?: number | null;
  indices?: readonly number[];
  key?: StructField;
  path?: string;
  owner?: number | null;
  owner_name?: string | null;
  owner_place?: string;
  perhaps?: number;
  /** Of a throw or catch: that of the exception; null: it has none, or it is left out. */
  message?: string | null;
  message_length?: number | null;
  /** Whether code that is not recorded threw or caught it, which the activation called. */
  below?: boolean;
}

export interface StoryDocument extends Partial<Exactness> {
  rows: StoryEvent[];
  first: string | null;
  last: string | null;
  more: boolean;
  /** Of a search: the event from which it goes on; null: it looked at all. */
  next?: string | null;
}

export interface CallDocument {
  begin: string | null;
  end: string | null;
  begin_ns: number | null;
  end_ns: number | null;
  method: string | null;
  /** P:T */
  thread: string;
  depth: number;
}

/** A wait of an async activation, between two of its runs. */
export interface RunWait extends AwaitPlace {
  suspended_ns: number | null;
  /** null: it was not seen to be resumed. */
  resumed_ns: number | null;
  awaiting_ns: number | null;
  /** The run at its other end; null: not known. */
  run: (CallDocument & { of: string }) | null;
}

/** A call; of a run of an async activation, the waits around it. null: there is none. */
export interface RunsDocument extends CallDocument {
  before: RunWait | null;
  after: RunWait | null;
}

export interface VariableRow {
  name: string;
  method: string | null;
  file: string | null;
  line: number | null;
  place: string | null;
  count: number | null;
  type: string | null;
}

export interface VariablesDocument {
  variables: VariableRow[];
}

export interface ValueMoment extends StructField {
  at: string;
  time_ns: number | null;
  call: number | string | null;
  method: string | null;
  line: number | null;
  perhaps?: number;
}

export interface ValuesDocument {
  values: ValueMoment[];
  more: boolean;
  /** Why there are not all. */
  why?: string | null;
}

export interface FileRow {
  document: number;
  path: string;
  state: string;
  lines: number | null;
  count: number | null;
  own_ns: number | null;
}

export interface FilesDocument extends Exactness {
  files: FileRow[];
}

export interface SourceLine {
  line: number;
  column: number;
  end_line: number;
  end_column: number;
  count: number | null;
  own_ns: number | null;
  method: string | number | null;
}

export interface SourceDocument extends Exactness {
  path: string;
  text: string[] | null;
  why: string | null;
  lines: SourceLine[];
}

export interface AllocationType {
  type: string | null;
  count: number;
  bytes: number | null;
  unsized: number;
}

export interface AllocationRow extends AllocationType {
  method: string;
  module: string | null;
  kind: string;
  file: string | null;
  line: number | null;
  offset: number;
}

/** Exceptions by type: `clew report --by exceptions --json`. */
export interface ExceptionType {
  type: string | null;
  thrown: number;
  caught: number;
}

/** By type, place of the throw and place of the catch. */
export interface ExceptionRow {
  type: string | null;
  count: number;
  /** Absent: no recorded method ran. */
  method?: string | null;
  module?: string | null;
  below: boolean;
  caught: boolean;
  caught_method?: string | null;
  caught_module?: string | null;
  caught_below: boolean | null;
  /** Of the first one. */
  message: string | null;
  message_length: number | null;
}
