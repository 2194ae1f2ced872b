// The picture in README.md. `make picture` takes what this test leaves in BUILD/page/shots.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { on, shot } from "./browser.mjs";

const root = new URL("../../", import.meta.url);
const size = { width: 1280, height: 420 };

test("README shows the flame graph of a program", async () => {
  await on(
    "ledger",
    async (view, page) => {
      await view.at("flame");
      assert.equal(await page.locator(".missing").count(), 0);
      await shot(page, "readme");
    },
    size,
  );
  const picture = readFileSync(new URL("doc/page.png", root));
  assert.deepEqual([picture.readUInt32BE(16), picture.readUInt32BE(20)], [size.width, size.height]); // PNG, IHDR
  const begin = readFileSync(new URL("README.md", root), "utf8").split("## Why")[0];
  assert.match(begin, /!\[[^\]]+\]\(doc\/page\.png\)/);
});
