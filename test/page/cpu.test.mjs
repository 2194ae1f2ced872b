// Shares by CPU time in the call tree and the flame graph, where a second of it was sampled, and what only waited.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { accessible, copied, on, pageWith, place, press, report, shot, visit } from "./browser.mjs";

const cpuOf = (node) => node.cpu_user_ns + node.cpu_kernel_ns;

/** {path of names: the report's node} */
function pathsOf(nodes, above = "", found = new Map()) {
  for (const node of nodes) {
    const path = `${above}/${node.method}`;
    found.set(path, node);
    pathsOf(node.children, path, found);
  }
  return found;
}

/** The rows of the page, each with its path. */
async function rowsOf(page) {
  const above = [];
  return JSON.parse(await copied(page, "JSON")).map((row) => {
    above.length = row.depth;
    above.push(row.method);
    return { ...row, path: `/${above.join("/")}` };
  });
}

const column = (page, name) =>
  page.evaluate((title) => {
    const titles = [...document.querySelectorAll(".table [role=columnheader]")].map((cell) => cell.innerText.trim().replace(/\s*[▾▴↓↑]$/, ""));
    const at = titles.indexOf(title);
    return [...document.querySelectorAll(".rows .row")].map((row) => row.querySelectorAll("[role=gridcell], .cell")[at]?.innerText.replace(/\s/g, " ").trim());
  }, name);

const percent = (part, whole) => {
  const value = (100 * part) / whole;
  return part === 0 ? "–" : value < 0.05 ? "<0.1 %" : `${value.toFixed(1)} %`;
};

for (const [name, options] of [["shop", []], ["compiler", []]]) {
  describe(`${name}: shares are of sampled CPU time`, () => {
    const { tree } = report(name, "tree", "--min-time", "0", ...options);
    const paths = pathsOf(tree);
    const whole = tree.reduce((sum, node) => sum + cpuOf(node), 0);

    test("the rows have the report's CPU time, order and shares", () =>
      on(name, async (view, page) => {
        assert.ok(whole >= 1e9, `${whole} ns of CPU time`);
        await view.at("tree?less=mean");
        await page.locator(".rows .row").first().waitFor();
        const rows = await rowsOf(page);
        assert.ok(rows.length > 5);
        for (const row of rows.filter((each) => each.module !== null)) {
          assert.equal(row.cpu_ns, cpuOf(paths.get(row.path)), row.path);
        }
        assert.deepEqual(rows.filter((row) => row.depth === 0).map((row) => row.method).slice(0, 3), tree.map((node) => node.method).slice(0, 3));
        const shares = await column(page, "Share ~");
        assert.ok(shares.length > 5);
        assert.deepEqual(shares, rows.slice(0, shares.length).map((row) => percent(row.cpu_ns, whole)));
        assert.equal(await page.getByRole("columnheader", { name: /^CPU ~/ }).count(), 1);
        const text = (await copied(page, "Copy text")).split("\n");
        assert.match(text[0], /^ *Share +CPU +Total/);
        assert.ok(text[1].trim().startsWith(percent(rows[0].cpu_ns, whole)), text[1]);
        await shot(page, `tree-cpu-${name}`);
        await accessible(page, "shares of CPU time");
      }));

    test("another order has shares of wall time", () =>
      on(name, async (view, page) => {
        await view.at("tree?less=mean");
        await page.getByRole("button", { name: "Total", exact: true }).click();
        assert.match(await place(page), /sort=-total/);
        const all = tree.reduce((sum, node) => sum + node.total_ns, 0);
        const rows = await rowsOf(page);
        const shares = await column(page, "Share");
        assert.equal(shares[0], percent(rows[0].total_ns, all));
        assert.equal(rows[0].total_ns, Math.max(...tree.map((node) => node.total_ns)));
        await page.getByRole("button", { name: /^CPU ~/ }).click();
        assert.equal((await column(page, "Share ~"))[0], percent(Math.max(...tree.map(cpuOf)), whole));
      }));

    test("frames of the flame graph are as wide as CPU time, unless another width is chosen", () =>
      on(name, async (view, page) => {
        await view.at("flame");
        assert.equal(await page.getByRole("button", { name: "CPU ~" }).getAttribute("aria-pressed"), "true");
        await page.locator(".note", { hasText: "Widths: sampled CPU time" }).waitFor();
        const rows = await page.locator("table tbody tr").allInnerTexts();
        const [first] = [...tree].sort((a, b) => cpuOf(b) - cpuOf(a));
        assert.ok(rows.some((row) => row.startsWith("1\t") && row.includes(percent(cpuOf(first), whole))), rows.slice(0, 3).join("\n"));
        await shot(page, `flame-cpu-${name}`);
        const own = (row) => row.own_cpu_user_ns + row.own_cpu_kernel_ns;
        const hottest = report(name, "methods").methods.reduce((best, row) => (own(row) > own(best) ? row : best));
        for (const show of ["up", "sandwich"]) {
          await view.at(`flame?show=${show}`);
          const frames = await page.locator("table tbody tr").allInnerTexts();
          assert.ok(frames.some((row) => row.startsWith("1\t") && row.includes(hottest.method)), show);
        }
        await page.getByRole("button", { name: "Time", exact: true }).click();
        assert.match(await place(page), /weight=time/);
        await accessible(page, "the flame graph of CPU time");
      }));
  });
}

describe("what only waited", () => {
  const waiting = ["Shop.Queue.Take()", "Shop.Clock.Wait()"];
  let documents;

  /** The documents of a recording, with two threads more that only wait. */
  async function withWaiting() {
    await on("shop", async (view, page) => {
      await view.at("tree");
      const keys = ["session", "tree", "report?by=methods&lines=0"];
      const all = await page.evaluate((names) => Promise.all(names.map(async (key) => (await fetch(`/api/${key}`)).json())), keys);
      documents = Object.fromEntries(keys.map((key, at) => [key, all[at]]));
    });
    const { tree } = documents;
    for (const name of waiting) {
      const figures = { parent: -1, method: tree.methods.length, calls: 1, own_ns: 2e9, total_ns: 2e9, min_ns: 2e9, max_ns: 2e9 };
      tree.roots.push({ node: tree.nodes.parent.length, process: 1, thread: null });
      for (const [key, values] of Object.entries(tree.nodes)) {
        values.push(figures[key] ?? 0);
      }
      tree.methods.push({ name, module: "Shop", kind: "method", category: "mine", process: 1, id: 99, document: null, line: null });
    }
    return pageWith(documents, "waiting");
  }

  test("is the last row, dimmed, and opens", async () => {
    const address = await withWaiting();
    for (const dark of [false, true]) {
      await visit(address, async (view, page) => {
        await view.at("tree");
        await page.locator(".table").focus();
        await press(page, "0"); // collapses all, so that the last row is in sight
        const last = page.locator(".rows .row").last();
        assert.match(await last.innerText(), /2 paths waiting/);
        assert.ok(await last.evaluate((row) => row.classList.contains("dimmed")));
        for (const name of waiting) {
          assert.equal(await page.locator(".rows .row", { hasText: name.slice(5) }).count(), 0);
        }
        await shot(page, `tree-waiting-${dark ? "dark" : "light"}`);
        await last.locator(".twist").click();
        assert.equal(await page.locator(".rows .row", { hasText: "Queue.Take()" }).count(), 1);
        await accessible(page, "what only waited");
        await view.at("tree?sort=-total");
        await page.locator(".table").focus();
        await press(page, "0");
        assert.equal(await page.locator(".rows .row", { hasText: "paths waiting" }).count(), 0);
        assert.equal(await page.locator(".rows .row", { hasText: "Queue.Take()" }).count(), 1);
      }, { dark });
    }
  });
});
