// Quiet syntax colours: highlight.js gives a tree of tokens, which becomes pieces of text line by line; never HTML.
import core from "highlight.js/lib/core";
import csharp from "highlight.js/lib/languages/csharp";
import fsharp from "highlight.js/lib/languages/fsharp";
import vbnet from "highlight.js/lib/languages/vbnet";

core.registerLanguage("csharp", csharp);
core.registerLanguage("fsharp", fsharp);
core.registerLanguage("vbnet", vbnet);

/** Texts longer than this are shown without colours, so that a page never waits for them. */
const most = 400_000;

export interface Piece {
  text: string;
  /** keyword, string, comment and so on; null: plain. */
  kind: string | null;
}

interface Token {
  scope?: string;
  children: (Token | string)[];
}

export function languageOf(path: string): string | null {
  const suffix = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  const languages: Record<string, string> = {
    cs: "csharp",
    csx: "csharp",
    fs: "fsharp",
    fsi: "fsharp",
    fsx: "fsharp",
    vb: "vbnet",
  };
  return Object.hasOwn(languages, suffix) ? (languages[suffix] ?? null) : null;
}

/** The scopes that get a colour; all others are plain. */
const kinds: Readonly<Record<string, string>> = {
  keyword: "keyword",
  built_in: "type",
  type: "type",
  "title.class": "type",
  "title.function": "name",
  title: "name",
  string: "string",
  "char.escape": "string",
  regexp: "string",
  number: "number",
  literal: "keyword",
  comment: "comment",
  doctag: "comment",
  meta: "meta",
};

function collect(token: Token | string, kind: string | null, into: Piece[]): void {
  if (typeof token === "string") {
    into.push({ text: token, kind });
    return;
  }
  const own = token.scope === undefined ? kind : (kinds[token.scope] ?? kind);
  for (const child of token.children) {
    collect(child, own, into);
  }
}

function byLines(pieces: readonly Piece[]): Piece[][] {
  const lines: Piece[][] = [[]];
  for (const piece of pieces) {
    piece.text.split("\n").forEach((text, index) => {
      if (index > 0) {
        lines.push([]);
      }
      if (text) {
        lines[lines.length - 1]?.push({ text, kind: piece.kind });
      }
    });
  }
  return lines;
}

/** The lines of a text, in pieces of one colour. Its letters are those of the text, in their order. */
export function coloured(text: readonly string[], path: string): Piece[][] {
  const plain = () => text.map((line) => (line ? [{ text: line, kind: null }] : []));
  const language = languageOf(path);
  const whole = text.join("\n");
  if (!language || whole.length > most) {
    return plain();
  }
  const result = core.highlight(whole, { language, ignoreIllegals: true }) as unknown as {
    _emitter?: { rootNode?: Token };
  };
  const root = result._emitter?.rootNode;
  if (!root) {
    return plain();
  }
  const pieces: Piece[] = [];
  collect(root, null, pieces);
  const lines = byLines(pieces);
  return lines.length === text.length ? lines : plain();
}
