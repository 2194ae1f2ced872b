// The hottest statements, where lines were recorded.
import type { StatementRow } from "../../data/documents";
import { narrows } from "../../frame/chips";
import { useApp, useDocument, usePlace } from "../../frame/context";
import { Ready } from "../../frame/states";
import { Barred, Count, Name, Number_, Time } from "../../frame/text";
import { bounded } from "../../text/foreign";
import { count, isKnown, share } from "../../text/format";

const most = 12;

/** The number that statements are in order of: own time, or how often they ran. */
function weightOf(row: StatementRow): number {
  return row.own_ns ?? row.count;
}

export function Statements() {
  const { store } = useApp();
  const lines = useDocument("report", { by: "lines" });
  const files = useDocument("files");
  const whole = narrows(usePlace());
  return (
    <section class="hottest">
      <h2>
        Hottest statements <a href={store.link("source")}>Source</a>
        {whole && <span class="dim">in the whole session</span>}
      </h2>
      <Ready of={lines} doing="Adding up statements">
        {(value) => {
          const rows = [...(value.lines ?? [])].sort((a, b) => weightOf(b) - weightOf(a));
          const sum = rows.reduce((all, row) => all + weightOf(row), 0);
          const documents = new Map((files.value?.files ?? []).map((file) => [file.path, file.document]));
          return rows.length === 0 ? (
            <p class="dim">No statement of recorded code ran.</p>
          ) : (
            <div class="ten">
              {rows.slice(0, most).map((row) => (
                <Statement
                  key={`${row.file} ${row.line} ${row.column} ${row.method}`}
                  row={row}
                  sum={sum}
                  document={documents.get(row.file) ?? null}
                />
              ))}
            </div>
          );
        }}
      </Ready>
    </section>
  );
}

function Statement({ row, sum, document }: { row: StatementRow; sum: number; document: number | null }) {
  const { store } = useApp();
  const source = useDocument(document === null ? null : "source", { document });
  const text = source.value?.text?.[row.line - 1]?.trim();
  const place = `${row.file.split("/").at(-1)}:${row.line}`;
  return (
    <a href={store.link("source", { document: document === null ? null : String(document), line: String(row.line) })}>
      <span class="cell numeric">
        <Barred part={weightOf(row)} whole={sum} kind="own">
          {isKnown(row.own_ns) ? <Time ns={row.own_ns} /> : <Count value={row.count} of={count} />}
        </Barred>
      </span>
      <span class="cell numeric dim">
        <Number_ of={share(weightOf(row), sum)} />
      </span>
      <span class="cell numeric">
        <Count value={row.count} of={count} />
        <span class="unit">×</span>
      </span>
      <span class="cell statement" title={`${bounded(row.file, 1000)}:${row.line}`}>
        <code>{text ? bounded(text, 200) : <Name name={row.method ?? ""} />}</code>{" "}
        <span class="dim">{bounded(place, 100)}</span>
      </span>
    </a>
  );
}
