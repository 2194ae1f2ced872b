// The rows of the call tree: which nodes are open, which one is the active one, and how the selection follows it.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { one } from "../../data/place";
import type { Tree } from "../../data/tree";
import { findMethod } from "../../data/tree_filter";
import { select } from "../../frame/actions";
import { useApp, usePlace } from "../../frame/context";
import { toggled } from "../../frame/rows";
import type { Sort } from "../../frame/table";
import {
  expandAll,
  foundNodes,
  heaviest,
  heaviestRoot,
  hottestPath,
  nextHit,
  openAtFirst,
  revealed,
} from "./interaction";
import { visibleRows } from "./rows";

/** The open nodes; of another tree, those that are open at first. */
function useOpen(tree: Tree): [ReadonlySet<number>, (next: ReadonlySet<number>) => void] {
  const first = useMemo(() => openAtFirst(tree), [tree]);
  const [state, setState] = useState({ tree, open: first as ReadonlySet<number> });
  const open = state.tree === tree ? state.open : first;
  return [open, (next) => setState({ tree, open: next })];
}

/** found: the methods that the search finds. */
export function useRows(tree: Tree, sort: Sort, found: Uint8Array | null) {
  const { store } = useApp();
  const key = one(usePlace(), "method");
  const method = findMethod(tree, key);
  const [open, setOpen] = useOpen(tree);
  const [node, setNode] = useState(-1);
  const rows = useMemo(() => visibleRows(tree, open, sort), [tree, open, sort.name, sort.down]);
  const methodOf = (at: number) => tree.methods[tree.method[at]];
  const reveal = (target: number) => {
    const next = revealed(tree, open, target);
    if (next !== open) {
      setOpen(next);
    }
    setNode(target);
  };
  // A method that is selected elsewhere is shown where it has the most weight; one that is selected here, where it is.
  const own = useRef("");
  useEffect(() => {
    if (method >= 0 && tree.method[node] !== method && own.current !== key) {
      reveal(heaviest(tree, method));
    }
    own.current = "";
  }, [tree, method]);
  const choose = (at: number) => {
    setNode(at);
    own.current = methodOf(at)?.key ?? "";
    select(store, methodOf(at));
  };
  const here = () => (node >= 0 ? node : (rows[0] ?? -1));
  return {
    rows,
    open,
    method,
    methodOf,
    active: rows.indexOf(node),
    here,
    activate: (row: number) => rows[row] !== undefined && choose(rows[row] as number),
    toggle: (at: number) => setOpen(toggled(open, at)),
    expandHere: () => setOpen(expandAll(tree, here(), open)),
    collapse: () => setOpen(new Set()),
    openHottest: () => {
      const path = hottestPath(tree, node >= 0 ? node : heaviestRoot(tree));
      setOpen(new Set([...open, ...path]));
      choose(path.at(-1) ?? -1);
    },
    search: (forward: boolean) => {
      const target = nextHit(found ? foundNodes(tree, found) : [], node, forward);
      if (target !== undefined) {
        reveal(target);
      }
    },
  };
}

export type Rows = ReturnType<typeof useRows>;
