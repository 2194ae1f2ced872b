// Buttons that copy what is shown, as text and as JSON.
import { useState } from "preact/hooks";

async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea"); // a page opened from disk has no clipboard of its own
    area.value = text;
    area.className = "offscreen";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

export function CopyButton({ label, title, text }: { label: string; title: string; text: () => string }) {
  const [state, setState] = useState("");
  const copy = async () => {
    setState((await write(text())) ? "Copied" : "Not copied");
    setTimeout(() => setState(""), 1200);
  };
  return (
    <button type="button" class="quiet" title={title} onClick={copy}>
      <span aria-live="polite">{state || label}</span>
    </button>
  );
}

/** Copies a table. rows: the first is the head; json: the same as objects. */
export function CopyTable({ rows, json }: { rows: () => readonly (readonly string[])[]; json: () => unknown }) {
  return (
    <span class="group" role="group" aria-label="Copy">
      <CopyButton label="Copy text" title="Copy what is shown as text" text={() => asText(rows())} />
      <CopyButton label="JSON" title="Copy what is shown as JSON" text={() => JSON.stringify(json(), null, 1)} />
    </span>
  );
}

/** Columns of one width, numbers to the right; names last, as `clew report` prints them. */
export function asText(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, cell.length);
    });
  }
  return rows
    .map((row) => row.map((cell, at) => (at === row.length - 1 ? cell : cell.padStart(widths[at] ?? 0))).join("  "))
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}

/** A command for a terminal, ready to copy. */
export function Command({ line }: { line: string }) {
  return (
    <span class="command">
      <code>{line}</code>
      <CopyButton label="Copy" title="Copy the command" text={() => line} />
    </span>
  );
}
