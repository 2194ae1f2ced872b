// The frame and the views on the call tree: Overview, Flame graph, Call tree, Hot spots, Threads, Files.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { accessible, copied, data, drawn, on, open, pageWith, place, press, report, serve, settle, shot, spaced, treeViews } from "./browser.mjs";

describe("the frame", () => {
  let server;
  let view;
  let page;
  before(async () => {
    server = await serve("bank");
  });
  after(() => server.close());

  test("deep link, keys, filters, back button", async () => {
    view = await open(server.address);
    page = view.page;
    await view.at("tree?method=Bank.Implementation.Account.Withdraw(long)");
    await page.locator(".row.selected", { hasText: "Account.Withdraw" }).first().waitFor();
    await page.locator("aside.panel", { hasText: "4 000".replace(" ", "\u2009") }).waitFor();
    await page.locator(".table").focus();
    await press(page, "Enter");
    assert.match(await place(page), /under=Bank.Implementation.Account.Withdraw\(long\)/);
    await page.locator(".filters .chip", { hasText: "under Account.Withdraw" }).waitFor();
    assert.equal(await page.locator(".rows .row").count() >= 1, true);
    await press(page, "Backspace");
    assert.doesNotMatch(await place(page), /under=/);
    await page.goBack();
    assert.match(await place(page), /under=/);
    await page.goForward();
    assert.doesNotMatch(await place(page), /under=/);
    await press(page, "m");
    assert.match(await place(page), /mine=1/);
    await press(page, "2");
    assert.match(await place(page), /^#\/flame\?.*mine=1/);
    await press(page, "Escape");
    assert.equal(await page.locator("aside.panel").count(), 0);
    await view.close();
  });

  test("a range of time on the strip", async () => {
    const calls = await serve("story");
    view = await open(calls.address);
    page = view.page;
    try {
      await view.at("hot");
      const all = await page.locator(".rows .row").count();
      const strip = await page.locator(".strip canvas").boundingBox();
      await page.mouse.move(strip.x + strip.width * 0.9, strip.y + 20);
      await page.mouse.down();
      await page.mouse.move(strip.x + strip.width * 0.95, strip.y + 20, { steps: 4 });
      await page.mouse.up();
      assert.match(await place(page), /from=\d+&to=\d+/);
      await page.locator(".filters .chip").first().waitFor();
      await settle(page);
      await shot(page, "range");
      assert.ok((await page.locator(".rows .row").count()) < all);
      await accessible(page, "range");
      await page.mouse.dblclick(strip.x + 20, strip.y + 20);
      assert.doesNotMatch(await place(page), /from=/);
      await view.close();
    } finally {
      calls.close();
    }
  });

  test("? lists the keys of the view", async () => {
    view = await open(server.address);
    page = view.page;
    await view.at("tree");
    await press(page, "?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.getByText("Open the hottest path").waitFor();
    await shot(page, "keys");
    await accessible(page, "keys");
    await press(page, "Escape");
    await page.getByRole("dialog", { name: "Keys" }).waitFor({ state: "detached" });
    await view.close();
  });

  test("search marks, counts and walks", async () => {
    view = await open(server.address);
    page = view.page;
    await view.at("tree");
    await press(page, "/");
    await page.keyboard.type("Account.");
    assert.match(await place(page), /q=Account\./);
    await page.locator(".matched", { hasText: "methods" }).waitFor();
    await press(page, "Enter");
    await press(page, "n");
    await page.locator(".row.active mark").waitFor();
    await view.at("hot?q=Account.");
    const rows = await page.locator(".rows .row").allInnerTexts();
    assert.ok(rows.length > 0 && rows.every((row) => row.includes("Account.")), rows.join("|"));
    await view.at("flame?q=nothing-has-this-name");
    await page.locator(".matched", { hasText: "nothing found" }).waitFor();
    await view.close();
  });

  test("the theme can be chosen", async () => {
    view = await open(server.address, { dark: true });
    page = view.page;
    await view.at("overview");
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await ground();
    await page.getByRole("button", { name: "Colours: system" }).click();
    assert.notEqual(await ground(), dark);
    await page.getByRole("button", { name: "Colours: light" }).click();
    assert.equal(await ground(), dark);
    await view.close();
  });

  test("a view that does not exist says so", async () => {
    view = await open(server.address);
    await view.at("nowhere");
    await view.page.getByText('This page has no view "nowhere".').waitFor();
    await view.close();
  });
});

describe("figures are of what the filters say", () => {
  let server;
  let view;
  let page;
  // From the beginning of the last customer's thread on, which has a part of the calls.
  const { elapsed_ns: elapsed, calls } = report("story", "summary");
  const from = Math.max(...report("story", "threads").threads.map((row) => row.start_ns));
  const range = `from=${from}&to=${elapsed}`;
  const figure = (title) => page.locator(".figure", { hasText: title }).innerText();
  before(async () => {
    server = await serve("story");
    view = await open(server.address);
    page = view.page;
  });
  after(async () => {
    await view.close();
    server.close();
  });

  test("while the sums of a range are computed, the views say so", async () => {
    let answer;
    const released = new Promise((release) => {
      answer = release;
    });
    const asked = new Promise((arrived) => {
      page.route(/api\/tree\?.*from=/, async (route) => {
        arrived();
        await released; // there may be several: each view asks
        await route.continue();
      });
    });
    await view.at("overview?method=Bank.Application.Program.Customer.Live()");
    await page.evaluate((query) => {
      location.hash = `${location.hash}&${query}`;
    }, range);
    await asked;
    await page.locator("main [role=status]", { hasText: "Adding up the call tree" }).waitFor();
    assert.equal(await page.locator("aside.panel .stale [role=status]").count(), 1, "the panel says so, too");
    for (const name of ["tree", "hot", "flame"]) {
      await page.evaluate(([each, query]) => {
        location.hash = `#/${each}?${query}`;
      }, [name, range]);
      await page.locator("main [role=status]", { hasText: "Adding up" }).waitFor();
    }
    answer();
    await settle(page);
    await page.unroute(/api\/tree\?.*from=/);
    assert.equal(await page.locator(".stale, [aria-busy=true]").count(), 0);
  });

  test("the overview's follow a range, or are marked as of the whole session", async () => {
    const wanted = report("story", "summary", "--from", `${from}ns`, "--to", `${elapsed}ns`);
    assert.ok(wanted.calls > 0 && wanted.calls < calls);
    await view.at(`overview?${range}`);
    assert.match(await figure("Calls"), new RegExp(`Calls\\s+${spaced(wanted.calls)}\\s`));
    assert.match(await figure("Range of time"), /of the session's/);
    for (const title of ["Processors busy", "Lost events"]) {
      assert.match(await figure(title), /whole session/);
    }
    if (await page.locator(".findings").count()) {
      assert.match(await page.locator(".findings h2").innerText(), /in the whole session/);
    }
    assert.match(await page.locator(".topbar .facts").innerText(), /^whole session/);
    await shot(page, "overview-range");
    await accessible(page, "the overview of a range");
  });

  test("the overview's calls are those of a chosen thread", async () => {
    const thread = report("story", "threads").threads.find((row) => row.name === "customer 3");
    await view.at(`overview?thread=${thread.process}:${thread.thread}`);
    assert.match(await figure("Calls"), new RegExp(`Calls\\s+${spaced(thread.calls)}\\s`));
  });

  test("other views name the filters that they do not follow", async () => {
    const every = `${range}&thread=1:1&hide=System.*`;
    const said = {};
    for (const name of [...treeViews, "timeline", "source", "story", "values", "allocations", "exceptions"]) {
      await view.at(`${name}?${every}`);
      const note = page.locator(".filters [role=status]");
      said[name] = (await note.count()) ? await note.innerText() : "";
    }
    const all = "does not follow the range of time, the choice of threads, filters by method";
    assert.deepEqual(said, {
      overview: "",
      flame: "",
      tree: "",
      hot: "",
      threads: `whole session: Threads ${all}`,
      files: `whole session: Files ${all}`,
      timeline: "Timeline does not follow filters by method",
      source: `whole session: Source ${all}`,
      story: "Story does not follow filters by method",
      values: "Values does not follow the choice of threads, filters by method",
      allocations: `whole session: Allocations ${all}`,
      exceptions: `whole session: Exceptions ${all}`,
    });
  });
});

describe("the views on the call tree", () => {
  let server;
  before(async () => {
    server = await serve("bank");
  });
  after(() => server.close());

  test("call tree: arrows open and walk, expand all, hottest path, sort, classes", async () => {
    const view = await open(server.address);
    const { page } = view;
    await view.at("tree");
    const rows = () => page.locator(".rows .row").count();
    await page.locator(".table").focus();
    await press(page, "0");
    assert.equal(await rows(), 2);
    await press(page, "Home");
    await press(page, "ArrowRight");
    assert.ok((await rows()) > 2);
    await press(page, "ArrowLeft");
    assert.equal(await rows(), 2);
    await press(page, "*");
    const open_ = await rows();
    assert.ok(open_ > 5);
    await press(page, "0");
    await press(page, "h");
    assert.ok((await rows()) > 2);
    await page.getByRole("button", { name: "Calls" }).first().click();
    assert.match(await place(page), /sort=-calls/);
    await page.getByRole("button", { name: "Classes" }).click();
    await page.locator(".rows .row", { hasText: "Bank.Application" }).first().waitFor();
    assert.match(await copied(page, "Copy text"), /Share {2}.*Method\n/);
    await view.close();
  });

  test("threads apart, and one thread alone", async () => {
    const view = await open(server.address);
    const { page } = view;
    await view.at("tree?apart=1");
    await page.locator(".row", { hasText: /thread 2 customer \d/ }).waitFor(); // threads may start in another order
    await shot(page, "tree-apart");
    await view.at("threads");
    await page.getByRole("link", { name: "customer 3" }).click();
    await page.locator(".filters .chip", { hasText: /thread 1:\d/ }).waitFor();
    await page.locator(".rows .row", { hasText: "Customer.Live" }).waitFor();
    const live = page.locator(".rows .row", { hasText: "Customer.Live" });
    assert.match(await live.innerText(), /\n1\n/, "one call of one thread");
    await view.close();
  });

  test("hot spots: callers and callees below a row", async () => {
    const view = await open(server.address);
    const { page } = view;
    await view.at("hot?method=Bank.Implementation.Account.Withdraw(long)");
    await page.locator(".table").focus();
    await press(page, "ArrowRight");
    await page.locator(".rows .row[aria-level='2']", { hasText: "SavingsBank.Transfer" }).waitFor();
    await press(page, "e");
    assert.match(await place(page), /way=callees/);
    await press(page, "ArrowRight");
    await page.locator(".rows .row[aria-level='2']", { hasText: "InsufficientFundsException" }).waitFor();
    await shot(page, "hot-callees");
    await view.close();
  });

  // The customers' threads together may take longer than Main, and then come first.
  const outermost = /Program\.Main|Customer\.Live/;

  test("flame graph: pointer, arrows, zoom, sandwich, weights, legend", async () => {
    const view = await open(server.address);
    const { page } = view;
    await view.at("flame");
    const canvas = page.locator("#view canvas");
    await canvas.hover({ position: { x: 40, y: 9 } });
    await page.getByRole("tooltip").getByText(outermost).first().waitFor();
    await shot(page, "flame-tip");
    await canvas.click({ position: { x: 40, y: 27 } });
    assert.match(await place(page), /method=/);
    await canvas.focus();
    await press(page, "ArrowUp");
    await page.locator("aside.panel .title", { hasText: outermost }).waitFor();
    await press(page, "ArrowRight");
    await press(page, " ");
    assert.match(await place(page), /zoom=\d+/);
    await press(page, "z");
    assert.doesNotMatch(await place(page), /zoom=/);
    await canvas.dblclick({ position: { x: 40, y: 27 } });
    assert.match(await place(page), /zoom=\d+/);
    await view.at("flame?method=Bank.Implementation.Account.Withdraw(long)");
    await page.locator("#view canvas").focus();
    await press(page, "c");
    await page.getByText("Callers of Bank.Implementation.Account.Withdraw(long)").first().waitFor();
    await view.at("flame?show=sandwich&method=Bank.Implementation.Account.Withdraw(long)");
    const callers = await page.locator("table.offscreen").first().innerText();
    assert.match(callers, /Customer\.Live/);
    await shot(page, "flame-sandwich");
    await view.at("flame?show=up");
    assert.match(await page.locator("table.offscreen").first().innerText(), /Customer\.Start/);
    await view.at("flame?weight=exceptions&colour=heat");
    assert.match(await page.locator("table.offscreen").first().innerText(), /Withdraw/);
    await view.at("flame?weight=calls&below=1&fold=1");
    await shot(page, "flame-calls-below");
    await page.getByRole("button", { name: /^my code/ }).click();
    assert.match(await place(page), /without=mine/);
    await view.close();
  });

  test("flame graph: a double click zooms the frame that its first click hit", async () => {
    const view = await open(server.address);
    const { page } = view;
    await view.at("flame");
    const box = await page.locator("#view canvas").boundingBox();
    // The panel, which the first click opens, makes the chart narrower, and covers its right part.
    for (const share of [0.6, 0.95]) {
      await view.at("flame");
      const [x, y] = [box.x + box.width * share, box.y + 9];
      await page.mouse.move(x, y);
      const name = await page.getByRole("tooltip").locator(".name-main").innerText();
      await page.mouse.click(x, y);
      await page.locator("aside.panel").waitFor();
      await drawn(page);
      await page.mouse.down({ clickCount: 2 });
      await page.mouse.up({ clickCount: 2 });
      await page.waitForFunction(() => location.hash.includes("zoom="));
      const path = page.locator(".flame-path button").last();
      assert.equal(await path.innerText(), name);
      await page.locator("aside.panel .title", { hasText: name }).waitFor();
    }
    await view.close();
  });

  test("files: modules, what was not recorded, the recording", async () => {
    const view = await open(server.address);
    await view.at("files");
    await view.page.locator(".rows .row", { hasText: "BankImplementation" }).first().waitFor();
    await view.at("files?show=recording");
    await view.page.locator(".rows .row", { hasText: "size" }).first().waitFor();
    await view.close();
  });
});

describe("names made to hurt stay text", () => {
  const cruel = [
    "</script><script>window.hurt = 1</script>",
    "<img src=x onerror='window.hurt = 1'>.M()",
    "A.\u202Egnp.exe\u2066()",
    "A.B\u2028C\u0000\u001B[31m()",
    `Long.${"x".repeat(1 << 20)}()`,
    "\ud800.lone()",
    "(((((<<<<<[[[[[..",
    "",
  ];

  test("in a page of its own", async () => {
    const tree = JSON.parse(readFileSync(join(data, "bank.tree.json"), "utf8"));
    tree.methods.forEach((method, at) => {
      method.name = cruel[at % cruel.length] + (at < cruel.length ? "" : at);
      method.module = cruel[(at + 1) % cruel.length];
    });
    const info = { ...JSON.parse(execFileSync(process.env.CLEW, ["info", join(data, "bank.clew"), "--json"])) };
    info.command = cruel[0];
    info.notes = cruel;
    info.thread_list.forEach((row, at) => {
      row.name = cruel[at % cruel.length];
    });
    const session = {
      page: { api: 1, file: cruel[1], generation: 1, growing: false, has: { times: true, tree: true }, record: {} },
      info,
      categories: [],
      findings: [{ rule: "x", text: cruel[0], link: "javascript:window.hurt=1" }],
      command: `clew report '${cruel[0]}'`,
    };
    const documents = {
      session,
      tree,
      "tree?apart=1": tree,
      "report?by=threads": { threads: info.thread_list },
      "report?by=modules": { modules: cruel.map((name) => ({ module: name, path: name, methods: 1, woven: 1, calls: 1, own_ns: 1 })) },
    };
    const view = await open(pageWith(documents, "cruel", [cruel[0]]));
    for (const each of treeViews) {
      await view.at(each);
      await shot(view.page, `${each}-cruel`);
      assert.equal(await view.page.evaluate(() => window.hurt), undefined, each);
      assert.equal(await view.page.locator("#page script, #page img").count(), 0, each);
      const text = await view.page.locator("#page").innerText();
      assert.doesNotMatch(text, /[\u0000\u001b\u2028\u202e\u2066]/, each);
      assert.ok(text.length < 200_000, `${each} shows ${text.length} letters`);
    }
    await view.at(`tree?method=${encodeURIComponent(tree.methods[4].name)}`);
    await view.page.locator("aside.panel").waitFor();
    await view.close();
  });

  test("in a recording", async () => {
    const server = await serve("hostile");
    const view = await open(server.address);
    try {
      for (const each of treeViews) {
        await view.at(each);
        assert.doesNotMatch(await view.page.locator("#page").innerText(), /[\u0000-\u0008\u001b\u009b\u202e]/, each);
      }
      await view.close();
    } finally {
      server.close();
    }
  });
});

describe("without data", () => {
  test("an empty session says so", async () => {
    const view = await open(pageWith({}, "nothing"));
    await settle(view.page);
    await view.page.getByText("This file does not contain this part of the recording.").waitFor();
    await view.close();
  });
});

describe("a page as a file", () => {
  test("shows what the served page shows", async () => {
    const path = join(data, "bank.report.html");
    execFileSync(process.env.CLEW, ["report", join(data, "bank.clew"), "-o", path]);
    const server = await serve("bank");
    try {
      const texts = [];
      for (const address of [`file://${path}`, server.address]) {
        const view = await open(address);
        const pages = [];
        for (const each of treeViews) {
          await view.at(each);
          pages.push(await view.page.locator("#view").innerText());
        }
        texts.push(pages);
        await view.close();
      }
      assert.deepEqual(texts[0], texts[1]);
    } finally {
      server.close();
    }
  });
});
