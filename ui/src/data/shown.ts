// The tree that views show: that of the document, after the filters of the place.
import { globTest } from "../text/name";
import type { Info, TreeDocument } from "./documents";
import { type HeadOf, type Method, type Tree, treeOf, whole } from "./tree";
import { below, findMethod, without } from "./tree_filter";

export interface Filters {
  mine: boolean;
  hide: readonly string[];
  under: readonly string[];
  /** Categories that are left out. */
  without: readonly string[];
}

export interface Shown {
  document: TreeDocument;
  /** Before the filters. */
  full: Tree;
  tree: Tree;
  /** ns of removed methods that no remaining one called. */
  hidden: number;
  /** Of the filtered tree, and of all. */
  sum: { total: number; calls: number; exceptions: number };
  all: { total: number; calls: number; exceptions: number };
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

export function shown(document: TreeDocument, filters: Filters, info: Info): Shown {
  const known = views.get(document) ?? new Map<string, Shown>();
  views.set(document, known);
  const key = JSON.stringify([filters.mine, filters.hide, filters.under, filters.without]);
  let view = known.get(key);
  if (!view) {
    view = filtered(document, filters, fullTree(document, info));
    if (known.size >= 6) {
      known.delete([...known.keys()][0] as string);
    }
    known.set(key, view);
  }
  return view;
}

function filtered(document: TreeDocument, filters: Filters, full: Tree): Shown {
  let tree = full;
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
