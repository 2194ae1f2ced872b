// What the tests of the page share: a chromium, a served recording or a page with documents of a test, and looks at the
// screen. A page that logs an error, or breaks its content policy, fails its test.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before } from "node:test";
import { deflateRawSync } from "node:zlib";

const ui = process.env.CLEW_PAGE_UI;
const need = createRequire(join(ui, "package.json"));
const { chromium } = need("playwright-core");
const axe = readFileSync(need.resolve("axe-core/axe.min.js"), "utf8");

/** The views that every recording with a call tree has, and those that need events, lines, values or exceptions. */
export const treeViews = ["overview", "flame", "tree", "hot", "threads", "files"];
export const eventViews = ["timeline", "source", "story", "values", "allocations", "exceptions"];

export const data = process.env.CLEW_PAGE_DATA;
const shots = join(data, "shots");
mkdirSync(shots, { recursive: true });

/** The browser of all tests of a file. */
export let browser;
before(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
});
after(() => browser.close());

/** Serves a recording by `clew view`. close() ends the server. */
export async function serve(name) {
  const server = spawn(process.env.CLEW, ["view", join(data, `${name}.clew`), "--no-browser", "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = await new Promise((resolve, reject) => {
    server.stdout.once("data", (text) => resolve(String(text)));
    server.once("exit", (status) => reject(new Error(`clew view ended with ${status}`)));
  });
  return { address: JSON.parse(line).address, close: () => server.kill() };
}

/** Gives a test a page at the address, and closes it with its complaints looked at. */
export async function visit(address, work, options) {
  const view = await open(address, options);
  await work(view, view.page);
  await view.close();
}

/** The same with a recording that is served for this test. */
export async function on(name, work, options) {
  const server = await serve(name);
  try {
    await visit(server.address, work, options);
  } finally {
    server.close();
  }
}

/** What `clew report --json` prints. */
export function report(name, by, ...options) {
  const words = ["report", join(data, `${name}.clew`), "--by", by, "--json", ...options];
  return JSON.parse(execFileSync(process.env.CLEW, words, { maxBuffer: 1 << 30 }));
}

/** Writes a page that contains these documents, as `clew report -o X.html` does. Returns its address. */
export function pageWith(documents, name, cut = []) {
  const element = '<script type="application/octet-stream" id="clew-data">';
  const page = readFileSync(join(ui, "dist", "page.html"), "utf8");
  const packed = deflateRawSync(Buffer.from(JSON.stringify({ documents, cut }))).toString("base64");
  const path = join(data, `${name}.html`);
  writeFileSync(path, page.replace(element, element + packed));
  return `file://${path}`;
}

/** A page at the address, then at the place: `at("flame?q=x")`. */
export async function open(address, { width = 1280, height = 800, dark = false, ...more } = {}) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
    reducedMotion: "reduce",
    ...more,
  });
  const page = await context.newPage();
  settleAfterClicks(page);
  await page.addInitScript(followRequests);
  const problems = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") {
      problems.push(message.text());
    }
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(address);
  const base = page.url().split("#")[0];
  return {
    page,
    problems,
    at: async (place) => {
      await page.goto(`${base}#/${place}`);
      await settle(page);
    },
    /** Fails if the browser complained. */
    close: async () => {
      await context.close();
      assert.deepEqual(problems, []);
    },
  };
}

/** Runs in the page before its code: window.unanswered lists what it asked for and does not have whole yet. */
function followRequests() {
  const answered = window.fetch;
  window.unanswered = [];
  window.fetch = async (address, options) => {
    window.unanswered.push(address);
    try {
      const answer = await answered(address, options);
      return new Response(await answer.arrayBuffer(), answer);
    } finally {
      // The page reads the answer first.
      setTimeout(() => window.unanswered.splice(window.unanswered.indexOf(address), 1));
    }
  };
}

/** A click returns when the page has drawn what it does: a test that looks or clicks at once would meet a page that changes. */
function settleAfterClicks(page) {
  const locators = Object.getPrototypeOf(page.locator("body"));
  if (locators.settles) {
    return;
  }
  locators.settles = true;
  for (const name of ["click", "dblclick"]) {
    const act = locators[name];
    locators[name] = async function (options) {
      await act.call(this, options);
      await settle(this.page());
    };
  }
}

const patience = 120_000; // ms, on a machine with other work

/** Waits until the page has drawn what it asked for. */
export async function settle(page) {
  const end = Date.now() + patience;
  let quiet = 0;
  while (quiet < 2) {
    await drawn(page);
    const asked = await page.evaluate(() => window.unanswered);
    const busy = await page.locator("[aria-busy=true]").count();
    quiet = asked.length + busy > 0 ? 0 : quiet + 1;
    assert.ok(Date.now() < end, `no answer to ${asked}, ${busy} parts of the page are busy`);
  }
}

/** Waits until the page has drawn what it knows. */
export async function drawn(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 30))));
}

/** Presses a key, and waits until the page has drawn what it does. */
export async function press(page, key) {
  await page.keyboard.press(key);
  await settle(page);
}

export async function shot(page, name) {
  await page.screenshot({ path: join(shots, `${name}.png`) });
}

/** Fails on anything that axe finds. */
export async function accessible(page, what) {
  if (!(await page.evaluate(() => "axe" in window))) {
    await page.evaluate(axe);
  }
  const found = await page.evaluate(async () => (await window.axe.run(document)).violations);
  const told = found.map((one) => `${one.id}: ${one.help}: ${one.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 200)} ${node.any.map((each) => each.message).join("; ")}`).join("\n   ")}`);
  assert.deepEqual(told, [], what);
}

/** A number as the page writes it, every digit. */
export function spaced(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, "\u2009");
}

export function place(page) {
  return page.evaluate(() => decodeURIComponent(location.hash));
}

/** What a copy button puts onto the clipboard. */
export async function copied(page, button) {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: button, exact: true }).first().click();
  await page.getByText("Copied").first().waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}
