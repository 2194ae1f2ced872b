// From events to lines of a story: a call with its arguments, a statement with the values that it gave, a result.
import type { StoryEvent, StructField } from "../../data/events";

/** One value of a line: `sum = 0`, `#8[1] = Func #10`, `new List<int> #4`, or a result alone. */
export interface Shown {
  kind: "argument" | "definition" | "use" | "result" | "allocation";
  /** Name of the variable, for the link to its values; null: it has none. */
  name: string | null;
  /** What stands before the value, without the sign of equality. */
  label: string;
  text: string;
  object: number | null;
  perhaps: number | null;
  type: string | null;
  isNull: boolean;
  missing: string | null;
}

export type LineKind = "call" | "statement" | "values" | "end" | "throw" | "lost";

export interface Line {
  kind: LineKind;
  /** Position of its first and last event. */
  first: string;
  last: string;
  process: number;
  thread: number;
  depth: number;
  call: number | null;
  time: number | null;
  duration: number | null;
  method: string | null;
  file: string | null;
  line: number | null;
  /** The statement, or the message of an exception. */
  text: string | null;
  /** Of an exception; empty: not known. */
  type: string;
  values: Shown[];
  /** unwind, cut, open, running: how it ended or began, where that is not by entry and return. Of a throw: how it reads. */
  how: string;
  /** A call that began and ended here, with nothing to fold. */
  leaf: boolean;
  /** Events that a fold or a loss leaves out. */
  count: number;
}

const aliases: Readonly<Record<string, string>> = {
  Boolean: "bool",
  Byte: "byte",
  SByte: "sbyte",
  Char: "char",
  Decimal: "decimal",
  Double: "double",
  Single: "float",
  Int16: "short",
  UInt16: "ushort",
  Int32: "int",
  UInt32: "uint",
  Int64: "long",
  UInt64: "ulong",
  IntPtr: "nint",
  UIntPtr: "nuint",
  Object: "object",
  String: "string",
};

/** System.Collections.Generic.List<System.Int32> as List<int>. */
export function shortType(type: string): string {
  return type.replace(/(?:[\w`]+\.)+([\w`]+)/g, (whole, last: string) => {
    const alias = whole === `System.${last}` ? aliases[last] : undefined;
    return alias ?? last;
  });
}

const textual: ReadonlySet<string> = new Set(["System.String", "System.Char"]);
const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\" };

export function quoted(text: string, mark: string): string {
  return `${mark}${text.replace(/[\n\r\t\\]/g, (letter) => escapes[letter] ?? letter)}${mark}`;
}

/** Fields that a compiler made have names that no source has. */
function named(field: StructField): boolean {
  return !(field.name ?? "").startsWith("<");
}

function structText(fields: readonly StructField[]): string {
  return `{ ${fields.filter(named).map(fieldText).join(", ")} }`;
}

function fieldText(field: StructField): string {
  return `${field.name ?? "?"} = ${valueText(field).text}`;
}

/** A value as C# would write it, and whether it is null or was not captured. */
export function valueText(value: StructField): { text: string; isNull: boolean; missing: string | null } {
  if (value.not_captured !== undefined) {
    return { text: `not captured: ${value.not_captured}`, isNull: false, missing: value.not_captured };
  }
  const type = value.type ?? "";
  if (value.value === null || value.value === undefined) {
    if (value.fields) {
      return { text: structText(value.fields), isNull: false, missing: null };
    }
    return { text: "null", isNull: true, missing: null };
  }
  if (textual.has(type)) {
    return { text: quoted(value.value, type === "System.Char" ? "'" : '"'), isNull: false, missing: null };
  }
  if (value.fields) {
    return { text: structText(value.fields), isNull: false, missing: null };
  }
  if (value.object !== null && value.object !== undefined && value.value === type) {
    return { text: shortType(type), isNull: false, missing: null };
  }
  return { text: value.value, isNull: false, missing: null };
}

function labelOf(event: StoryEvent): string {
  const name = event.name ?? "";
  const indices = event.indices?.join(",");
  if (event.place === "item") {
    const index = indices ?? (event.key ? valueText(event.key).text : (event.index ?? "?"));
    return `${event.owner ? `#${event.owner}` : ""}[${index}]`;
  }
  if (event.path && !event.owner_place) {
    return indices === undefined ? event.path : event.path.replace(/\[\](?!.*\[\])/, () => `[${indices}]`);
  }
  if (event.owner_place && event.owner_name) {
    return `${event.owner_name}.${name}`;
  }
  return name;
}

const kinds: ReadonlySet<string> = new Set(["argument", "definition", "use", "result", "allocation"]);

export function isValue(event: StoryEvent): boolean {
  return kinds.has(event.event);
}

/** null: a value that only the compiler's own code has, without a name in the source. */
export function shown(event: StoryEvent): Shown | null {
  const kind = event.event as Shown["kind"];
  const nameless = event.name === undefined || event.name === null || event.name === "";
  if (nameless && (kind === "definition" || kind === "use") && event.place !== "item" && event.place !== "indirect") {
    return null;
  }
  const { text, isNull, missing } = valueText(event);
  const object = event.object ?? null;
  return {
    kind,
    name: nameless ? null : (event.name ?? null),
    label: kind === "allocation" ? "new" : kind === "result" ? "" : labelOf(event),
    text: kind === "allocation" && event.type ? shortType(event.type) : text,
    object: textual.has(event.type ?? "") ? null : object,
    perhaps: event.perhaps ?? null,
    type: event.type ?? null,
    isNull,
    missing,
  };
}

/** The statement itself where the text is its whole line. */
function statementText(event: StoryEvent): string | null {
  const text = event.text ?? null;
  const { column, end_column: end } = event;
  if (
    text === null ||
    event.event !== "statement" ||
    !column ||
    !end ||
    event.line !== event.end_line ||
    text.length < end - 1
  ) {
    return text;
  }
  return text.slice(column - 1, end - 1);
}

function lineOf(event: StoryEvent, kind: LineKind): Line {
  return {
    kind,
    first: event.at,
    last: event.at,
    process: event.process,
    thread: event.thread,
    depth: event.depth ?? 0,
    call: event.call ?? null,
    time: event.time_ns ?? null,
    duration: event.duration_ns ?? null,
    method: event.method ?? null,
    file: event.file ?? null,
    line: event.line ?? null,
    text: statementText(event),
    type: "",
    values: [],
    how: "",
    leaf: false,
    count: event.count ?? 0,
  };
}

/** How a throw or catch reads: what stands before the exception's type, and after it. */
export function throwWords(line: Line): [string, string] {
  switch (line.how) {
    case "thrown below":
      return ["", " is thrown below, by code that is not recorded"];
    case "caught below":
      return ["", " is caught below, by code that is not recorded"];
    default:
      return [line.how === "caught" ? "catches " : "throws ", ""];
  }
}

/** The message, cut where the recording cut it. */
function messageOf(event: StoryEvent): string | null {
  const message = event.message ?? null;
  return message !== null && message.length < (event.message_length ?? 0) ? `${message}...` : message;
}

function throwLine(event: StoryEvent): Line {
  return {
    ...lineOf(event, "throw"),
    text: messageOf(event),
    type: event.type ? shortType(event.type) : "(type not known)",
    how: event.below ? `${event.event} below` : event.event,
  };
}

const throws: ReadonlySet<string> = new Set(["thrown", "caught"]);
const ends: ReadonlySet<string> = new Set(["leave", "unwind", "cut", "open"]);

function takes(line: Line | undefined, event: StoryEvent): boolean {
  if (!line || line.process !== event.process || line.thread !== event.thread || line.depth !== event.depth) {
    return false;
  }
  if (line.call !== null && event.call !== null && event.call !== undefined && line.call !== event.call) {
    return false;
  }
  return line.kind === "call" ? event.event === "argument" : line.kind === "statement" || line.kind === "values";
}

function addValue(lines: Line[], event: StoryEvent): void {
  let line = lines[lines.length - 1];
  if (!line || !takes(line, event)) {
    line = lineOf(event, "values");
    lines.push(line);
  }
  line.last = event.at;
  const value = shown(event);
  if (value) {
    line.values.push(value);
  }
}

/** A call's end: joined to its beginning where nothing lies between, else a line of its own. */
function addEnd(lines: Line[], event: StoryEvent): void {
  let result: Shown[] = [];
  const before = lines[lines.length - 1];
  if (
    before?.kind === "values" &&
    before.call === (event.call ?? null) &&
    before.values.every((value) => value.kind === "result")
  ) {
    result = before.values;
    lines.pop();
  }
  const start = lines[lines.length - 1];
  const how = event.event === "leave" ? "" : event.event;
  if (
    start?.kind === "call" &&
    event.call &&
    start.call === event.call &&
    start.process === event.process &&
    start.how === ""
  ) {
    start.leaf = true;
    start.last = event.at;
    start.duration = event.duration_ns ?? null;
    start.how = how;
    start.values.push(...result);
    return;
  }
  const line = lineOf(event, "end");
  line.first = result.length ? (before?.first ?? event.at) : event.at;
  line.values = result;
  line.how = how;
  lines.push(line);
}

/** Lines of consecutive events of one thread, or of several in order of time. */
export function linesOf(events: readonly StoryEvent[]): Line[] {
  const lines: Line[] = [];
  for (const event of events) {
    if (isValue(event)) {
      addValue(lines, event);
    } else if (ends.has(event.event)) {
      addEnd(lines, event);
    } else if (throws.has(event.event)) {
      lines.push(throwLine(event));
    } else {
      const line = lineOf(event, event.event === "statement" ? "statement" : event.event === "lost" ? "lost" : "call");
      line.how = event.event === "running" ? "running" : "";
      lines.push(line);
    }
  }
  return lines.filter((line) => line.kind !== "values" || line.values.length > 0);
}

/** Everything of a line that a person can read, for search and for copying. */
export function plainLine(line: Line): string {
  const values = line.values.map((value) => {
    const object = value.object === null ? "" : ` #${value.object}`;
    return value.kind === "allocation"
      ? `new ${value.text}${object}`
      : `${value.label ? `${value.label} = ` : ""}${value.text}${object}`;
  });
  const indent = "  ".repeat(line.depth);
  switch (line.kind) {
    case "call":
      return `${indent}${line.method ?? "?"}${values.length ? `  ${values.join(", ")}` : ""}`;
    case "statement":
      return `${indent}  ${line.line ?? ""}  ${line.text ?? ""}${values.length ? `  → ${values.join(", ")}` : ""}`;
    case "end":
      return `${indent}} ${line.method ?? ""}${values.length ? `  → ${values.join(", ")}` : ""}`;
    case "values":
      return `${indent}  → ${values.join(", ")}`;
    case "throw": {
      const [before, after] = throwWords(line);
      return `${indent}  ${before}${line.type}${after}${line.text ? `: ${line.text}` : ""}`;
    }
    case "lost":
      return `${indent}${line.count} events are lost`;
  }
}

export function matches(line: Line, wanted: string): boolean {
  return plainLine(line).toLowerCase().includes(wanted.toLowerCase());
}

/** P:T:ORDINAL in parts; null if it is something else. */
export function parsePosition(text: string): { process: number; thread: number; ordinal: number } | null {
  const found = /^(\d+):(\d+):(\d+)$/.exec(text);
  return found ? { process: Number(found[1]), thread: Number(found[2]), ordinal: Number(found[3]) } : null;
}
