// Async methods in the views on the call tree, and the choice between the logical and the physical view.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, test } from "node:test";
import { accessible, copied, data, on, open, pageWith, place, press, report, serve, settle, shot } from "./browser.mjs";

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

// What the report has of an async row, and the page's JSON as well.
const figures = ["calls", "own_ns", "total_ns", "runs", "pending", "cancelled", "latency_ns", "latency_min_ns", "latency_max_ns",
  "own_awaiting_ns", "awaiting_ns", "parallel", "awaits"];
const pick = (row) => Object.fromEntries(figures.filter((key) => key in row).map((key) => [key, row[key]]));

/** {path: figures} of the report's tree; paths of the same methods in several processes are none of these recordings'. */
function pathsOf(nodes, above = "", into = {}) {
  for (const node of nodes) {
    const path = `${above}/${node.method} ${node.module}`;
    into[path] = pick(node);
    pathsOf(node.children, path, into);
  }
  return into;
}

/** The same of the rows that the reader copies, all expanded. */
function pathsOfRows(rows) {
  const path = [];
  return Object.fromEntries(rows.map((row) => {
    path.length = row.depth;
    path.push(`${row.method} ${row.module}`);
    return [`/${path.join("/")}`, pick(row)];
  }));
}

/** The awaits of both in one order: equal times are in any. */
function ordered(paths) {
  for (const row of Object.values(paths)) {
    row.awaits?.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  return paths;
}

async function allRows(view) {
  const { page } = view;
  await view.at("tree?sort=-total"); // by CPU time, paths that only waited would have a head
  await page.locator(".table").focus();
  await press(page, "0");
  const roots = await page.locator(".rows .row").count();
  for (let root = roots - 1; root >= 0; root--) {
    await page.locator(".rows .row").nth(root).click({ position: { x: 12, y: 8 } });
    await press(page, "*");
  }
  return JSON.parse(await copied(page, "JSON"));
}

describe("async methods", () => {
  test("of the sample: every row of the call tree has the figures and awaits of the report", () =>
    on("logical", async (view, page) => {
      const rows = await allRows(view);
      const expected = ordered(pathsOf(report("logical", "tree").tree));
      assert.ok(Object.values(expected).some((row) => row.awaits?.some((place) => place.line > 0)));
      assert.deepEqual(ordered(pathsOfRows(rows)), expected);
      assert.ok((await page.locator(".tag", { hasText: "parallel" }).count()) > 0);
      await shot(page, "tree-async");
      await accessible(page, "the call tree with async rows");
    }));

  test("of the web application: as well", () =>
    on("web", async (view, page) => {
      const rows = pathsOfRows(await allRows(view));
      assert.ok(Object.values(rows).filter((row) => "runs" in row).length > 20);
      assert.deepEqual(ordered(rows), ordered(pathsOf(report("web", "tree").tree)));
      await shot(page, "tree-async-web");
    }));

  test("columns sort by mean latency and by waiting", () =>
    on("web", async (view, page) => {
      for (const each of ["hot", "tree"]) {
        for (const [title, key] of [["Latency", "latency"], ["Awaiting", "awaiting"]]) {
          await view.at(each);
          await page.getByRole("button", { name: title, exact: true }).click();
          assert.match(await place(page), new RegExp(`sort=-${key}`));
        }
      }
      await view.at("hot?sort=-latency");
      const rows = JSON.parse(await copied(page, "JSON")).filter((row) => "runs" in row);
      const mean = (row) => row.latency_ns / (row.calls - row.pending);
      const ended = rows.filter((row) => row.latency_min_ns !== null && row.calls > row.pending);
      assert.ok(ended.length > 5);
      assert.ok(mean(ended[0]) >= mean(ended[1]) && mean(ended[1]) >= mean(ended[2]));
      await shot(page, "hot-async");
      await accessible(page, "hot spots with latencies");
    }));

  test("the panel lists the awaits of the chosen method, and leads to the source", () =>
    on("logical", async (view, page) => {
      const nodes = Object.entries(pathsOf(report("logical", "tree").tree)).filter(([path]) => path.split("/").at(-1).startsWith("Logical.Children.Outer("));
      const awaits = nodes.flatMap(([, node]) => node.awaits).sort((a, b) => b.awaiting_ns - a.awaiting_ns);
      assert.ok(awaits.length > 0 && nodes.length === 1);
      await view.at("hot?method=Logical.Children.Outer(int) (async)");
      const lines = page.locator("aside.panel .awaits li");
      assert.equal(await lines.count(), awaits.length);
      const text = (await lines.first().innerText()).replaceAll("\u2009", "");
      assert.ok(text.startsWith(`await ${awaits[0].what} ${awaits[0].file.split("/").at(-1)}:${awaits[0].line} ${awaits[0].count} times`), text);
      for (const label of ["Latency, mean", "Latency, sum", "Shortest latency", "Longest latency", "Awaiting", "Own awaiting"]) {
        assert.equal(await page.locator("aside.panel dt", { hasText: new RegExp(`^${label}$`) }).count(), 1, label);
      }
      await shot(page, "panel-awaits");
      await accessible(page, "the panel with awaits");
      await lines.first().getByRole("link").click();
      assert.match(await place(page), new RegExp(`^#/source.*line=${awaits[0].line}`));
      await page.locator(".source-title, #view").first().waitFor();
      await settle(page);
      assert.ok((await page.locator("#view").innerText()).includes(awaits[0].file.split("/").at(-1)));
    }));

  test("the physical view has none of it", () =>
    on("logical", async (view, page) => {
      await view.at("tree?view=physical&method=Logical.Children.Outer(int) (async)");
      assert.equal(await page.getByRole("columnheader", { name: "Latency" }).count(), 0);
      assert.equal(await page.locator("aside.panel .awaits").count(), 0);
    }));
});

describe("the flame graph of async methods", () => {
  const weights = (page) => page.getByRole("group", { name: "Width" }).getByRole("button").allInnerTexts();
  /** [level, method, total, own] of the widest frames, in ns as far as the text says. */
  const frames = async (page) => (await page.locator("table.offscreen tbody tr").allInnerTexts()).map((row) => row.split("\t"));

  test("widths are time, waiting, or both, as the report has them", () =>
    on("logical", async (view, page) => {
      const { tree } = report("logical", "tree");
      const root = tree.find((node) => node.method.startsWith("Logical.Program.Main"));
      const awaiting = (nodes) => nodes.reduce((sum, node) => sum + (node.awaiting_ns ?? awaiting(node.children)), 0);
      const total = tree.reduce((sum, node) => sum + node.total_ns, 0);
      const wanted = { time: total, awaiting: awaiting(tree), latency: total + awaiting(tree) };
      await view.at("flame");
      const names = (await weights(page)).filter((name) => name !== "CPU ~"); // where it was sampled
      assert.deepEqual(names, ["Time", "Awaiting", "Total + awaiting", "Calls"]);
      for (const weight of Object.keys(wanted)) {
        await view.at(`flame?weight=${weight}`);
        const rows = await frames(page);
        const node = weight === "awaiting" ? tree.find((each) => each.awaiting_ns ?? awaiting(each.children) > 0) : root;
        const shown = rows.find((row) => row[1] === node.method);
        const ns = { time: node.total_ns, awaiting: awaiting([node]), latency: node.total_ns + awaiting([node]) }[weight];
        assert.ok(Math.abs(Number.parseFloat(shown[4]) - (100 * ns) / wanted[weight]) < 0.06, `${weight}: ${shown} ${ns} of ${wanted[weight]}`);
        await shot(page, `flame-${weight}`);
        await accessible(page, weight);
      }
      assert.match(await page.locator(".legend .note").innerText(), /Widths: time in code and waiting.*async method.*own waiting/s);
      for (const show of ["up", "sandwich"]) {
        await view.at(`flame?weight=awaiting&show=${show}&method=Logical.Children.Work(int) (async)`);
        assert.ok((await frames(page)).some((row) => row[1].startsWith("Logical.Children.Work")), show);
        await shot(page, `flame-awaiting-${show}`);
      }
    }));

  test("of a recording without async methods has no such widths", () =>
    on("bank", async (view, page) => {
      await view.at("flame?weight=awaiting");
      assert.ok(!(await weights(page)).includes("Awaiting"));
      assert.match(await page.locator(".legend .note").innerText(), /^Widths: time in code, callees included$/);
    }));
});

describe("a page as a file", () => {
  for (const name of ["logical", "web"]) {
    test(`${name}: shows what the served page shows in both views`, async () => {
      const path = join(data, `${name}.async.html`);
      execFileSync(process.env.CLEW, ["report", join(data, `${name}.clew`), "-o", path], { stdio: "ignore" });
      const server = await serve(name);
      const places = ["tree", "hot", "flame", "flame?weight=latency", "hot?thread=1:*&sort=-awaiting"];
      const method = "method=Logical.Children.Outer(int) (async)";
      try {
        const texts = [];
        for (const address of [`file://${path}`, server.address]) {
          const view = await open(address);
          const shown = [];
          for (const each of [...places, `hot?${method}`]) {
            for (const physical of ["", `${each.includes("?") ? "&" : "?"}view=physical`]) {
              await view.at(each + physical);
              assert.equal(await view.page.locator(".missing, .problem").count(), 0, each + physical);
              shown.push(await view.page.locator("#view").innerText(), await view.page.locator("aside.panel .awaits").allInnerTexts());
            }
          }
          texts.push(shown);
          await view.close();
        }
        assert.deepEqual(texts[0], texts[1]);
        assert.notDeepEqual(texts[0][0], texts[0][2], "the views differ");
      } finally {
        server.close();
      }
    });
  }
});

describe("names of awaits and requests that were made to hurt", () => {
  const cruel = [
    "</script><script>window.hurt = 1</script>",
    "<img src=x onerror='window.hurt = 1'>",
    "A.\u202Egnp.exe\u2066",
    "B\u2028C\u0000\u001B[31m",
    "x".repeat(1 << 18),
    "",
  ];
  const info = JSON.parse(execFileSync(process.env.CLEW, ["info", join(data, "logical.clew"), "--json"]));
  const columns = (keys, of) => Object.fromEntries(keys.map((key) => [key, of]));
  const awaits = cruel.map((what, at) => ({ what, file: `/src/${cruel[(at + 1) % cruel.length]}`, line: at + 1, document: at, count: 1, awaiting_ns: 5 }));
  const tree = {
    exact: true, view: "logical", from_ns: 0, to_ns: 100, total_ns: 10, calls: 1, cut: null,
    methods: [{ name: "Shop.Load() (async)", module: "Shop", kind: "async", category: "mine", process: 1, id: 20, document: null, line: null }],
    roots: [{ node: 0, process: 1, thread: null }],
    nodes: {
      parent: [-1], method: [0], ...columns(["calls"], [1]), ...columns(["open", "exceptions"], [0]), ...columns(["own_ns", "total_ns"], [10]),
      ...columns(["min_ns", "max_ns"], [null]), ...columns(["own_cpu_user_ns", "own_cpu_kernel_ns"], null),
    },
    async: {
      ...columns(["node", "pending", "unknown_ends", "cancelled", "parallel", "folded"], [0]), ...columns(["runs", "ended"], [1]),
      ...columns(["latency_ns", "latency_min_ns", "latency_max_ns", "own_awaiting_ns", "awaiting_ns"], [40]),
      awaits: { node: cruel.map(() => 0), place: cruel.map((_, at) => at), count: cruel.map(() => 1), awaiting_ns: cruel.map(() => 5) },
      places: awaits.map(({ what, file, line, document }) => ({ what, file, line, document })),
    },
  };
  const requests = cruel.map((method, at) => ({
    method, module: cruel[(at + 1) % cruel.length], kind: "async", calls: 1, failures: 0, cancelled: 0, open: 0, pending: 0, latencies: 1,
    ...columns(["p50_ns", "p90_ns", "p99_ns", "min_ns", "max_ns", "running_ns", "awaiting_ns"], 40), awaits, histogram: [{ from_ns: 38, to_ns: 41, count: 1 }],
  }));
  const has = { times: true, tree: true, logical: true, requests: true };
  const session = { page: { api: 1, file: "x.clew", generation: 1, growing: false, has, record: {}, stories: [] }, info, categories: [], findings: [], command: "clew report" };

  test("stay text", async () => {
    const documents = { session, tree, "report?by=requests": { requests } };
    const view = await open(pageWith(documents, "cruel-async"));
    for (const each of ["tree?method=Shop.Load() (async)", "hot?method=Shop.Load() (async)", "flame?weight=latency", "requests"]) {
      await view.at(each);
      if (each === "requests") {
        for (let row = 0; row < cruel.length; row++) {
          await view.page.locator(".rows .row").nth(row).click({ position: { x: 12, y: 8 } });
          await view.page.locator(".requests-detail .awaits li").first().waitFor();
        }
      }
      assert.equal(await view.page.evaluate(() => window.hurt), undefined, each);
      assert.equal(await view.page.locator("#page script, #page img").count(), 0, each);
      const text = await view.page.locator("#page").innerText();
      assert.doesNotMatch(text, /[\u0000\u001b\u2028\u202e\u2066]/, each);
      assert.ok(text.length < 50_000, `${each} shows ${text.length} letters`);
    }
    assert.equal(await view.page.locator(".requests-detail .awaits li").count(), cruel.length);
    await view.close();
  });
});
