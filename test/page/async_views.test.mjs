// Async methods in the views on the call tree, and the choice between the logical and the physical view.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { accessible, copied, launch, open, place, report, serve, settle, shot } from "./browser.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** Serves a recording for one test, and closes its page with its complaints looked at. */
async function on(name, work, options) {
  const server = await serve(name);
  try {
    const view = await open(browser, server.address, options);
    await work(view, view.page);
    await view.close();
  } finally {
    server.close();
  }
}

const choice = (page) => page.getByRole("group", { name: "Callers of async methods" });

async function calls(view, address) {
  await view.at(address);
  const rows = JSON.parse(await copied(view.page, "JSON")).filter((row) => row.module !== null);
  return Object.fromEntries(rows.map((row) => [`${row.method} ${row.module}`, row.calls]));
}

const wanted = (rows) => Object.fromEntries(rows.map((row) => [`${row.method} ${row.module}`, row.calls]));

describe("logical and physical", () => {
  for (const name of ["web", "logical"]) {
    test(`${name}: methods have the calls that the report has in the same view`, () =>
      on(name, async (view) => {
        const logical = wanted(report(name, "methods").methods);
        const physical = wanted(report(name, "methods", "--physical").methods);
        assert.notDeepEqual(logical, physical);
        assert.deepEqual(await calls(view, "hot"), logical);
        assert.deepEqual(await calls(view, "hot?view=physical"), physical);
      }));
  }

  test("the choice is in the place, and goes from view to view", () =>
    on("web", async (view, page) => {
      for (const each of ["tree", "hot", "flame"]) {
        await view.at(each);
        await choice(page).getByRole("button", { name: "Physical" }).click();
        assert.match(await place(page), /view=physical/);
        await settle(page);
        await page.getByRole("link", { name: "Threads" }).click();
        await page.getByRole("link", { name: "Call tree" }).click();
        assert.match(await place(page), /^#\/tree\?view=physical/);
        await choice(page).getByRole("button", { name: "Logical" }).click();
        assert.doesNotMatch(await place(page), /view=/);
      }
      await accessible(page, "the choice of a view");
    }));

  test("filters that leave the physical view alone say so", () =>
    on("web", async (view, page) => {
      const said = page.locator(".filters [role=status]");
      for (const [filter, what] of [["from=0&to=900000000", "a range of time"], ["thread=1:2", "a single thread"], ["apart=1", "threads apart"]]) {
        await view.at(`tree?${filter}`);
        assert.equal(await said.innerText(), `physical view: ${what} has no logical callers`);
        assert.equal(await choice(page).count(), 0);
      }
      await shot(page, "tree-physical-by-filter");
      await view.at("overview?thread=1:2");
      assert.match(await said.innerText(), /^physical view/);
      for (const each of ["tree?thread=1:*", "overview?apart=1", "tree?hide=System.*"]) {
        await view.at(each);
        assert.equal(await said.count(), 0, each);
      }
    }));

  test("a process alone has the logical view", () =>
    on("web", async (view) => {
      assert.deepEqual(await calls(view, "hot?thread=1:*"), await calls(view, "hot"));
    }));

  test("a recording without links has no choice", () =>
    on("bank", async (view, page) => {
      await view.at("tree?apart=1");
      assert.equal(await choice(page).count(), 0);
      assert.equal(await page.locator(".filters [role=status]").count(), 0);
    }));
});
