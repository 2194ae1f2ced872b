// The view Requests: its rows, the latencies and awaits of the chosen one, and the way to its call tree.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, test } from "node:test";
import { accessible, copied, data, on, open, place, press, report, shot, spaced } from "./browser.mjs";

const { requests } = report("web", "requests");
const most = requests.reduce((best, row) => (row.latencies > best.latencies ? row : best));
const waiting = requests.reduce((best, row) => (row.awaiting_ns > best.awaiting_ns ? row : best));
const rowOf = (page, row) => page.locator(".rows .row").nth(requests.indexOf(row));

describe("requests of the web application", () => {
  test("the rows are those of the report, most time first, and can be sorted", () =>
    on("web", async (view, page) => {
      await view.at("requests");
      assert.deepEqual(JSON.parse(await copied(page, "JSON")), requests);
      assert.equal(await page.locator(".rows .row").count(), requests.length);
      const text = await rowOf(page, most).innerText();
      assert.ok(text.startsWith(`${spaced(most.calls)}\n`), text);
      await page.getByRole("button", { name: "p99", exact: true }).click();
      assert.match(await place(page), /sort=-p99/);
      const sorted = JSON.parse(await copied(page, "JSON")).map((row) => row.p99_ns ?? -1);
      assert.deepEqual(sorted, [...sorted].sort((a, b) => b - a));
      await view.at("requests?q=SocketConnection");
      assert.equal(await page.locator(".rows .row").count(), requests.filter((row) => row.method.includes("SocketConnection")).length);
    }));

  test("the chosen row shows its latencies, every one of them", () =>
    on("web", async (view, page) => {
      await view.at("requests");
      await rowOf(page, most).click();
      assert.match(await place(page), /row=/);
      const detail = page.getByRole("region", { name: "The chosen requests" });
      const counts = (await detail.locator("table.offscreen tbody tr").allInnerTexts()).map((row) => Number(row.split("\t")[2].replaceAll("\u2009", "")));
      assert.deepEqual(counts, most.histogram.map((bucket) => bucket.count));
      assert.equal(counts.reduce((sum, each) => sum + each, 0), most.latencies);
      const told = detail.locator("p.dim[role=status]");
      assert.ok((await told.innerText()).startsWith(`${spaced(most.latencies)} latencies`), await told.innerText());
      const box = await detail.locator("canvas").boundingBox();
      let sum = 0;
      let last = "";
      for (let x = 1; x < box.width; x += 2) {
        await page.mouse.move(box.x + x, box.y + box.height / 2);
        const text = await told.evaluate((element) => new Promise((done) => requestAnimationFrame(() => done(element.innerText))));
        const found = /^([\d\u2009]+) requests? of /.exec(text);
        sum += found && text !== last ? Number(found[1].replaceAll("\u2009", "")) : 0;
        last = text;
      }
      assert.equal(sum, most.latencies, "the bars under the pointer");
      await shot(page, "requests-latencies");
      await accessible(page, "requests");
    }));

  test("it lists the slowest, each with its call tree and the way to its story", () =>
    on("web", async (view, page) => {
      const { slowest } = report("web", "slowest", "--root", most.method, "--top", "10");
      assert.ok(slowest.length > 1);
      await view.at("requests");
      await rowOf(page, most).click();
      const list = page.getByRole("region", { name: "The slowest requests" });
      await list.locator("li").first().waitFor();
      assert.equal(await list.locator("li").count(), slowest.length);
      const methods = (nodes) => nodes.flatMap((node) => [node.method, ...methods(node.children)]);
      for (const at of [0, slowest.length - 1]) {
        await list.locator("li button").nth(at).click();
        assert.equal(await list.locator("tbody tr").count(), Math.min(200, methods(slowest[at].tree).length));
        assert.match(await place(page), new RegExp(`slow=${slowest[at].process}:${slowest[at].call}`));
      }
      await accessible(page, "the slowest requests");
      await shot(page, "requests-slowest");
      await list.getByRole("link", { name: "Story" }).first().click();
      await page.locator(".story-line.active").waitFor();
      assert.ok((await place(page)).includes(`${slowest[0].process}:${slowest[0].thread}:`), await place(page));
    }));

  test("it lists what they waited for, and leads to their call tree", () =>
    on("web", async (view, page) => {
      await view.at("requests");
      await rowOf(page, waiting).click();
      const lines = await page.locator(".requests-detail .awaits li").allInnerTexts();
      assert.equal(lines.length, Math.min(12, waiting.awaits.length));
      lines.forEach((line, at) => assert.ok(line.startsWith(`await ${waiting.awaits[at].what ?? "(not known)"}`), line));
      await page.locator(".requests-detail").getByRole("link", { name: "Call tree" }).click();
      assert.ok((await place(page)).includes(`under=${waiting.method}`), await place(page));
      await page.locator(".filters .chip", { hasText: "under" }).waitFor();
      await page.getByRole("button", { name: "Total", exact: true }).click(); // by CPU time, paths that only waited would have a head
      const roots = JSON.parse(await copied(page, "JSON")).filter((row) => row.depth === 0);
      assert.deepEqual(roots.map((row) => row.method), [waiting.method]);
    }));

  test("keys walk the rows, and Enter opens the call tree", () =>
    on("web", async (view, page) => {
      await view.at("requests");
      await page.locator(".table").focus();
      await press(page, "Home");
      await press(page, "n");
      assert.ok((await place(page)).includes(requests[1].method), await place(page));
      await press(page, "Enter");
      assert.match(await place(page), /^#\/tree\?.*under=/);
    }));

  for (const [theme, width] of [["light", 1280], ["dark", 390]]) {
    test(`it fits, ${theme} ${width}`, () =>
      on(
        "web",
        async (view, page) => {
          await view.at(`requests?row=${encodeURIComponent(`${waiting.method} [${waiting.module}]`)}`);
          assert.equal(await page.locator(".requests-detail").count(), 1);
          const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
          assert.ok(over <= 0, `${over} px too wide`);
          await shot(page, `requests-${theme}-${width}`);
          await accessible(page, `requests, ${theme}`);
        },
        { dark: theme === "dark", width, height: width === 390 ? 844 : 800 },
      ));
  }

  test("the page as a file has them", async () => {
    const path = join(data, "web.requests.html");
    execFileSync(process.env.CLEW, ["report", join(data, "web.clew"), "-o", path], { stdio: "ignore" });
    const view = await open(`file://${path}`);
    await view.at("requests");
    assert.deepEqual(JSON.parse(await copied(view.page, "JSON")), requests);
    await view.close();
  });
});

describe("without requests", () => {
  test("a program that nobody calls says so", () =>
    on("bank", async (view, page) => {
      await view.at("requests");
      await page.getByText("No requests: nothing was called but by the program's own threads.").waitFor();
    }));

  test("a recording that does not say it names the command that would", () =>
    on("lines", async (view, page) => {
      await view.at("requests");
      await page.getByText("This recording does not say with which methods requests begin.").waitFor();
      await page.locator(".missing").getByText(/clew record -i .*tree/).waitFor();
    }));
});
