import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { Page, Request } from "playwright-core";
import { PostgresCache } from "../../src/cache/index.js";
import { PostgresSaver } from "../../src/index.js";
import { PostgresStore } from "../../src/store/index.js";
import type { CheckpointPlace } from "../../src/inspector/api/places.js";
import { linkTo, linkToCheckpoint, linkToThread } from "../../src/inspector/page/routes/route.js";
import { describeInBrowser } from "../../test-support/browser.js";
import { type RunningInspector, serveInspector } from "../../test-support/serve-inspector.js";
import { describeServer } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";
import { HOSTILE_PREFIX, hostileGraph, storeHostileQuestions, storeHostileThread } from "./hostile-thread.js";
import { findIntrusions, unfoldAll } from "./intrusions.js";

/** The most places that the test visits. */
const MOST_PLACES = 32;

describeServer("a thread whose every text attacks the page", (target) => {
  describeInBrowser("in Chromium", (browser) => {
    let saver: PostgresSaver;
    let store: PostgresStore;
    let cache: PostgresCache;
    let inspector: RunningInspector;
    let places: readonly CheckpointPlace[];
    beforeAll(async () => {
      const database = await target.migratedDatabase();
      const { source } = database;
      saver = new PostgresSaver(source, undefined, { metadataFromConfig: ["answered_by"] });
      store = new PostgresStore(source);
      await store.setup();
      cache = new PostgresCache(source, { keyPrefix: HOSTILE_PREFIX });
      places = await storeHostileThread(saver, store, cache);
      // A value that no serializer reads, in a namespace that no cache writes.
      const attack = `<img src=x onerror="globalThis.attacked = 'type'">\u202e`;
      await database.query(
        "insert into cache_entries (namespace, key, type, value, size) values ($1, $1, $1, 'x', 1)",
        [attack],
      );
      const graphs = { [HOSTILE_PREFIX]: hostileGraph(saver), other: hostileGraph(saver) };
      inspector = await serveInspector(saver, { write: true, store, graphs });
    });
    afterAll(async () => {
      await inspector.close();
      await cache.end();
      await store.end();
      await saver.end();
    });

    it("is text wherever the page shows it", async () => {
      const page = await browser.openAlone(inspector.url, { viewport: { width: 380, height: 800 } });
      const events = await observe(page, inspector.url);
      const untilQuiet = followReads(page);
      const visited = new Set<string>();
      const shown: string[] = [];
      const waiting = [
        "#/threads",
        linkTo("threads", [], { search: "attacked" }),
        "#/storage",
        "#/memory",
        "#/cache",
        "#/health",
      ];
      waiting.push(...places.map(({ threadId }) => linkTo("storage", [], { thread: threadId })));
      waiting.push(...places.flatMap((place) => [linkToThread(place), linkToCheckpoint(place)]));
      waiting.push(
        ...places
          .slice(0, 1)
          .flatMap((place) => ["tree", "figures"].map((view) => linkToThread(place, { view }))),
      );
      for (
        let link = waiting.shift();
        link !== undefined && visited.size < MOST_PLACES;
        link = waiting.shift()
      ) {
        if (visited.has(link)) continue;
        visited.add(link);
        await page.evaluate((hash) => {
          location.hash = hash;
        }, link);
        await untilQuiet();
        await unfoldAll(page, untilQuiet);
        expect({ link, intrusions: await findIntrusions(page) }).toEqual({ link, intrusions: [] });
        const text = await page.locator("main").innerText();
        if (text.includes("globalThis.attacked")) shown.push(link);
        const links = await page
          .locator("a[href^='#']")
          .evaluateAll((all) => all.map((a) => a.getAttribute("href") ?? ""));
        // The places of one kind that come first say as much as the others.
        waiting.push(...links.filter((each) => !visited.has(each)).slice(0, 12));
      }
      expect(events).toEqual([]);
      // They do show the texts.
      const kinds = new Set(shown.map((link) => /^#\/(\w+)/.exec(link)?.[1]));
      expect([...kinds].sort()).toEqual(
        expect.arrayContaining(["cache", "checkpoint", "memory", "storage", "thread", "threads"]),
      );
    });

    it("is text in what a person is asked, in the forms for the answers, and in what a run reports", async () => {
      const threadId = await storeHostileQuestions(saver);
      const page = await browser.openAlone(inspector.url, { viewport: { width: 380, height: 800 } });
      const events = await observe(page, inspector.url);
      const untilQuiet = followReads(page);
      await page.evaluate(
        (hash) => {
          location.hash = hash;
        },
        linkTo("thread", [threadId]),
      );
      await page.getByRole("button", { name: "Send the answer" }).waitFor();
      await page.getByLabel("Graph").selectOption("other");
      await unfoldAll(page, untilQuiet);
      await page.getByRole("radio", { name: "Edit" }).check();
      expect(await page.getByText("globalThis.attacked").count()).toBeGreaterThan(10);
      expect(await findIntrusions(page)).toEqual([]);
      await page.getByRole("radio", { name: "Reject" }).check();
      await page.getByRole("button", { name: "Send the decision" }).first().click();
      await page.getByRole("alert").waitFor();
      expect(await findIntrusions(page)).toEqual([]);
      await page.getByRole("button", { name: "Change values and continue…" }).first().click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Graph").selectOption("other");
      await dialog.getByRole("checkbox", { name: "text" }).check();
      await dialog.getByLabel("How they are stored").selectOption({ index: 1 });
      const check = dialog.getByRole("button", { name: "Check" });
      await until(() => check.isEnabled());
      await check.click();
      await dialog.getByRole("alert").waitFor();
      expect(await findIntrusions(page)).toEqual([]);
      expect(events).toEqual([]);
    });

    it("is text in what the page asks about items and entries, and in what it answers", async () => {
      const page = await browser.openAlone(inspector.url, { viewport: { width: 380, height: 800 } });
      const events = await observe(page, inspector.url);
      const untilQuiet = followReads(page);
      const go = async (link: string): Promise<void> => {
        await page.evaluate((hash) => {
          location.hash = hash;
        }, link);
        await untilQuiet();
      };
      const firstLink = async (list: string): Promise<string> =>
        (await page.locator(`${list} a`).first().getAttribute("href")) ?? "";
      const asked: string[] = [];
      const askEach = async (): Promise<void> => {
        for (const button of await page.locator("main button[aria-haspopup=dialog]").all()) {
          await button.click();
          await untilQuiet();
          const text = await page.getByRole("dialog").innerText();
          const fields = await page.getByRole("dialog").locator("textarea, input[type=text]").all();
          const typed = await Promise.all(fields.map((field) => field.inputValue()));
          // Each attack has one of these.
          const isShown = /attacked|127\.0\.0\.1|gnp\.exe/.test([text, ...typed].join(""));
          if (isShown) asked.push(await button.innerText());
          for (const field of fields) await field.fill(`{"<img src=x onerror=alert(1)>\u202e": ${text}`);
          expect(await findIntrusions(page)).toEqual([]);
          await page.keyboard.press("Escape");
          await page.getByRole("dialog").waitFor({ state: "detached" });
        }
      };
      for (const [start, list] of [
        ["#/memory", ".items"],
        ["#/cache", ".cache-table"],
      ] as const) {
        await go(start);
        const link = await firstLink(list);
        await askEach();
        await go(link);
        await askEach();
      }
      await go(await firstLink(".cache-entries"));
      await askEach();
      // Another one has changed the item.
      await go("#/memory");
      await go(await firstLink(".items"));
      await page.getByRole("button", { name: "Edit…" }).click();
      await untilQuiet();
      const [item] = await store.search([], { limit: 1 });
      await store.put(item?.namespace ?? [], item?.key ?? "", { text: "theirs" });
      await page.getByRole("dialog").locator("textarea").fill("{}");
      await page.getByRole("dialog").getByRole("button", { name: "Store" }).click();
      await page.getByRole("alert").waitFor();
      expect(await findIntrusions(page)).toEqual([]);
      expect(events).toEqual([]);
      expect(new Set(asked)).toEqual(new Set(["Edit…", "Delete…", "Clear…", "Clear all…"]));
    });

    it("is text in what a search finds in a thread, and in what becomes of many threads", async () => {
      const page = await browser.openAlone(inspector.url, { viewport: { width: 380, height: 800 } });
      const events = await observe(page, inspector.url);
      const [place] = places;
      await page.evaluate(
        (hash) => {
          location.hash = hash;
        },
        linkTo("thread", [place?.threadId ?? ""]),
      );
      await page.getByRole("searchbox", { name: "Find in this thread" }).fill("attacked");
      await page.keyboard.press("Enter");
      await page.getByText(/^[1-9]\d* texts? in/).waitFor();
      expect(await findIntrusions(page)).toEqual([]);
      await page.evaluate(() => {
        location.hash = "#/threads";
      });
      await page.getByRole("checkbox", { name: "Select all that are shown" }).click();
      await page.getByRole("button", { name: /^Delete \(/ }).click();
      const threads = (await saver.listThreads({ limit: 100 })).length;
      await page.getByRole("dialog").getByRole("textbox").fill(String(threads));
      await page.keyboard.press("Enter");
      await page.getByText("Finished.").waitFor();
      expect(await findIntrusions(page)).toEqual([]);
      expect(events).toEqual([]);
    });
  });
});

/** Collects what must not happen: dialogs, requests of another origin, and violations of the page's policy. */
async function observe(page: Page, url: string): Promise<string[]> {
  const events: string[] = [];
  const { origin } = new URL(url);
  page.on("dialog", (dialog) => {
    events.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("popup", (popup) => events.push(`popup ${popup.url()}`));
  page.on("download", (download) => events.push(`download ${download.url()}`));
  page.context().on("request", (request) => {
    if (new URL(request.url()).origin !== origin) events.push(`request ${request.url()}`);
    if (request.isNavigationRequest()) events.push(`navigation ${request.url()}`);
  });
  // The browser reports a violation of the policy as an error of the console.
  page.on("console", (message) => {
    const isFailedRead = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isFailedRead) events.push(`console ${message.text()}`);
  });
  // What compiles the tests gives functions their names by this function.
  await page.evaluate("globalThis.__name = (named) => named");
  await page.evaluate(() => {
    addEventListener("securitypolicyviolation", ({ violatedDirective, sourceFile }) => {
      console.error(`violation of ${violatedDirective} in ${sourceFile}`);
    });
  });
  return events;
}

/** Counts the answers that are missing, and returns a function that waits until there are none, and the page shows the last one. */
function followReads(page: Page): () => Promise<void> {
  const open = new Set<Request>();
  page.on("request", (request) => {
    // The stream of a thread's events stays open.
    if (request.resourceType() !== "eventsource") open.add(request);
  });
  const close = (request: Request): void => {
    open.delete(request);
  };
  page.on("requestfinished", close).on("requestfailed", close);
  return async () => {
    for (let quiet = 0; quiet < 3; quiet += 1) {
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
      const isLoading = await page.evaluate(
        () => document.querySelector(".loading, [aria-busy=true]") !== null,
      );
      if (open.size > 0 || isLoading) quiet = -1;
    }
  };
}
