// The one typed client of all views. It asks the server, or a map of documents that lies in the page itself.
import {
  type ChangesDocument,
  isPartial,
  type ModuleRow,
  type ReportMethod,
  type RequestRow,
  type SessionDocument,
  type SlowRequest,
  type StatementRow,
  type StripDocument,
  type ThreadRow,
  type TreeDocument,
} from "./documents";
import { eventsOf } from "./embedded";
import type {
  CallDocument,
  FilesDocument,
  RunsDocument,
  SourceDocument,
  StoryDocument,
  TimelineDocument,
  ValuesDocument,
  VariablesDocument,
} from "./events";

/** The documents by name. A view that needs another one adds it here. */
export interface Documents {
  session: SessionDocument;
  tree: TreeDocument;
  report: {
    methods?: ReportMethod[];
    hot?: ReportMethod[];
    modules?: ModuleRow[];
    threads?: ThreadRow[];
    lines?: StatementRow[];
    requests?: RequestRow[];
    slowest?: SlowRequest[];
    /** Calls that the program started itself, which are no requests. */
    started_calls?: number;
    [more: string]: unknown;
  };
  strip: StripDocument;
  changes: ChangesDocument;
  timeline: TimelineDocument;
  story: StoryDocument;
  call: CallDocument;
  runs: RunsDocument;
  variables: VariablesDocument;
  values: ValuesDocument;
  files: FilesDocument;
  source: SourceDocument;
}

export type Parameters = Readonly<Record<string, string | number | null | undefined>>;

/** A document that could not be had: one sentence, and what helps. */
export class DocumentError extends Error {
  readonly status: number;
  readonly cure: string;
  constructor(status: number, sentence: string, cure: string) {
    super(sentence);
    this.status = status;
    this.cure = cure;
  }
}

/** NAME?k=v&k=v, keys in alphabetical order; parameters without a value are left out. */
export function canonicalKey(name: string, parameters: Parameters = {}): string {
  const query = Object.keys(parameters)
    .filter((key) => parameters[key] !== undefined && parameters[key] !== null && parameters[key] !== "")
    .sort()
    .map((key) => `${key}=${encodeURIComponent(String(parameters[key]))}`);
  return query.length ? `${name}?${query.join("&")}` : name;
}

/** Gives the document of a canonical key, and how many bytes it takes about. */
export type Transport = (key: string) => Promise<{ document: unknown; bytes: number }>;

function failure(status: number, text: string): DocumentError {
  try {
    const told = JSON.parse(text) as { error?: unknown; cure?: unknown };
    if (typeof told.error === "string") {
      return new DocumentError(status, told.error, typeof told.cure === "string" ? told.cure : "");
    }
  } catch {
    // Not JSON: the general sentence below.
  }
  return new DocumentError(status, `The server answered with status ${status}.`, "Start 'clew view' again.");
}

export const overNetwork: Transport = async (key) => {
  let answer: Response;
  try {
    answer = await fetch(`/api/${key}`, { credentials: "same-origin" });
  } catch {
    throw new DocumentError(0, "The server does not answer: 'clew view' has ended.", "Start 'clew view' again.");
  }
  const text = await answer.text();
  if (!answer.ok) {
    throw failure(answer.status, text);
  }
  return { document: JSON.parse(text), bytes: text.length };
};

/** Documents by key, as `clew report -o X.html` writes them into the page, and what it cut to stay small. */
export interface Embedded {
  documents: Record<string, unknown>;
  cut: string[];
}

export function fromEmbedded(embedded: Embedded): Transport {
  const events = eventsOf(embedded.documents);
  return async (key) => {
    if (Object.hasOwn(embedded.documents, key)) {
      return { document: embedded.documents[key], bytes: 0 };
    }
    const answer = events(key);
    if (answer && "document" in answer) {
      return { document: answer.document, bytes: 0 };
    }
    throw new DocumentError(
      404,
      answer?.error ?? "This file does not contain this part of the recording.",
      "Open the recording itself: clew view FILE",
    );
  };
}

/** base64(raw deflate(JSON)) */
export async function unpack(text: string): Promise<Embedded> {
  const packed = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const found = JSON.parse(await new Response(stream).text()) as Partial<Embedded>;
  return { documents: found.documents ?? {}, cut: found.cut ?? [] };
}

interface Entry {
  answer: Promise<unknown>;
  bytes: number;
}

export class Client {
  readonly #transport: Transport;
  readonly #limit: number;
  readonly #cache = new Map<string, Entry>();

  /** limit: bytes of documents that are kept for later. */
  constructor(transport: Transport, limit = 64 << 20) {
    this.#transport = transport;
    this.#limit = limit;
  }

  get<N extends keyof Documents>(name: N, parameters: Parameters = {}): Promise<Documents[N]> {
    const key = canonicalKey(name, parameters);
    const known = this.#cache.get(key);
    if (known) {
      this.#cache.delete(key); // the youngest stand last
      this.#cache.set(key, known);
      return known.answer as Promise<Documents[N]>;
    }
    const entry: Entry = { answer: Promise.resolve(), bytes: 0 };
    entry.answer = this.#transport(key).then(
      (had) => {
        entry.bytes = had.bytes;
        if (isPartial(had.document) && this.#cache.get(key) === entry) {
          this.#cache.delete(key);
        }
        this.#evict();
        return had.document;
      },
      (problem) => {
        this.#cache.delete(key);
        throw problem;
      },
    );
    this.#cache.set(key, entry);
    return entry.answer as Promise<Documents[N]>;
  }

  /** The same without the cache, for what changes by itself. */
  async fresh<N extends keyof Documents>(name: N, parameters: Parameters = {}): Promise<Documents[N]> {
    return (await this.#transport(canonicalKey(name, parameters))).document as Documents[N];
  }

  /** Forgets everything, after the recording has grown. */
  clear(): void {
    this.#cache.clear();
  }

  #evict(): void {
    let bytes = 0;
    for (const entry of this.#cache.values()) {
      bytes += entry.bytes;
    }
    for (const [key, entry] of this.#cache) {
      if (bytes <= this.#limit || this.#cache.size === 1) {
        return;
      }
      bytes -= entry.bytes;
      this.#cache.delete(key);
    }
  }
}
