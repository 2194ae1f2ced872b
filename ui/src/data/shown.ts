// The tree that views show: that of the document, after the filters of the place.
import { globTest } from "../text/name";
import { pickAsync } from "./async";
import type { Info, ReportMethod, TreeDocument } from "./documents";
import { eachFigureKey } from "./figures";
import { takesThread } from "./place";
import { correctSums, type HeadOf, type Method, type Tree, treeOf, type Whole, whole } from "./tree";
import { below, findMethod, relabel, without } from "./tree_filter";

export interface Filters {
  mine: boolean;
  hide: readonly string[];
  under: readonly string[];
  /** Categories that are left out. */
  without: readonly string[];
  /** The threads that are shown, as chosenThreads() gives them; none: all. Of single threads the document has them apart. */
  threads: readonly string[];
  apart: boolean;
}

export interface Shown {
  document: TreeDocument;
  /** Before the filters. */
  full: Tree;
  tree: Tree;
  /** ns of removed methods that no remaining one called. */
  hidden: number;
  /** Of the filtered tree, and of all. */
  sum: Whole;
  all: Whole;
}

const trees = new WeakMap<TreeDocument, Tree>();
const views = new WeakMap<TreeDocument, Map<string, Shown>>();

/** Categories that explain the program's own time and stay under "my code". */
const explaining: readonly string[] = ["mine", "gc", "jit", "waiting"];

function headOf(document: TreeDocument, info: Info): HeadOf {
  const apart = document.roots.some((root) => root.thread !== null && root.thread !== undefined);
  const several = new Set(document.roots.map((root) => root.process)).size > 1;
  if (!apart && !several) {
    return () => null;
  }
  return (root) => {
    const process = several ? `process ${root.process} ` : "";
    if (!apart) {
      return process.trim();
    }
    const row = info.thread_list?.find((one) => one.thread === root.thread && one.process === root.process);
    return `${process}thread ${root.thread}${row?.name ? ` ${row.name}` : ""}`;
  };
}

export function fullTree(document: TreeDocument, info: Info): Tree {
  let tree = trees.get(document);
  if (!tree) {
    tree = treeOf(document, headOf(document, info));
    trees.set(document, tree);
  }
  return tree;
}

/** rows: the sums of `clew report`, where they hold for the whole tree. */
export function shown(document: TreeDocument, filters: Filters, info: Info, rows?: readonly ReportMethod[]): Shown {
  const known = views.get(document) ?? new Map<string, Shown>();
  views.set(document, known);
  const key = JSON.stringify(filters);
  let view = known.get(key);
  if (!view) {
    view = filtered(document, filters, info);
    if (rows && view.tree === view.full) {
      correctSums(view.full, rows);
    }
    if (known.size >= 6) {
      known.delete([...known.keys()][0] as string);
    }
    known.set(key, view);
  }
  return view;
}

/** The document of some threads alone. apart: they stay apart; otherwise their roots have no thread. */
export function ofThreads(document: TreeDocument, threads: readonly string[], apart: boolean): TreeDocument {
  const { parent } = document.nodes;
  const tops = new Set<number>();
  const kept = document.roots.filter((root) => takesThread(threads, root));
  for (const root of kept) {
    tops.add(root.node);
  }
  const place = new Int32Array(parent.length).fill(-1);
  const nodes: number[] = [];
  parent.forEach((above, node) => {
    if (above < 0 ? tops.has(node) : (place[above] as number) >= 0) {
      place[node] = nodes.length;
      nodes.push(node);
    }
  });
  const pick = <T>(values: readonly T[]): T[] => nodes.map((node) => values[node] as T);
  const from = document.nodes;
  return {
    ...document,
    roots: kept.map((root) => ({ ...root, node: place[root.node] as number, thread: apart ? root.thread : null })),
    nodes: {
      parent: nodes.map((node) => ((parent[node] as number) < 0 ? -1 : (place[parent[node] as number] as number))),
      method: pick(from.method),
      ...eachFigureKey((key) => from[key] && pick(from[key])),
    },
    async: document.async ? pickAsync(document.async, place) : null,
  };
}

/** The tree before the filters by method. */
function startOf(document: TreeDocument, filters: Filters, info: Info): Tree {
  if (filters.threads.length === 0) {
    return fullTree(document, info);
  }
  const part = ofThreads(document, filters.threads, filters.apart);
  const tree = treeOf(part, headOf(part, info));
  const same = Int32Array.from(tree.methods, (_, at) => at);
  return filters.apart ? tree : relabel(tree, tree.methods, same, false).tree;
}

function filtered(document: TreeDocument, filters: Filters, info: Info): Shown {
  const full = fullTree(document, info);
  let tree = startOf(document, filters, info);
  let hidden = 0;
  for (const key of filters.under) {
    tree = below(tree, findMethod(tree, key));
  }
  const tests = filters.hide.map(globTest);
  if (filters.mine || tests.length || filters.without.length) {
    const keep = (method: Method) =>
      (!filters.mine || explaining.includes(method.category)) &&
      !filters.without.includes(method.category) &&
      !tests.some((test) => test(method.name));
    const result = without(tree, keep);
    tree = result.tree;
    hidden = result.hidden;
  }
  return { document, full, tree, hidden, sum: whole(tree), all: whole(full) };
}
