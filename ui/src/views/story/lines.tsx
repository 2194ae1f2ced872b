// One line of a story, as it is shown.
import type { ComponentChildren } from "preact";
import { Name, Time } from "../../frame/text";
import { bounded } from "../../text/foreign";
import { moment, plain, time } from "../../text/format";
import { type Line, type Shown, throwWords } from "./rows";

/** Where links lead. */
export interface Links {
  value: (line: Line, value: Shown) => string | null;
  object: (object: number) => string;
  source: (line: Line) => string | null;
  exceptions: string;
}

/** The text with what was searched for marked. */
export function Marked({ text, find }: { text: string; find: string }) {
  const shown = bounded(text, 600);
  if (!find) {
    return <>{shown}</>;
  }
  const parts: ComponentChildren[] = [];
  const lower = shown.toLowerCase();
  const wanted = find.toLowerCase();
  let from = 0;
  for (let hit = lower.indexOf(wanted); hit >= 0 && parts.length < 60; hit = lower.indexOf(wanted, from)) {
    parts.push(shown.slice(from, hit), <mark key={hit}>{shown.slice(hit, hit + wanted.length)}</mark>);
    from = hit + wanted.length;
  }
  return (
    <>
      {parts}
      {shown.slice(from)}
    </>
  );
}

function ObjectLink({ value, links }: { value: Shown; links: Links }) {
  return value.object === null ? null : (
    <>
      {" "}
      <a
        class="story-object"
        href={links.object(value.object)}
        title={value.type ? bounded(value.type, 400) : undefined}
      >
        #{value.object}
      </a>
      {value.perhaps !== null && <span class="dim"> (perhaps #{value.perhaps})</span>}
    </>
  );
}

function Value({ line, value, links, find }: { line: Line; value: Shown; links: Links; find: string }) {
  const to = links.value(line, value);
  const name = value.kind === "allocation" ? "new " : value.label ? value.label : "";
  const kind = value.missing !== null ? "story-missing" : value.isNull ? "story-null" : "story-given";
  return (
    <span class="story-value">
      {name && (to ? <a href={to}>{<Marked text={name} find={find} />}</a> : <Marked text={name} find={find} />)}
      {name && value.kind !== "allocation" && <span class="dim"> = </span>}
      <span class={kind} title={value.type ? bounded(value.type, 400) : undefined}>
        <Marked text={value.text} find={find} />
      </span>
      <ObjectLink value={value} links={links} />
    </span>
  );
}

function Values({
  line,
  of,
  links,
  find,
  arrow,
}: {
  line: Line;
  of: readonly Shown[];
  links: Links;
  find: string;
  arrow: boolean;
}) {
  const few = of.slice(0, 40);
  return few.length === 0 ? null : (
    <span class="story-values">
      {arrow && <span class="story-arrow">→ </span>}
      {few.map((value, index) => (
        <span key={index}>
          {index > 0 && ", "}
          <Value line={line} value={value} links={links} find={find} />
        </span>
      ))}
      {of.length > few.length && <span class="dim">, {of.length - few.length} more</span>}
    </span>
  );
}

const endings: Readonly<Record<string, string>> = {
  unwind: "left by an exception",
  cut: "its end was not recorded",
  open: "still runs at the end",
  running: "ran already when recording began",
};

function How({ line }: { line: Line }) {
  return line.how ? (
    <span class={line.how === "unwind" ? "story-unwind" : "dim"}> {endings[line.how] ?? line.how}</span>
  ) : null;
}

interface BodyProps {
  line: Line;
  links: Links;
  find: string;
  folded: boolean;
  onFold: () => void;
}

function Call({ line, links, find, folded, onFold }: BodyProps) {
  const args = line.values.filter((value) => value.kind === "argument");
  const rest = line.values.filter((value) => value.kind !== "argument");
  return (
    <>
      {line.leaf && !folded ? (
        <span class="twist" aria-hidden="true">
          ·
        </span>
      ) : (
        <button
          type="button"
          class="twist"
          tabIndex={-1}
          aria-label={folded ? "Unfold the call" : "Fold the call"}
          onClick={onFold}
        >
          {folded ? "▸" : "▾"}
        </button>
      )}
      <span class="story-call">
        {find && line.method ? <Marked text={line.method} find={find} /> : <Name name={line.method ?? "?"} />}
      </span>
      {args.length > 0 && (
        <span class="story-args">
          <Values line={line} of={args} links={links} find={find} arrow={false} />
        </span>
      )}
      {folded && <span class="dim"> …</span>}
      <Values line={line} of={rest} links={links} find={find} arrow />
      <How line={line} />
    </>
  );
}

function Statement({ line, links, find }: BodyProps) {
  const source = links.source(line);
  return (
    <>
      <span class="story-number">
        {line.line === null ? "" : source ? <a href={source}>{line.line}</a> : line.line}
      </span>
      <span class="story-text">
        {line.text ? (
          <Marked text={line.text.trim()} find={find} />
        ) : (
          <span class="dim">{line.line === null ? "a statement without source" : "source not at hand"}</span>
        )}
      </span>
      <Values line={line} of={line.values} links={links} find={find} arrow />
    </>
  );
}

function Throw({ line, links, find }: BodyProps) {
  const [before, after] = throwWords(line);
  return (
    <>
      <span class="story-number" />
      <span class="story-unwind">
        {before}
        <a href={links.exceptions}>
          <Marked text={line.type} find={find} />
        </a>
        {after}
        {line.text && (
          <>
            {": "}
            <Marked text={line.text} find={find} />
          </>
        )}
      </span>
    </>
  );
}

function Content(props: BodyProps) {
  const { line, links, find } = props;
  switch (line.kind) {
    case "call":
      return <Call {...props} />;
    case "statement":
      return <Statement {...props} />;
    case "values":
      return (
        <>
          <span class="story-number" />
          <Values line={line} of={line.values} links={links} find={find} arrow />
        </>
      );
    case "end":
      return (
        <>
          <span class="twist dim" aria-hidden="true">
            ╵
          </span>
          <span class="dim story-end">
            <Name name={line.method ?? ""} />
          </span>
          <Values line={line} of={line.values} links={links} find={find} arrow />
          <How line={line} />
        </>
      );
    case "throw":
      return <Throw {...props} />;
    case "lost":
      return <span class="chip warn">{line.count} events are lost here</span>;
  }
}

/** Kinds of lines that are in the activation at their depth. */
const inside: ReadonlySet<string> = new Set(["statement", "values", "throw"]);

/** time: shown only where it changed. */
export function LineRow(props: BodyProps & { time: number | null; step: number; pad: number }) {
  const { line, pad } = props;
  return (
    <>
      <span class="story-time" role="gridcell">
        {props.time === null ? "" : moment(props.time, props.step)}
      </span>
      <span
        class="story-code"
        role="gridcell"
        style={{
          paddingLeft: `${Math.min(line.depth, 40) * pad + (inside.has(line.kind) ? pad : 0)}px`,
        }}
      >
        <Content {...props} />
      </span>
      <span
        class="story-took"
        role="gridcell"
        title={line.duration === null ? undefined : `${plain(time(line.duration))} from entry to exit`}
      >
        {line.duration === null ? null : <Time ns={line.duration} />}
      </span>
    </>
  );
}
