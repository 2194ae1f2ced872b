// The moments of a variable, page after page, up to a bound that is said.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { DocumentError, type Parameters } from "../../data/client";
import type { ValueMoment } from "../../data/events";
import { useApp } from "../../frame/context";

const page = 2000;
export const firstMost = 20_000;

export interface Moments {
  values: readonly ValueMoment[];
  more: boolean;
  busy: boolean;
  problem: DocumentError | null;
  /** Why there are not all, besides `more`. */
  why: string | null;
  load: () => void;
}

export function useValues(asked: Parameters | null): Moments {
  const { client, generation } = useApp();
  const key = asked === null ? "" : JSON.stringify(asked);
  const [state, setState] = useState<Omit<Moments, "load">>({
    values: [],
    more: false,
    busy: asked !== null,
    problem: null,
    why: null,
  });
  const turn = useRef(0);
  const run = useCallback(
    async (known: readonly ValueMoment[], most: number) => {
      const now = ++turn.current;
      let values = known;
      try {
        for (;;) {
          const after = values.at(-1)?.at ?? null;
          const got = await client.get("values", { ...asked, count: page, after });
          if (now !== turn.current) {
            return;
          }
          values = [...values, ...got.values];
          const onwards = got.more && got.values.length > 0 && values.length < most;
          setState({
            values,
            more: got.more && got.values.length > 0,
            busy: onwards,
            problem: null,
            why: got.why ?? null,
          });
          if (!onwards) {
            return;
          }
        }
      } catch (trouble) {
        if (now === turn.current) {
          const problem = trouble instanceof DocumentError ? trouble : new DocumentError(0, String(trouble), "");
          setState({ values, more: false, busy: false, problem, why: null });
        }
      }
    },
    [client, key, generation],
  );
  useEffect(() => {
    if (key === "") {
      setState({ values: [], more: false, busy: false, problem: null, why: null });
      return undefined;
    }
    setState({ values: [], more: false, busy: true, problem: null, why: null });
    void run([], firstMost);
    return () => {
      turn.current++;
    };
  }, [run, key]);
  return { ...state, load: () => void run(state.values, state.values.length + 5 * firstMost) };
}
