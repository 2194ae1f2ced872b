// The views on events: Timeline, Source, Story, Values, Allocations, and the strip.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { accessible, copied, data, drawn, on, open, place, report, serve, settle, shot, visit } from "./browser.mjs";

let server;
before(async () => {
  server = await serve("story");
});
after(() => server.close());

/** A page of one recording for all tests. */
const onStory = (work, options) => visit(server.address, work, options);

/** The value of a key of the place. */
async function key(page, name) {
  return new URLSearchParams((await page.evaluate(() => location.hash)).split("?")[1] ?? "").get(name);
}

/** Presses a key until the place's key has a value that passes. */
async function until(page, name, test_) {
  await page.waitForFunction(
    ([wanted, source]) => {
      const value = new URLSearchParams(location.hash.split("?")[1] ?? "").get(wanted);
      return new RegExp(source).test(value ?? "");
    },
    [name, test_.source],
  );
}

describe("a view without data", () => {
  test("names the command that records it", async () => {
    const sums = await serve("bank");
    const view = await open(sums.address);
    for (const each of ["story", "values", "allocations"]) {
      await view.at(each);
      await view.page.locator(".missing .command", { hasText: "clew record -i" }).waitFor();
      await accessible(view.page, each);
    }
    await view.close();
    sums.close();
  });
});

describe("the timeline", () => {
  const chart = "canvas[aria-label^='Calls of']";

  test("zooms at the pointer, and the window is in the link", () =>
    onStory(async (view, page) => {
      await view.at("timeline");
      const box = await page.locator(chart).boundingBox();
      await page.mouse.move(box.x + box.width * 0.6, box.y + 100);
      await page.mouse.wheel(0, -800);
      await until(page, "wfrom", /^\d+$/);
      const from = Number(await key(page, "wfrom"));
      const to = Number(await key(page, "wto"));
      assert.ok(to > from);
      await page.keyboard.press("w");
      await page.waitForFunction((before) => !location.hash.includes(`wfrom=${before}&`), from);
      await page.keyboard.press("0");
      await page.waitForFunction(() => !location.hash.includes("wfrom"));
      await view.at(`timeline?wfrom=${from}&wto=${to}`);
      await page.locator(".timeline-window").waitFor();
      assert.equal(await key(page, "wfrom"), String(from));
    }));

  test("selects a range by dragging, which other views show; back undoes it", () =>
    onStory(async (view, page) => {
      await view.at("timeline");
      const box = await page.locator(chart).boundingBox();
      await page.mouse.move(box.x + box.width * 0.5, box.y + 60);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.7, box.y + 60, { steps: 4 });
      await page.mouse.up();
      await until(page, "from", /^\d+$/);
      await page.locator(".filters .chip").first().waitFor();
      const range = [await key(page, "from"), await key(page, "to")];
      await page.getByRole("link", { name: "Values" }).click();
      await page.waitForFunction(() => location.hash.startsWith("#/values"));
      assert.deepEqual([await key(page, "from"), await key(page, "to")], range);
      await page.goBack();
      await page.waitForFunction(() => location.hash.startsWith("#/timeline?") && location.hash.includes("from="));
      await settle(page);
      await page.goBack();
      await page.waitForFunction(() => !location.hash.includes("from="));
    }));

  test("selects calls by keys, and opens one in the story", () =>
    onStory(async (view, page) => {
      await view.at("timeline");
      await page.locator(chart).focus();
      await page.keyboard.press("ArrowRight");
      await until(page, "method", /Main|Live/);
      await page.keyboard.press("ArrowDown");
      await until(page, "method", /lambda|Open|ctor|Live|Pay/);
      await page.keyboard.press("ArrowUp");
      await until(page, "call", /^\d+:\d+$/);
      await page.keyboard.press("Enter");
      await page.waitForFunction(() => location.hash.startsWith("#/story"));
      await page.locator(".story-line.active", { hasText: /Main|Live/ }).waitFor();
    }));

  test("a double click opens the call that its first click hit", () =>
    onStory(async (view, page) => {
      await view.at("timeline");
      const box = await page.locator(chart).boundingBox();
      const lane = await page.locator(".timeline-head").first().boundingBox();
      const y = lane.y + lane.height + 8; // Main's level
      let x = box.x + box.width;
      do {
        x -= 8;
        await page.mouse.move(x, y);
        await drawn(page);
      } while ((await page.locator(".tip", { hasText: "Program.Main" }).count()) === 0 && x > box.x);
      await page.mouse.click(x, y);
      await page.locator("aside.panel").waitFor();
      await drawn(page);
      await page.mouse.down({ clickCount: 2 });
      await page.mouse.up({ clickCount: 2 });
      await page.waitForFunction(() => location.hash.startsWith("#/story"));
      await page.locator(".story-line.active", { hasText: "Program.Main()" }).waitFor();
    }));

  test("folds a thread, and has a table behind the canvas", () =>
    onStory(async (view, page) => {
      await view.at("timeline");
      const head = page.locator(".timeline-head").first();
      assert.equal(await head.getAttribute("aria-expanded"), "true");
      await head.click();
      assert.equal(await head.getAttribute("aria-expanded"), "false");
      assert.ok((await page.locator(".timeline table tbody tr").count()) > 10);
      const rows = JSON.parse(await copied(page, "JSON"));
      assert.ok(rows.some((row) => row.method === "Bank.Application.Program.Main()"));
    }));
});

describe("the strip", () => {
  test("selects a range by dragging, a double click clears it", () =>
    onStory(async (view, page) => {
      await view.at("story");
      const box = await page.locator(".strip canvas").boundingBox();
      await page.mouse.move(box.x + 300, box.y + 20);
      await page.mouse.down();
      await page.mouse.move(box.x + 600, box.y + 20, { steps: 4 });
      await page.mouse.up();
      await until(page, "from", /^\d+$/);
      await page.mouse.dblclick(box.x + 400, box.y + 20);
      await page.waitForFunction(() => !location.hash.includes("from="));
    }));
});

describe("the story", () => {
  // Of thread 1, which runs Main, only the call tree was recorded.
  test("opens on the first thread that has events, and lists no other", () =>
    on("mixed", async (view, page) => {
      await view.at("story");
      await page.locator(".story-line.active", { hasText: "Customer.Live" }).waitFor();
      const threads = await page.locator(".toolbar option").evaluateAll((all) => all.map((each) => each.value));
      assert.deepEqual([threads.length, threads.includes("1:1")], [8, false]);
      await view.at("story?thread=1:1");
      await page.getByText("The chosen threads have no events in order.").waitFor();
    }));

  test("steps by keys: next, in, out, next call of the method", () =>
    onStory(async (view, page) => {
      await view.at("story?at=1:1:0");
      await page.locator(".story-line.active", { hasText: "Main" }).waitFor();
      await page.keyboard.press("j");
      await page.locator(".story-line.active", { hasText: "new SavingsBank()" }).waitFor();
      await page.keyboard.press("j");
      await page.locator(".story-line.active", { hasText: "SavingsBank..ctor" }).waitFor();
      await page.keyboard.press("h");
      await page.locator(".story-line.active", { hasText: "Program.Main" }).waitFor();
      await view.at("story?at=1:1:0&find=SavingsBank.Open(");
      await page.locator(".story-line.active", { hasText: "SavingsBank.Open" }).waitFor();
      const first = await key(page, "at");
      await page.keyboard.press("]");
      await page.waitForFunction((before) => !decodeURIComponent(location.hash).includes(before), first);
      await page.locator(".story-line.active", { hasText: "SavingsBank.Open" }).waitFor();
      await page.keyboard.press("[");
      await page.waitForFunction((before) => decodeURIComponent(location.hash).includes(`at=${before}`), first);
    }));

  test("finds a value, and folds a call", () =>
    onStory(async (view, page) => {
      await view.at("story?at=1:1:0");
      await page.keyboard.press("v");
      await page.keyboard.type('customer 5');
      await page.keyboard.press("Enter");
      await page.locator(".story-line.active mark").first().waitFor();
      assert.match(await page.locator(".story-line.active").innerText(), /customer 5/);
      await page.locator(".story").focus();
      const lines = await page.locator(".story-line").allInnerTexts();
      await page.keyboard.press("Enter");
      await page.locator(".story-line.active", { hasText: "…" }).waitFor();
      assert.notDeepEqual(await page.locator(".story-line").allInnerTexts(), lines);
    }));

  test("pages in both directions without losing its place", () =>
    onStory(async (view, page) => {
      await view.at("story?at=1:2:20000");
      const text = await page.locator(".story-line.active").innerText();
      for (const by of [-4000, -4000, 8000, 4000]) {
        await page.locator(".story").evaluate((box, distance) => box.scrollBy(0, distance), by);
        await settle(page);
      }
      await page.locator(".story").evaluate((box) => box.scrollBy(0, -4000));
      await settle(page);
      await page.keyboard.press("j");
      await settle(page);
      await page.keyboard.press("k");
      await page.locator(".story-line.active").waitFor();
      assert.equal(await page.locator(".story-line.active").innerText(), text);
      assert.ok((await page.locator(".story-line").count()) < 100);
    }));

  for (const [name, where] of [["a time", "at"], ["a range", "to=999999999999&from"]]) {
    test(`opens at ${name}, and stays there`, () =>
      onStory(async (view, page) => {
        const first = (at) => page.evaluate(async (query) => (await (await fetch(`/api/story?count=1&${query}`)).json()).rows[0], at);
        const { time_ns: time } = await first("at=1:2:20000");
        await view.at(`story?at=${(await first(`thread=1:2&at=${time}`)).at}`);
        const active = page.locator(".story-line.active");
        const wanted = await active.innerText();
        let asked = 0;
        page.on("request", (request) => {
          asked += request.url().includes("/api/story");
        });
        await view.at(`story?thread=1:2&${where}=${time}`);
        await settle(page);
        assert.equal(await active.innerText(), wanted);
        assert.ok(asked <= 4, `asked for ${asked} parts of the story`);
        const top = () => page.locator(".story").evaluate((box) => box.scrollTop);
        assert.ok((await top()) > 1000, "earlier events are above");
        // The reader scrolls far away, and nothing scrolls by itself.
        for (let turn = 0; turn < 30; turn++) {
          await page.locator(".story").evaluate((box) => box.scrollBy(0, -6000));
          await settle(page);
        }
        const read = asked;
        const still = await page.locator(".story-line").allInnerTexts();
        await settle(page);
        await settle(page);
        assert.deepEqual([asked, await page.locator(".story-line").allInnerTexts()], [read, still]);
      }));
  }

  test("opens a call, and its values are links", () =>
    onStory(async (view, page) => {
      await view.at("story?call=1:2");
      await page.locator(".story-line.active.story-call").waitFor();
      await page.locator(".story-value a:not(.story-object)").first().click();
      await page.waitForFunction(() => location.hash.startsWith("#/values"));
      await page.locator(".values-history .table .row").nth(1).waitFor();
    }));
});

describe("the values", () => {
  test("are those of clew replay", () =>
    onStory(async (view, page) => {
      const printed = execFileSync(process.env.CLEW, ["replay", join(data, "story.clew"), "--json"], { maxBuffer: 1 << 28 });
      const wanted = String(printed).trim().split("\n").map((line) => JSON.parse(line)).filter((row) => row.name === "balance");
      await view.at("values?name=balance");
      await page.locator(".values-history [role=status]", { hasText: `${wanted.length.toLocaleString("en").replaceAll(",", "\u2009")} values` }).waitFor();
      const rows = JSON.parse(await copied(page, "JSON"));
      assert.deepEqual(rows.map((row) => row.value).sort(), wanted.map((row) => row.value).sort());
    }));

  test("a brush selects a range, a double click on a row opens the story", () =>
    onStory(async (view, page) => {
      await view.at("values?name=balance");
      const box = await page.locator(".values-chart canvas").boundingBox();
      await page.mouse.move(box.x + 200, box.y + 60);
      await page.mouse.down();
      await page.mouse.move(box.x + 500, box.y + 60, { steps: 4 });
      await page.mouse.up();
      await until(page, "from", /^\d+$/);
      await page.goBack();
      await page.locator(".values-history .rows .row").first().dblclick({ position: { x: 300, y: 8 } });
      await page.waitForFunction(() => location.hash.startsWith("#/story"));
      await page.locator(".story-line.active", { hasText: "balance" }).waitFor();
    }));

  test("variables are listed with the method that owns them, and without counts that are not known", () =>
    onStory(async (view, page) => {
      await view.at("values");
      const list = page.locator(".values-list");
      await list.locator(".row", { hasText: "SavingsBank..ctor" }).first().waitFor();
      assert.equal(await list.locator(".row", { hasText: "–" }).count(), 0);
      assert.equal(await list.getByRole("columnheader").count(), 1);
    }));

  test("Enter takes the only variable that the search for names finds", () =>
    onStory(async (view, page) => {
      await view.at("values?name=balance");
      await page.keyboard.press("/");
      await page.keyboard.type("owner SavingsBank.Open");
      await page.locator(".values-list .rows .row").nth(1).waitFor({ state: "detached" });
      await page.keyboard.press("Enter");
      await page.keyboard.press("Enter");
      await until(page, "name", /^owner$/);
    }));

  test("variables are found by words", () =>
    onStory(async (view, page) => {
      await view.at("values");
      await page.keyboard.press("v");
      await page.keyboard.type("owner open");
      await page.keyboard.press("Enter");
      await until(page, "name", /^owner$/);
      await page.locator(".values-history .rows .row", { hasText: '"customer 0"' }).first().waitFor();
    }));
});

describe("the source", () => {
  test("shows a line's values of a chosen activation", () =>
    onStory(async (view, page) => {
      const call = await page.evaluate(async () => {
        const answer = await fetch("/api/story?at=1%3A1%3A0&count=1");
        return (await answer.json()).rows[0].call;
      });
      await view.at(`source?call=1:${call}&method=Bank.Application.Program.Main()`);
      await page.locator(".source-value").first().waitFor();
      await page.locator(".source-files a", { hasText: "SavingsBank.cs" }).click();
      await page.locator(".source-title", { hasText: "SavingsBank.cs" }).waitFor();
      assert.ok((await page.locator(".syntax-keyword").count()) > 5);
      await page.keyboard.press("j");
      await until(page, "line", /^\d+$/);
      await page.locator(".source-line.active").waitFor();
    }));

  test("links to the editor that was chosen", () =>
    onStory(async (view, page) => {
      await view.at("source");
      assert.match(await page.locator(".source-open").getAttribute("href"), /^vscode:\/\/file\/.*\.cs:\d+:1$/);
      await page.getByRole("button", { name: "Set the editor" }).click();
      await page.locator(".source-pattern").fill("idea://open?file={path}&line={line}");
      await page.keyboard.press("Enter");
      await view.at("source?line=3");
      assert.match(await page.locator(".source-open").getAttribute("href"), /^idea:\/\/open\?file=\/.*\.cs&line=3$/);
    }));
});

describe("allocations", () => {
  test("are those of clew report, and lead to their lines", () =>
    onStory(async (view, page) => {
      const wanted = report("story", "allocations");
      await view.at("allocations");
      assert.deepEqual(JSON.parse(await copied(page, "JSON")), wanted.types);
      await view.at("allocations?by=line");
      assert.equal(JSON.parse(await copied(page, "JSON")).length, wanted.allocations.length);
      await page.locator(".rows a", { hasText: "SavingsBank.cs:" }).first().click();
      await page.locator(".source-title", { hasText: "SavingsBank.cs" }).waitFor();
      assert.match(await place(page), /line=\d+/);
    }));
});

describe("exceptions", () => {
  test("are those of clew report, and lead to their methods in the call tree", () =>
    onStory(async (view, page) => {
      const wanted = report("story", "exceptions");
      assert.ok(wanted.exceptions.length > 0);
      await view.at("exceptions");
      assert.deepEqual(JSON.parse(await copied(page, "JSON")), wanted.types);
      await page.locator(".rows a", { hasText: "InsufficientFundsException" }).click();
      await until(page, "by", /^place$/);
      assert.deepEqual(JSON.parse(await copied(page, "JSON")), wanted.exceptions);
      await accessible(page, "places of exceptions");
      await page.locator(".rows a", { hasText: "Account.Withdraw" }).first().click();
      await page.waitForFunction(() => location.hash.startsWith("#/tree"));
      assert.match(await key(page, "method"), /Account\.Withdraw/);
      await page.locator(".rows .active", { hasText: "Account.Withdraw" }).waitFor();
    }));

  test("are in the story, where a search finds them", () =>
    onStory(async (view, page) => {
      await view.at("story?at=1:2:0");
      await page.keyboard.press("v");
      await page.keyboard.type("does not have");
      await page.keyboard.press("Enter");
      const line = page.locator(".story-line", { hasText: /throws InsufficientFundsException: account \d+ does not have/ });
      await line.first().waitFor();
      await shot(page, "story-exception");
      await line.first().locator("a", { hasText: "InsufficientFundsException" }).click();
      await page.waitForFunction(() => location.hash.startsWith("#/exceptions"));
    }));
});

describe("a recording of lines alone", () => {
  test("has its hottest statements in the overview, and no empty pictures", () =>
    on("lines", async (view, page) => {
      const wanted = report("lines", "lines").lines.sort((a, b) => b.own_ns - a.own_ns)[0];
      await view.at("overview");
      const first = page.locator(".hottest .ten a").first();
      assert.match(await first.innerText(), new RegExp(`${wanted.file.split("/").at(-1)}:${wanted.line}`));
      assert.equal(await page.getByText("0 calls").count(), 0);
      assert.equal(await page.getByRole("link", { name: "Flame graph" }).count(), 1, "the tab alone");
      await shot(page, "overview-lines");
      await accessible(page, "the overview of lines");
      await first.click();
      await page.waitForFunction((line) => location.hash.startsWith("#/source") && location.hash.includes(`line=${line}`), wanted.line);
      await view.at("flame");
      await page.locator(".missing .command", { hasText: "clew record -i lines,tree --" }).waitFor();
    }));
});

describe("a page as a file", () => {
  let file;
  let said;
  before(() => {
    file = join(data, "story.report.html");
    said = spawnSync(process.env.CLEW, ["report", join(data, "story.clew"), "-o", file], { encoding: "utf8" }).stderr;
  });

  test("has the first part of each thread's story, and says so when it is written", async () => {
    assert.match(said, /story\.report\.html: Story and Values have the first \d+ events of each thread\./);
    const texts = [];
    for (const address of [`file://${file}`, server.address]) {
      const view = await open(address);
      for (const at of ["story", "story?at=1:2:300"]) {
        await view.at(at);
        await view.page.locator(".story-line.active").waitFor();
        texts.push(await view.page.locator(".story-line").allInnerTexts());
      }
      await view.close();
    }
    assert.ok(texts[0].length > 20);
    assert.deepEqual(texts.slice(0, 2), texts.slice(2));
  });

  test("has the exceptions", async () => {
    const view = await open(`file://${file}`);
    await view.at("exceptions?by=place");
    await view.page.locator(".rows .row", { hasText: "InsufficientFundsException" }).first().waitFor();
    await view.close();
  });

  test("says where a thread's story ends, and how to see more", async () => {
    const view = await open(`file://${file}`);
    await view.at("story?at=1:2:999999999");
    await view.page.locator(".story-closing", { hasText: /This file has the first \d+ events of this thread.*clew view FILE/ }).waitFor();
    await accessible(view.page, "the end of a story");
    await view.close();
  });

  test("has the values of these events, and says so", async () => {
    const view = await open(`file://${file}`);
    await view.at("values?name=balance");
    await view.page.locator(".values-history [role=status]", { hasText: "which this file has" }).waitFor();
    await view.page.locator(".values-history .rows .row").nth(5).waitFor();
    await view.page.locator(".values-history .rows .row").first().dblclick({ position: { x: 300, y: 8 } });
    await view.page.locator(".story-line.active", { hasText: "balance" }).waitFor();
    await view.close();
  });
});
