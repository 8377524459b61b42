import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { INTERRUPT } from "@langchain/langgraph-checkpoint";
import type { Page } from "playwright-core";
import { PostgresSaver } from "../../src/index.js";
import { expectAccessible } from "../../test-support/axe.js";
import { describeInBrowser, type TestBrowser } from "../../test-support/browser.js";
import {
  allVersions,
  checkpointOf,
  metadataOf,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { type RunningInspector, serveInspector } from "../../test-support/serve-inspector.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";

const HOSTILE = `<img src=x onerror=alert(1)> \u202Egnp.exe`;

describeAnyTarget("threads page", (target) => {
  describeInBrowser("in Chromium", (browser) => {
    let database: TestDatabase;
    let saver: PostgresSaver;
    let inspector: RunningInspector;
    beforeEach(async () => {
      database = await target.sharedDatabase();
      saver = new PostgresSaver(database.source);
      inspector = await serveInspector(saver);
    });
    afterEach(async () => {
      await inspector.close();
      await saver.end();
    });

    async function putThread(id: string, metadata: Record<string, unknown> = {}): Promise<void> {
      const checkpoint = checkpointOf(saver, { plan: "A" });
      await saver.put(threadConfig(id), checkpoint, metadataOf(0, metadata), allVersions(checkpoint));
    }

    it("says what to do where there are no threads", async () => {
      const page = await browser.openPage(inspector.url);
      await page.getByText("There are no threads yet.").waitFor();
      expect(await page.getByText("compile({ checkpointer: saver })").innerText()).toContain(
        "await saver.setup();",
      );
      expect(await page.title()).toBe("Threads – Inspector");
      await expectAccessible(page);
    });

    it("says how to create the tables where there are none", async () => {
      const unmigrated = new PostgresSaver((await target.createDatabase()).source);
      const other = await serveInspector(unmigrated);
      const page = await browser.openPage(other.url);
      await page.getByText("npx langgraph-checkpoint-kysely migrate", { exact: true }).waitFor();
      expect(await page.getByRole("alert").count()).toBe(0);
      await expectAccessible(page);
      await unmigrated.setup();
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByText("There are no threads yet.").waitFor();
      await other.close();
      await unmigrated.end();
    });

    it("lists threads with their state, size and counts, the latest first, and shows their ids as they are", async () => {
      await putThread("first");
      await putValues(saver, threadConfig("running"), { "branch:to:work": null });
      const { config } = await putValues(saver, threadConfig(HOSTILE), { plan: "A" });
      await putValues(saver, config, { plan: "B" });
      await putValues(saver, threadConfig(HOSTILE, { checkpoint_ns: "tools:1" }), { plan: "C" });
      await saver.putWrites(
        (await putValues(saver, config, {})).config,
        [[INTERRUPT, { value: "?" }]],
        "task",
      );
      const page = await browser.openPage(inspector.url);
      const row = page.getByRole("row").nth(1);
      await row.getByText(/^[\d.]+ k?B$/).waitFor();
      expect(await page.getByRole("row").count()).toBe(4);
      const link = row.getByRole("link");
      // Shortened in the middle, with the whole one in its title.
      expect([await link.innerText(), await link.getAttribute("title")]).toEqual([
        "<img src=x one…gnp.exe".replace("gnp.exe", "\u202Egnp.exe"),
        HOSTILE,
      ]);
      expect(await row.getByText("waiting").count()).toBe(1);
      expect(await row.locator(".threads-size").getAttribute("title")).toBe("4 checkpoints in 2 namespaces");
      // Only where a run may be under way.
      expect(
        await page.getByRole("row").filter({ hasText: "live" }).getByRole("link").allInnerTexts(),
      ).toEqual(["running"]);
      await expectAccessible(page);
    });

    it("finds by id and metadata in one field, and keeps the search in the address", async () => {
      await putThread("alpha", { user: "42" });
      await putThread("beta", { user: 42 });
      const page = await browser.openPage(inspector.url);
      await page.getByRole("link", { name: "alpha" }).waitFor();
      const find = page.getByRole("combobox", { name: "Find threads" });
      await find.fill("BET");
      await find.press("Enter");
      await page.getByRole("link", { name: "alpha" }).waitFor({ state: "detached" });
      expect(page.url()).toContain("#/threads?search=BET");
      await find.fill("");
      await page.getByRole("link", { name: "alpha" }).waitFor();
      await find.fill('user="42"');
      await find.press("Enter");
      await page.getByRole("link", { name: "beta" }).waitFor({ state: "detached" });
      expect(await page.getByRole("link", { name: "alpha" }).count()).toBe(1);
      const again = await browser.openPage(page.url());
      await again.getByRole("link", { name: "alpha" }).waitFor();
      expect(await again.getByRole("combobox", { name: "Find threads" }).inputValue()).toBe('user="42"');
      await find.fill("{user: 42}");
      await find.press("Enter");
      await page.getByText("This is not JSON").waitFor();
      expect(await find.getAttribute("aria-invalid")).toBe("true");
      await find.fill("user=nobody");
      await find.press("Enter");
      await page.getByText("No thread matches.").waitFor();
      // A link of an earlier version.
      await page.goto(`${inspector.url}#/threads?text=plan&filter={"user":42}&search=bet`);
      await page.getByText("No thread matches.").waitFor();
      expect(await find.inputValue()).toBe('{"user":42} bet plan');
    });

    it("says what was searched in vain, and how metadata gets the user of a run", async () => {
      await putThread("alpha", { channel: "web" });
      const page = await browser.openPage(`${inspector.url}#/threads?search=ada@example.com`);
      await page
        .getByText("the metadata (channel) and the messages, values, questions and errors of all threads (1)")
        .waitFor();
      await page.getByText('metadataFromConfig: ["user_id"]').waitFor();
      await expectAccessible(page);
      await putThread("beta", { customer_id: "42" });
      await page.reload();
      await page.getByText("the metadata (channel, customer_id)").waitFor();
      expect(await page.getByText("metadataFromConfig").count()).toBe(0);
    });

    it("does not come back when a filter that was typed is due after the person has gone to a thread", async () => {
      await putThread("alpha");
      const page = await browser.openAlone("about:blank");
      await page.addInitScript(`
        const waiting = [];
        globalThis.setTimeout = (run, ms) => (ms > 0 ? waiting.push(run) : queueMicrotask(run));
        globalThis.leaveFor = (hash) => {
          location.hash = hash;
          // Before the browser tells the page that its address has changed.
          for (const run of waiting) run();
        };
      `);
      await page.goto(inspector.url);
      await page.getByRole("link", { name: "alpha" }).waitFor();
      await page.getByRole("combobox", { name: "Find threads" }).fill("user=42");
      await page.evaluate("leaveFor('#/thread/alpha')");
      await page.getByRole("heading", { name: "alpha" }).waitFor();
      expect(new URL(page.url()).hash).toBe("#/thread/alpha");
    });

    it("sorts by id and by activity, by links that back undoes", async () => {
      await putThread("a");
      await putThread("b");
      const page = await browser.openPage(inspector.url);
      await waitForIds(page, ["b", "a"]);
      await page.getByRole("link", { name: "Thread", exact: true }).click();
      await waitForIds(page, ["a", "b"]);
      expect(await page.getByRole("columnheader", { name: "Thread" }).getAttribute("aria-sort")).toBe(
        "ascending",
      );
      await page.goBack();
      await waitForIds(page, ["b", "a"]);
    });

    it("goes through a long list by the keyboard with few rows at a time, and comes back to where it was", async () => {
      await putThread("thread");
      await copyThread(database, 1_000);
      const page = await browser.openPage(`${inspector.url}#/threads?order=id`);
      await page.getByRole("link", { name: "thread", exact: true }).focus();
      await page.keyboard.press("ArrowDown");
      await waitForFocus(page, "thread-0001");
      await page.keyboard.press("End");
      await waitForFocus(page, "thread-0099");
      // The next hundred has come.
      await page.waitForFunction(() => (document.querySelector("tbody")?.clientHeight ?? 0) >= 200 * 56);
      await page.keyboard.press("PageDown");
      await page.waitForFunction(() => document.activeElement?.textContent !== "thread-0099");
      const opened = (await focusedText(page)) ?? "";
      expect(opened > "thread-0105").toBe(true);
      expect(await page.getByRole("row").count()).toBeLessThan(80);
      const scrolled = await page.evaluate(() => scrollY);
      expect(scrolled).toBeGreaterThan(4_000);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: opened }).waitFor();
      expect(await page.evaluate(() => scrollY)).toBe(0);
      await page.goBack();
      await page.getByRole("link", { name: opened }).waitFor();
      // The list may have measured a row after `scrolled` was read: back is within the height of one.
      expect(Math.abs((await page.evaluate(() => scrollY)) - scrolled)).toBeLessThan(56);
    });

    it("refreshes what is on the screen without moving it, or the focus", async () => {
      await putThread("thread");
      await copyThread(database, 150);
      const page = await openWithClock(browser, `${inspector.url}#/threads?order=id`);
      const link = page.getByRole("link", { name: "thread-0050" });
      await page.getByRole("link", { name: "thread-0001" }).waitFor();
      await page.evaluate(() => {
        scrollTo(0, 2_000);
      });
      await link.focus();
      const top = await link.evaluate((element) => element.getBoundingClientRect().top);
      await putThread("a new one, above");
      await putValues(saver, threadConfig("thread-0050"), { "branch:to:work": null });
      await page.clock.fastForward(6_000);
      await page.locator('[data-thread="thread-0050"]').getByText("live").waitFor();
      expect(await link.evaluate((element) => element.getBoundingClientRect().top)).toBe(top);
      expect(await focusedText(page)).toBe("thread-0050");
    });

    it("remembers the chosen colours, and fits a small screen", async () => {
      await putThread("thread with a long name".repeat(10));
      const page = await browser.openPage(inspector.url, { viewport: { width: 380, height: 700 } });
      await page.getByRole("link", { name: "thread with" }).waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(380);
      await page.getByRole("combobox", { name: "Colours" }).selectOption("dark");
      await page.reload();
      await page.getByRole("link", { name: "thread with" }).waitFor();
      expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe("dark");
      await expectAccessible(page);
    });
  });
});

/** Opens a page whose clock the test can move forward. */
async function openWithClock(browser: TestBrowser, url: string): Promise<Page> {
  const page = await browser.openAlone("about:blank");
  await page.clock.install();
  await page.goto(url);
  return page;
}

/** Copies the only thread, as old ones. */
async function copyThread(database: TestDatabase, copies: number): Promise<void> {
  await database.query(
    `insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id, type, checkpoint, metadata)
     select thread_id || to_char(number, '"-"FM0000'), checkpoint_ns, '1ef00000' || substr(checkpoint_id, 9), type, jsonb_set(checkpoint, '{ts}', '"2024-01-01T00:00:00.000Z"'), metadata
     from checkpoints, generate_series(1, $1::int) as number`,
    [copies],
  );
}

async function waitForIds(page: Page, ids: readonly string[]): Promise<void> {
  await page.waitForFunction(
    (expected) =>
      [...document.querySelectorAll("[data-thread]")].map((row) => row.getAttribute("data-thread")).join() ===
      expected,
    ids.join(),
  );
}

function focusedText(page: Page): Promise<string | null | undefined> {
  return page.evaluate(() => document.activeElement?.textContent);
}

async function waitForFocus(page: Page, text: string): Promise<void> {
  await page.waitForFunction((expected) => document.activeElement?.textContent === expected, text);
}
