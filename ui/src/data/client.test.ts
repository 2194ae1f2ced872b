import { deflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import { Client, canonicalKey, DocumentError, fromEmbedded, unpack } from "./client";
import { changed, chosenThreads, formatPlace, parsePlace, takesThread } from "./place";

test("a document has one key", () => {
  expect(canonicalKey("tree", { to: 5, from: 0, thread: null })).toBe("tree?from=0&to=5");
  expect(canonicalKey("values", { name: "a b&c" })).toBe("values?name=a%20b%26c");
  expect(canonicalKey("session")).toBe("session");
});

test("embedded documents come back, others say what to do", async () => {
  const text = JSON.stringify({ documents: { "strip?width=1000": { columns: [] } }, cut: ["Lines are left out."] });
  const embedded = await unpack(deflateRawSync(Buffer.from(text)).toString("base64"));
  expect(embedded.cut).toEqual(["Lines are left out."]);
  const client = new Client(fromEmbedded(embedded));
  expect(await client.get("strip", { width: 1000 })).toEqual({ columns: [] });
  await expect(client.get("session")).rejects.toThrow(DocumentError);
  await expect(client.get("session")).rejects.toMatchObject({ cure: expect.stringContaining("clew view") });
});

test("the cache keeps what was used last, within its limit", async () => {
  let asked = 0;
  const client = new Client(async (key) => {
    asked++;
    return { document: key, bytes: 100 };
  }, 250);
  for (const width of [1, 2, 1, 3, 1, 2]) {
    await client.get("strip", { width });
  }
  expect(asked).toBe(4); // 1, 2, 3, and 2 again
});

test("a failed document is asked for again", async () => {
  let asked = 0;
  const client = new Client(async () => {
    asked++;
    throw new DocumentError(500, "no", "");
  });
  await expect(client.get("session")).rejects.toThrow("no");
  await expect(client.get("session")).rejects.toThrow("no");
  expect(asked).toBe(2);
});

test("places survive the URL", () => {
  const place = parsePlace("#/flame?hide=System.*&hide=%3Cb%3E&mine=1&q=a%26b");
  expect(place.query.get("hide")).toEqual(["System.*", "<b>"]);
  expect(parsePlace(formatPlace(place))).toEqual(place);
  expect(formatPlace(changed(place, { hide: [], q: null, mine: null }))).toBe("#/flame");
  expect(parsePlace("").view).toBe("overview");
  expect(parsePlace("#/tree?%E0%A4%A").query.get("%E0%A4%A")).toEqual([""]);
});

test("the key thread chooses threads and processes", () => {
  const chosen = chosenThreads(parsePlace("#/tree?thread=1:2,3:*&thread=4:5"));
  const takes = (process: number, thread: number) => takesThread(chosen, { process, thread });
  expect([takes(1, 2), takes(3, 1), takes(3, 9), takes(4, 5)]).toEqual([true, true, true, true]);
  expect([takes(1, 1), takes(2, 2), takes(4, 1)]).toEqual([false, false, false]);
});

test("a partial document is asked for again", async () => {
  let done = 0.5;
  const client = new Client(async () => ({ document: { exact: false, done }, bytes: 10 }));
  expect(await client.get("strip")).toEqual({ exact: false, done: 0.5 });
  done = 1;
  expect(await client.get("strip")).toEqual({ exact: false, done: 1 });
  done = 0;
  expect(await client.get("strip")).toEqual({ exact: false, done: 1 });
});
