import { expect, test } from "vitest";
import { Client, fromEmbedded } from "./client";
import type { StoryEvent } from "./events";

/** Main calls F twice; each sets x. The thread has more events than the file. */
function events(): StoryEvent[] {
  const rows: StoryEvent[] = [];
  const add = (event: string, call: number, more: Partial<StoryEvent>) =>
    rows.push({
      event,
      at: `1:2:${rows.length}`,
      process: 1,
      thread: 2,
      depth: call === 1 ? 0 : 1,
      call,
      time_ns: rows.length * 10,
      ...more,
    });
  add("enter", 1, { method: "Main()" });
  for (const call of [2, 3]) {
    add("enter", call, { method: "F()" });
    add("definition", call, { name: "x", type: "System.Int32", value: String(call), object: call });
    add("leave", call, { method: "F()" });
  }
  return rows;
}

const story = { rows: events(), first: "1:2:0", last: "1:2:6", more: true };
const client = new Client(fromEmbedded({ documents: { "story?thread=1%3A2": story }, cut: [] }));
const at = (document: { rows: StoryEvent[] }) => document.rows.map((event) => event.at);

test("a story pages in both directions, and says where the file ends", async () => {
  const first = await client.get("story", { at: "1:2:0", thread: "1:2", count: 3 });
  expect([at(first), first.more, first.why]).toEqual([["1:2:0", "1:2:1", "1:2:2"], true, undefined]);
  const last = await client.get("story", { at: "1:2:3", count: 400 });
  expect([at(last).length, last.more]).toEqual([4, false]);
  expect(last.why).toContain("the first 7 events of this thread");
  const before = await client.get("story", { at: "1:2:4", count: 2, direction: -1 });
  expect([at(before), before.more]).toEqual([["1:2:2", "1:2:3"], true]);
  expect(at(await client.get("story", { at: 35, thread: "1:2" }))).toEqual(["1:2:4", "1:2:5", "1:2:6"]);
});

test("a story is searched for texts, values and calls of a method", async () => {
  expect((await client.get("story", { at: "1:2:0", find: "X = 3", count: 1 })).first).toBe("1:2:5");
  expect((await client.get("story", { at: "1:2:4", method: "F()", count: 1, direction: -1 })).last).toBe("1:2:1");
  const call = await client.get("call", { of: "1:3" });
  expect([call.begin, call.end, call.thread, call.method]).toEqual(["1:2:4", "1:2:6", "1:2", "F()"]);
});

test("values are those of the stories", async () => {
  const values = async (parameters: Record<string, string | number>) => {
    const found = await client.get("values", parameters);
    return [found.values.map((value) => value.value), found.more];
  };
  expect(await values({ name: "x", method: "F()" })).toEqual([["2", "3"], false]);
  expect(await values({ name: "x", count: 1 })).toEqual([["2"], true]);
  expect(await values({ name: "x", after: "1:2:2" })).toEqual([["3"], false]);
  expect(await values({ name: "x", method: "Main()" })).toEqual([[], false]);
  expect(await values({ object: 3 })).toEqual([["3"], false]);
  expect(await values({ name: "x", from: 0, to: 30 })).toEqual([["2"], false]);
  expect((await client.get("values", { name: "x" })).why).toContain("first 7 events of each thread");
});

test("what the file has not is refused with a cure", async () => {
  await expect(client.get("story", { at: "1:9:0" })).rejects.toThrow("no events of thread 1:9");
  await expect(client.get("call", { of: "1:77" })).rejects.toMatchObject({
    cure: expect.stringContaining("clew view"),
  });
});
