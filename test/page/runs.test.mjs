// The runs of an async activation: the document `runs`, and how the timeline links them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, test } from "node:test";
import { accessible, data, drawn, on, place, press, settle, shot } from "./browser.mjs";

const text = execFileSync(process.env.CLEW, ["replay", "--json", join(data, "waits.clew")], { maxBuffer: 1 << 30 });
const events = String(text).trimEnd().split("\n").map(JSON.parse);

/** Of each run that waits or continues, what `clew replay --json` says of its neighbours. */
function neighbours() {
  const runs = new Map();
  const waiting = new Map();
  const runOf = (event) => {
    const of = `${event.process}:${event.call}`;
    runs.set(of, runs.get(of) ?? { before: null, after: null });
    return of;
  };
  for (const event of events.filter((each) => each.serial)) {
    if (event.event === "awaits") {
      const of = runOf(event);
      runs.get(of).after = { run: null, awaiting_ns: null, what: event.what, line: event.line };
      waiting.set(event.serial, of);
    } else if (event.event === "resumes") {
      const before = waiting.get(event.serial);
      const of = runOf(event);
      const { awaiting_ns, what, line } = event;
      runs.get(of).before = { run: before, awaiting_ns, what, line };
      Object.assign(runs.get(before).after, { run: of, awaiting_ns });
    }
  }
  return runs;
}

const spans = new Map();
for (const event of events.filter((each) => each.call && each.method)) {
  const of = `${event.process}:${event.call}`;
  if (event.event === "enter") {
    spans.set(of, { thread: `${event.process}:${event.thread}`, depth: event.depth, begin: event.time_ns, method: event.method });
  } else if (["leave", "unwind"].includes(event.event)) {
    spans.get(of).end = event.time_ns;
  }
}

/** The longest wait that another thread ended. */
const runs = neighbours();
const [later, { before: wait }] = [...runs]
  .filter(([of, { before }]) => before && spans.get(of).thread !== spans.get(before.run).thread)
  .sort(([, a], [, b]) => b.before.awaiting_ns - a.before.awaiting_ns)[0];
const earlier = wait.run;
const whole = { from: spans.get(earlier).begin - wait.awaiting_ns, to: spans.get(later).end + wait.awaiting_ns };
const at = (window, call) => `timeline?call=${call}&method=${encodeURIComponent(spans.get(call).method)}&wfrom=${window.from}&wto=${window.to}`;
const said = new RegExp(`^resumes after \\d.* (ns|µs|ms|s), which awaited ${wait.what} \\(Children.cs:${wait.line}\\)`);
const chart = "canvas[aria-label^='Calls of']";

/** Whether a part of the canvas, from the left, has the colour of links. */
function hasAccent(page, [left, right]) {
  return page.evaluate(
    ([name, from, to]) => {
      const canvas = document.querySelector(name);
      const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
      const context = copy.getContext("2d", { willReadFrequently: true });
      context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--accent").trim();
      context.fillRect(0, 0, 1, 1);
      const [r, g, b] = context.getImageData(0, 0, 1, 1).data;
      context.clearRect(0, 0, 1, 1);
      context.drawImage(canvas, 0, 0);
      const factor = canvas.width / canvas.clientWidth;
      const top = 30; // below the ruler
      const { data } = context.getImageData(from * factor, top, Math.max(1, (to - from) * factor), canvas.height - top);
      for (let i = 0; i < data.length; i += 4) {
        if (Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 12) {
          return true;
        }
      }
      return false;
    },
    [chart, left, right],
  );
}

describe("runs of async methods", () => {
  test("the document has what replay says of every run", () =>
    on("waits", async (view, page) => {
      await view.at("timeline");
      const documents = await page.evaluate(
        (all) => Promise.all(all.map(async (of) => [of, await (await fetch(`/api/runs?of=${of}`)).json()])),
        [...runs.keys()],
      );
      const got = documents.map(([of, { before, after }]) => {
        const told = (each) => each && { run: each.run?.of ?? null, awaiting_ns: each.awaiting_ns, what: each.what, line: each.line };
        return [of, { before: told(before), after: told(after) }];
      });
      assert.ok(runs.size > 500);
      assert.deepEqual(new Map(got), runs);
      for (const [of, document] of documents) {
        for (const call of [{ ...document, of }, document.before?.run, document.after?.run].filter((each) => each)) {
          const { thread, depth, begin, end, method } = spans.get(call.of);
          assert.deepEqual([call.thread, call.depth, call.begin_ns, call.end_ns, call.method], [thread, depth, begin, end, method]);
        }
      }
    }));

  test("the panel names the wait, and leads to the runs at its ends; so do keys", () =>
    on("waits", async (view, page) => {
      await view.at(at(whole, later));
      const panel = page.locator("aside.panel .runs");
      assert.match(await panel.locator("p").first().innerText(), said);
      await panel.getByRole("link", { name: "run before" }).click();
      assert.match(await place(page), new RegExp(`call=${earlier}&`));
      assert.match(await page.locator("aside.panel .runs").innerText(), new RegExp(`awaits ${wait.what} \\(Children.cs:${wait.line}\\), for`));
      await page.locator(chart).focus();
      await press(page, "]");
      assert.match(await place(page), new RegExp(`call=${later}&`));
      await press(page, "[");
      assert.match(await place(page), new RegExp(`call=${earlier}&`));
      await accessible(page, "the runs of an activation");
    }));

  for (const dark of [false, true]) {
    test(`a line goes from run to run across lanes, ${dark ? "dark" : "light"}`, () =>
      on("waits", async (view, page) => {
        const { width } = (await view.at(at(whole, later)), await page.locator(chart).boundingBox());
        const pixel = (ns) => ((ns - whole.from) / (whole.to - whole.from)) * width;
        const middle = (pixel(spans.get(earlier).end) + pixel(spans.get(later).begin)) / 2;
        await shot(page, `timeline-runs-${dark ? "dark" : "light"}`);
        assert.ok(await hasAccent(page, [middle - 60, middle - 40]));
        assert.ok(!(await hasAccent(page, [0, 8])), "nothing goes to the edge");
        await page.evaluate(() => { location.hash = location.hash.replace(/call=[^&]*&/, ""); });
        await settle(page);
        assert.ok(!(await hasAccent(page, [middle - 60, middle - 40])), "no run is selected");
      }, { dark }));
  }

  test("what is out of sight ends at the edge, and a link moves the window there", () =>
    on("waits", async (view, page) => {
      const { begin } = spans.get(later);
      await view.at(at({ from: begin - 20_000, to: begin + 180_000 }, later));
      assert.ok(await hasAccent(page, [0, 8]));
      await shot(page, "timeline-runs-edge");
      await page.locator("aside.panel .runs").getByRole("link", { name: "run before" }).click();
      const query = new URLSearchParams((await page.evaluate(() => location.hash)).split("?")[1]);
      const { begin: from, end: to } = spans.get(earlier);
      assert.ok(Number(query.get("wfrom")) < from && Number(query.get("wto")) > to, String(query));
    }));

  test("the tip of a run says what it continues", () =>
    on("waits", async (view, page) => {
      const { begin, end, thread, depth } = spans.get(later);
      const around = { from: begin - (end - begin), to: end + (end - begin) };
      await view.at(`timeline?wfrom=${Math.round(around.from)}&wto=${Math.round(around.to)}`);
      const box = await page.locator(chart).boundingBox();
      const head = await page.locator(".timeline-heads li", { hasText: thread }).boundingBox();
      await page.mouse.move(box.x + box.width / 2, head.y + 22 + depth * 18 + 8);
      await page.locator(".tip", { hasText: "resumes after" }).waitFor();
      await drawn(page);
      await settle(page);
      assert.match(await page.locator(".tip div", { hasText: "resumes after" }).first().innerText(), said);
      assert.ok(await hasAccent(page, [0, 8]), "the line to the run before");
      await shot(page, "timeline-runs-tip");
    }));
});
