// What a view shows when it has nothing to show: an error, a missing document, work that takes its time.
import { Component, type ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { DocumentError } from "../data/client";
import { bounded } from "../text/foreign";
import type { Loading } from "./context";
import { Command } from "./copy";

/** One sentence and a command that helps. */
export function Missing({ sentence, command }: { sentence: string; command?: string | undefined }) {
  return (
    <div class="missing" role="status">
      <p>{bounded(sentence)}</p>
      {command && (/^clew /.test(command) ? <Command line={command} /> : <p class="dim">{bounded(command)}</p>)}
    </div>
  );
}

export function Problem({ problem }: { problem: DocumentError }) {
  const command = /\bclew (view|record|run|report|replay|info)\b[^'"]*/.exec(problem.cure)?.[0];
  return <Missing sentence={problem.message} command={command === problem.cure ? command : problem.cure} />;
}

/** Says what is being done, once it has taken 200 ms. */
export function Busy({ doing }: { doing: string }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 200);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class={late ? "missing" : ""} role="status" aria-busy="true">
      {late && <p class="dim">{doing}</p>}
    </div>
  );
}

/** Draws a document once it is there. While another one is on its way, the one before is dimmed, and a sentence says so. */
export function Ready<T>({
  of,
  doing,
  children,
}: {
  of: Loading<T>;
  doing: string;
  children: (value: T) => ComponentChildren;
}) {
  if (of.problem) {
    return <Problem problem={of.problem} />;
  }
  return of.value === null ? (
    <Busy doing={doing} />
  ) : (
    <div class={of.fits ? "ready" : "ready stale"} aria-busy={!of.fits}>
      {!of.fits && (
        <p class="stale-note" role="status">
          {doing}: what is dimmed is from before the filters changed
        </p>
      )}
      {children(of.value)}
    </div>
  );
}

/** Keeps a failing view from taking the others with it. */
export class Guard extends Component<{ children: ComponentChildren }, { problem: string | null }> {
  override state: { problem: string | null } = { problem: null };

  override componentDidCatch(problem: unknown): void {
    this.setState({ problem: String(problem) });
  }

  render() {
    return this.state.problem === null ? (
      this.props.children
    ) : (
      <Missing sentence={`This view failed; the others work on. ${this.state.problem}`} />
    );
  }
}
