// Every view on recordings of all kinds: a sample with threads, a web application, a compiler with 50 million events, a session
// of several processes, one with a bad shape. Their numbers are those of `clew report --json`.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { accessible, copied, eventViews, on, place, report, settle, shot, spaced, treeViews } from "./browser.mjs";

const all = [...treeViews, ...eventViews];

const looks = ["light 1280", "dark 1280", "light 390", "dark 390"];
const recordings = [["story", all, looks], ["web", [...all, "requests"], looks], ["processes", all, looks], ["compiler", all, ["light 1280", "dark 390"]],
  ["ledger", treeViews, ["dark 1280"]], ["counts", treeViews, ["light 1280"]], ["wide", treeViews, ["dark 390"]]];

// Every view of every recording, in looks that take turns. With CLEW_SLOW in every look.
describe("every view opens", () => {
  for (const [turn, [name, ofName, ofLooks]] of recordings.entries()) {
    for (const look of looks) {
      const inTurn = (view) => ofLooks[(view + turn) % ofLooks.length] === look;
      const views = ofName.filter((_, view) => process.env.CLEW_SLOW || inTurn(view));
      if (views.length === 0) {
        continue;
      }
      const [theme, width] = look.split(" ");
      test(`${name}, ${look}`, () =>
        on(
          name,
          async (view, page) => {
            for (const each of views) {
              await view.at(each);
              const absent = name === "compiler" && eventViews.includes(each) && each !== "exceptions"; // it has a tree alone
              assert.equal(await page.locator(".missing").count(), absent ? 1 : 0, each);
              await shot(page, `${each}-${name}-${theme}-${width}`);
              await accessible(page, each);
              const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
              assert.ok(over <= 0, `${each} is wider than the window by ${over}`);
            }
          },
          { dark: theme === "dark", width: Number(width), height: width === "390" ? 844 : 800 },
        ));
    }
  }
});

/** The rows of Hot spots, as the reader copies them. */
async function hotSpots(view, filters = "") {
  await view.at(`hot${filters}`);
  return JSON.parse(await copied(view.page, "JSON"));
}

function sum(rows, key) {
  return rows.reduce((total, row) => total + (row[key] ?? 0), 0);
}

/** Roots of the tree, as the reader copies it. */
async function roots(view) {
  await view.at("tree?sort=-total"); // by CPU time, paths that only waited would have a head
  return JSON.parse(await copied(view.page, "JSON")).filter((row) => row.depth === 0);
}

function inOrder(rows) {
  const pick = ({ module, method, calls, exceptions, own_ns, total_ns, min_ns, max_ns }) => ({
    method, module, calls, exceptions, own_ns, total_ns, min_ns, max_ns,
  });
  const name = (row) => `${row.method} ${row.module}`;
  return rows.map(pick).sort((a, b) => (name(a) < name(b) ? -1 : 1));
}

describe("numbers equal clew report --json", () => {
  for (const name of ["bank", "ledger", "counts", "web", "processes"]) {
    test(name, () =>
      on(name, async (view) => {
        assert.deepEqual(inOrder(await hotSpots(view)), inOrder(report(name, "methods").methods));
      }));
  }

  test("the compiler's tree and sums", () =>
    on("compiler", async (view, page) => {
      const { calls, tree } = report("compiler", "tree", "--depth", "1");
      assert.deepEqual(inOrder(await roots(view)), inOrder(tree));
      const ran = report("compiler", "methods").methods.filter((row) => row.calls > 0);
      assert.ok(ran.length > 4000 && sum(ran, "calls") === calls);
      await view.at("overview");
      assert.equal(await page.getByTitle(/calls recorded$/).first().getAttribute("title"), `${spaced(calls)} calls recorded`);
      const figure = await page.locator(".figure", { hasText: "Calls" }).first().innerText();
      assert.ok(figure.includes(`${spaced(ran.length)} methods`), figure);
    }));
});


describe("CPU time", () => {
  test("comes first, so that a server's waiting Main does not, and equals the report's", () =>
    on("web", async (view, page) => {
      const { methods } = report("web", "methods");
      const cpu = (row) => row.own_cpu_user_ns + row.own_cpu_kernel_ns;
      const wanted = methods.filter((row) => cpu(row) > 0).sort((a, b) => cpu(b) - cpu(a));
      assert.ok(wanted.length > 10);
      const rows = await hotSpots(view);
      assert.deepEqual(rows.slice(0, 10).map((row) => [row.method, row.own_cpu_ns]), wanted.slice(0, 10).map((row) => [row.method, cpu(row)]));
      await view.at("overview");
      await page.locator(".hottest h2", { hasText: "by sampled CPU time" }).waitFor();
      const first = await page.locator(".hottest .ten a").first().innerText();
      assert.ok(first.includes(wanted[0].method.split("(")[0].split(".").at(-1)), first);
      await view.at("tree");
      const { tree } = report("web", "tree", "--depth", "1");
      const roots = JSON.parse(await copied(page, "JSON")).filter((row) => row.depth === 0);
      assert.deepEqual(roots.slice(0, 3).map((row) => row.method), tree.slice(0, 3).map((row) => row.method));
      await page.getByRole("button", { name: /^Total/ }).click();
      assert.match(await place(page), /sort=-total/);
    }));

  test("is not known of a range, which goes by wall time", () =>
    on("web", async (view, page) => {
      await view.at(`hot?from=0&to=${10 ** 12}`);
      assert.equal(await page.getByRole("columnheader", { name: /CPU/ }).count(), 0);
      const rows = JSON.parse(await copied(page, "JSON"));
      assert.ok(rows[0].own_ns >= rows[1].own_ns && rows[0].own_cpu_ns === null);
    }));
});

describe("parts of a session", () => {
  test("a thread of the web application alone", () =>
    on("web", async (view, page) => {
      const { threads } = report("web", "threads", "--physical"); // as its tree is
      const most = threads.reduce((best, row) => (row.calls > best.calls ? row : best));
      await view.at("threads");
      await page.locator(".rows .row").first().dblclick({ position: { x: 12, y: 8 } });
      await page.locator(".filters .chip", { hasText: `thread ${most.process}:${most.thread}` }).waitFor();
      assert.match(await place(page), /^#\/tree/);
      assert.equal(sum(await hotSpots(view, `?thread=${most.process}:${most.thread}`), "calls"), most.calls);
    }));

  test("a process alone, in every view", () =>
    on("processes", async (view, page) => {
      const { threads } = report("processes", "threads");
      const { process } = threads.find((row) => row.process > 1 && row.calls > 1000);
      const calls = sum(threads.filter((row) => row.process === process), "calls");
      await view.at("overview");
      await page.getByRole("link", { name: `Process ${process}`, exact: true }).click();
      await page.locator(".filters .chip", { hasText: `process ${process}` }).waitFor();
      await settle(page);
      await shot(page, "tree-process");
      const chosen = `thread=${process}:*`;
      const rows = await hotSpots(view, `?${chosen}`);
      assert.equal(sum(rows, "calls"), calls);
      await accessible(page, "one process");
      // A range is the server's answer, which must choose the same. Its tree is physical.
      const physical = await hotSpots(view, `?${chosen}&view=physical`);
      const ranged = await hotSpots(view, `?${chosen}&from=0&to=${10 ** 12}`);
      assert.deepEqual(inOrder(ranged).map((row) => [row.method, row.calls]), inOrder(physical).map((row) => [row.method, row.calls]));
      await view.at(`story?${chosen}`);
      await page.locator(".story-line").first().waitFor();
      await view.at(`timeline?${chosen}`);
      await page.locator(".timeline-head").first().waitFor();
      const lanes = await page.locator(".timeline-head").count();
      assert.equal(lanes, threads.filter((row) => row.process === process && row.calls > 0).length);
      await page.getByRole("button", { name: `Remove the filter process ${process}` }).click();
      await page.locator(".filters").waitFor({ state: "detached" });
      await view.at("threads");
      await page.getByTitle("Show only this process").first().click();
      await page.locator(".filters .chip", { hasText: "process" }).waitFor();
    }));
});
