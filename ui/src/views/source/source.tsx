// Sources with what each line cost; for a chosen activation, the values that its lines gave.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { FileRow, SourceDocument, StoryEvent } from "../../data/events";
import { integer, one } from "../../data/place";
import { useApp, useDocument, useKeys, usePlace, useTree } from "../../frame/context";
import { Toolbar } from "../../frame/controls";
import { CopyTable } from "../../frame/copy";
import { Missing, Ready } from "../../frame/states";
import { Barred, Time } from "../../frame/text";
import { bounded } from "../../text/foreign";
import { count, digits, isKnown, plain, share } from "../../text/format";
import {
  costsOf,
  editorLink,
  editorPattern,
  heatOf,
  type LineCost,
  type Sums,
  setEditorPattern,
  sharedFolder,
  summary,
  sumsOf,
  valuesByLine,
} from "./costs";
import { coloured, type Piece } from "./syntax";

export function SourceView() {
  const files = useDocument("files");
  return (
    <Ready of={files} doing="Listing sources">
      {(value) =>
        value.files.length === 0 ? (
          <Missing sentence="The recording names no source file: its modules have no symbols." />
        ) : (
          <Body files={value.files} />
        )
      }
    </Ready>
  );
}

/** The file of the place, or of the selected method, or the one with the most time. */
function useChosen(files: readonly FileRow[]): { document: number; line: number | null } {
  const place = usePlace();
  const tree = useTree();
  const chosen = integer(place, "document");
  const line = integer(place, "line");
  const method = one(place, "method");
  const hottest = useMemo(
    () => [...files].sort((a, b) => (b.own_ns ?? b.count ?? 0) - (a.own_ns ?? a.count ?? 0))[0],
    [files],
  );
  if (chosen !== null && files.some((file) => file.document === chosen)) {
    return { document: chosen, line };
  }
  const row = tree.value?.full.methods.find((one_) => one_.key === method);
  if (row && row.document !== null && files.some((file) => file.document === row.document)) {
    return { document: row.document, line: row.line };
  }
  return { document: hottest?.document ?? 0, line };
}

function Body({ files }: { files: readonly FileRow[] }) {
  const { document, line } = useChosen(files);
  const source = useDocument("source", { document });
  return (
    <div class="source">
      <Files files={files} chosen={document} />
      <section class="source-main" aria-label="Source">
        <Ready of={source} doing="Reading the source">
          {(value) => (
            <Text key={document} source={value} file={files.find((file) => file.document === document)} line={line} />
          )}
        </Ready>
      </section>
    </div>
  );
}

function Files({ files, chosen }: { files: readonly FileRow[]; chosen: number }) {
  const { store } = useApp();
  const folder = useMemo(() => sharedFolder(files.map((file) => file.path)), [files]);
  const timed = files.some((file) => (file.own_ns ?? 0) > 0);
  const weight = (file: FileRow) => (timed ? file.own_ns : file.count) ?? 0;
  const most = files.reduce((largest, file) => Math.max(largest, weight(file)), 0);
  const sorted = useMemo(() => [...files].sort((a, b) => weight(b) - weight(a) || (a.path < b.path ? -1 : 1)), [files]);
  const [all, setAll] = useState(false);
  const few = all ? sorted : sorted.slice(0, 300);
  return (
    <nav class="source-files" aria-label="Source files">
      <p class="dim source-folder" title={bounded(folder, 1000)}>
        <bdi>{bounded(folder, 300) || "files"}</bdi>
      </p>
      <ul>
        {few.map((file) => (
          <li key={file.document}>
            <a
              href={store.link("source", { document: String(file.document), line: null, method: null, call: null })}
              aria-current={file.document === chosen ? "true" : undefined}
              class={weight(file) === 0 ? "dim" : undefined}
              title={`${bounded(file.path, 1000)}\n${file.state}`}
            >
              <Barred part={weight(file)} whole={most} kind="own">
                <span class="source-path">
                  <bdi>{bounded(file.path.slice(folder.length), 200)}</bdi>
                </span>
              </Barred>
              <span class="source-weight">
                {timed ? <Time ns={weight(file)} /> : weight(file) > 0 ? plain(count(weight(file))) : ""}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {few.length < sorted.length && (
        <button type="button" class="quiet" onClick={() => setAll(true)}>
          {digits(sorted.length - few.length)} more
        </button>
      )}
    </nav>
  );
}

/** Values that the activation of the place gave, by line. */
function useCallValues(): Map<number, string> {
  const place = usePlace();
  const { session } = useApp();
  const of = session.page.has.values ? one(place, "call") : null;
  const call = useDocument(of === null ? null : "call", { of });
  const number = Number((of ?? "0:0").split(":")[1]);
  const begin = call.value?.begin ?? null;
  const story = useDocument(begin === null ? null : "story", {
    at: begin,
    thread: begin === null ? null : (call.value?.thread ?? null),
    count: 2000,
  });
  return useMemo(() => {
    const rows: readonly StoryEvent[] = story.value?.rows ?? [];
    const values = valuesByLine(rows, number);
    return new Map([...values].map(([line, some]) => [line, summary(some)]));
  }, [story.value, number]);
}

const rowHeight = 19;

function Text({ source, file, line }: { source: SourceDocument; file: FileRow | undefined; line: number | null }) {
  const { store } = useApp();
  const place = usePlace();
  const tree = useTree();
  const names = useMemo(() => {
    const methods = tree.value?.document.methods;
    return (method: string | number | null) =>
      typeof method === "number" ? (methods?.[method]?.name ?? null) : method;
  }, [tree.value]);
  const costs = useMemo(() => costsOf(source.lines, names), [source, names]);
  const sums = useMemo(() => sumsOf(costs), [costs]);
  const pieces = useMemo(() => (source.text ? coloured(source.text, source.path) : null), [source]);
  const values = useCallValues();
  const lines = pieces ? pieces.length : Math.max(0, ...costs.keys());
  const hot = useMemo(
    () =>
      [...costs.entries()]
        .sort(([, a], [, b]) => (b.own ?? b.count ?? 0) - (a.own ?? a.count ?? 0))
        .map(([number]) => number),
    [costs],
  );
  const active = line ?? hot[0] ?? 1;
  const choose = (next: number) => {
    const method = costs.get(next)?.method;
    store.set({ document: String(file?.document ?? ""), line: String(next), ...(method ? { method } : {}) }, "replace");
  };
  const ran = useMemo(
    () => [...costs.keys()].filter((number) => (costs.get(number)?.count ?? 0) > 0).sort((a, b) => a - b),
    [costs],
  );
  const hotter = (by: number) => {
    const rank = hot.indexOf(active);
    const next = hot[Math.max(0, Math.min(hot.length - 1, rank + by))];
    if (next !== undefined) {
      choose(next);
    }
  };
  useKeys("Source", [
    { key: "j", title: "Next line that ran", run: () => choose(ran.find((number) => number > active) ?? active) },
    {
      key: "k",
      title: "Previous line that ran",
      run: () => choose(ran.findLast((number) => number < active) ?? active),
    },
    { key: "]", title: "The next cooler line", run: () => hotter(1) },
    { key: "[", title: "The next hotter line", run: () => hotter(-1) },
    { key: "o", title: "Open the line in the editor", run: () => openEditor(source.path, active) },
  ]);
  const call = one(place, "call");
  return (
    <>
      <Toolbar>
        <strong class="mono source-title" title={bounded(source.path, 1000)}>
          {bounded(source.path.split("/").at(-1) ?? source.path, 120)}
        </strong>
        {isKnown(file?.own_ns) && sums.own > 0 && (
          <span class="dim">
            own <Time ns={sums.own} />
          </span>
        )}
        {file && file.state !== "verified" && <span class="chip warn">{bounded(file.state, 60)}</span>}
        {call && (
          <span class="chip">
            values of call {bounded(call, 30)}
            <button type="button" aria-label="Show no values" onClick={() => store.set({ call: null })}>
              ×
            </button>
          </span>
        )}
        <Editor path={source.path} line={active} />
        <CopyTable
          rows={() => [
            ["line", "count", "own_ns", "text"],
            ...Array.from({ length: lines }, (_, at) => [
              String(at + 1),
              String(costs.get(at + 1)?.count ?? ""),
              String(costs.get(at + 1)?.own ?? ""),
              source.text?.[at] ?? "",
            ]),
          ]}
          json={() => source.lines}
        />
      </Toolbar>
      {!source.text && <p class="source-why">{bounded(source.why ?? "The text of this file is not at hand.", 400)}</p>}
      <Code
        lines={lines}
        pieces={pieces}
        costs={costs}
        sums={sums}
        active={active}
        focused={line !== null}
        values={values}
        onActive={choose}
      />
    </>
  );
}

function openEditor(path: string, line: number): void {
  const link = editorLink(editorPattern(), path, line);
  if (link) {
    window.location.assign(link);
  }
}

/** The link to the user's editor, and the pattern that makes it. */
function Editor({ path, line }: { path: string; line: number }) {
  const [pattern, setPattern] = useState(editorPattern);
  const [edit, setEdit] = useState(false);
  const link = editorLink(pattern, path, line);
  return (
    <span class="group push">
      {edit ? (
        <input
          class="field source-pattern"
          aria-label="Pattern of the editor's links, with {path}, {line} and {column}"
          value={pattern}
          spellcheck={false}
          onInput={(event) => {
            setPattern(event.currentTarget.value);
            setEditorPattern(event.currentTarget.value);
          }}
          onKeyDown={(event) => (event.key === "Enter" || event.key === "Escape") && setEdit(false)}
        />
      ) : (
        link && (
          <a class="source-open" href={link} title={`Open line ${line} in the editor (o)`}>
            Open in editor
          </a>
        )
      )}
      <button
        type="button"
        class="quiet"
        title="The pattern of the editor's links"
        aria-label="Set the editor"
        aria-pressed={edit}
        onClick={() => setEdit(!edit)}
      >
        …
      </button>
    </span>
  );
}

interface CodeProps {
  lines: number;
  pieces: readonly Piece[][] | null;
  costs: ReadonlyMap<number, LineCost>;
  sums: Sums;
  active: number;
  /** Whether the place names the line: then it is scrolled into the middle. */
  focused: boolean;
  values: ReadonlyMap<number, string>;
  onActive: (line: number) => void;
}

function Code(props: CodeProps) {
  const { lines, active, sums } = props;
  const box = useRef<HTMLDivElement>(null);
  const [sight, setSight] = useState({ top: 0, height: 600 });
  useLayoutEffect(() => {
    const element = box.current as HTMLDivElement;
    const look = () => setSight({ top: element.scrollTop, height: element.clientHeight });
    const watcher = new ResizeObserver(look);
    watcher.observe(element);
    look();
    return () => watcher.disconnect();
  }, []);
  useEffect(() => {
    const element = box.current;
    const top = (active - 1) * rowHeight;
    if (
      element &&
      (top < element.scrollTop + rowHeight || top + 2 * rowHeight > element.scrollTop + element.clientHeight)
    ) {
      element.scrollTop = Math.max(0, top - element.clientHeight * 0.4);
    }
  }, [active, sight.height]);
  const first = Math.max(0, Math.floor(sight.top / rowHeight) - 8);
  const last = Math.min(lines, Math.ceil((sight.top + sight.height) / rowHeight) + 8);
  const timed = sums.mostOwn > 0;
  const rows = [];
  for (let index = first; index < last; index++) {
    rows.push(<CodeLine key={index} number={index + 1} timed={timed} {...props} />);
  }
  return (
    <div
      ref={box}
      class="source-code"
      role="grid"
      aria-label="Lines with their costs"
      aria-rowcount={lines}
      tabIndex={0}
      onScroll={(event) => setSight({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight })}
    >
      <div class="source-head" role="rowgroup">
        <div role="row" class="source-line">
          <span role="columnheader" class="source-count">
            Count
          </span>
          <span role="columnheader" class="source-own">
            Own
          </span>
          <span role="columnheader" class="source-share">
            Share
          </span>
          <span role="columnheader" class="source-number">
            Line
          </span>
          <span role="columnheader" class="source-text">
            Source
          </span>
        </div>
      </div>
      <div class="source-inner" role="rowgroup" style={{ height: `${lines * rowHeight}px` }}>
        {rows}
      </div>
    </div>
  );
}

function CodeLine({
  number,
  timed,
  pieces,
  costs,
  sums,
  active,
  values,
  onActive,
}: CodeProps & { number: number; timed: boolean }) {
  const cost = costs.get(number);
  const heat = heatOf(cost, sums);
  const value = values.get(number);
  const never = cost?.count === 0;
  const classes = `source-line${number === active ? " active" : ""}${never ? " never" : ""}`;
  return (
    <div
      class={classes}
      role="row"
      aria-rowindex={number}
      aria-selected={number === active}
      style={{ transform: `translateY(${(number - 1) * rowHeight}px)` }}
      onClick={() => onActive(number)}
    >
      <span
        class="source-count"
        role="gridcell"
        title={isKnown(cost?.count) ? `Begun ${digits(cost.count)} times` : undefined}
      >
        {isKnown(cost?.count) ? plain(count(cost.count)) : ""}
      </span>
      <span class="source-own" role="gridcell">
        {timed && isKnown(cost?.own) && cost.own > 0 ? <Time ns={cost.own} /> : ""}
      </span>
      <span class={heat === null ? "source-share" : `source-share heat-${heat}`} role="gridcell">
        {timed && isKnown(cost?.own) && cost.own > 0 ? plain(share(cost.own, sums.own)) : ""}
      </span>
      <span class="source-number" role="gridcell">
        {number}
      </span>
      <span class="source-text" role="gridcell">
        {pieces?.[number - 1]?.map((piece, at) => (
          <span key={at} class={piece.kind ? `syntax-${piece.kind}` : undefined}>
            {bounded(piece.text, 4000).replaceAll("\\u0009", "    ")}
          </span>
        ))}
        {value && (
          <span class="source-value" title={bounded(value, 2000)}>
            {bounded(value, 300)}
          </span>
        )}
      </span>
    </div>
  );
}
