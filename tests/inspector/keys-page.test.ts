import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { Page } from "playwright-core";
import { PostgresCache } from "../../src/cache/index.js";
import { PostgresSaver } from "../../src/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { expectAccessible } from "../../test-support/axe.js";
import { describeInBrowser } from "../../test-support/browser.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { type RunningInspector, serveInspector } from "../../test-support/serve-inspector.js";
import { describeAnyTarget } from "../../test-support/targets.js";

const NARROW = { viewport: { width: 390, height: 800 } };

describeAnyTarget("keys of the inspector", (target) => {
  describeInBrowser("in Chromium", (browser) => {
    let saver: PostgresSaver;
    let store: PostgresStore;
    let cache: PostgresCache;
    let inspector: RunningInspector;
    /** From the oldest. */
    const checkpointIds: string[] = [];
    beforeAll(async () => {
      const { source } = await target.migratedDatabase();
      [saver, store, cache] = [new PostgresSaver(source), new PostgresStore(source), new PostgresCache(source)];
      await Promise.all([store.setup(), cache.setup()]);
      inspector = await serveInspector(saver);
      for (const thread of ["a", "b", "c"]) await putValues(saver, threadConfig(thread), { plan: thread });
      let [config, before]: [ReturnType<typeof threadConfig>, Parameters<typeof putValues>[3]] = [threadConfig("steps"), undefined];
      for (const plan of ["1", "2", "3"]) {
        const stored = await putValues(saver, config, { plan }, before);
        [config, before] = [stored.config, stored.checkpoint];
        checkpointIds.push(stored.checkpoint.id);
      }
      for (const key of ["one", "two"]) await store.put(["notes"], key, { text: key });
      for (const key of ["one", "two"]) await cache.set([{ key: [["writes", key], key], value: key }]);
    }); // oxfmt-ignore
    afterAll(async () => {
      await inspector.close();
      await Promise.all([store.end(), cache.end(), saver.end()]);
    });

    it("move in the list of threads, and open one", async () => {
      const page = await browser.openPage(`${inspector.url}#/threads?order=id`);
      await page.getByRole("link", { name: "steps" }).waitFor();
      await page.keyboard.press("j");
      await waitForFocus(page, "a");
      await page.keyboard.press("j");
      await page.keyboard.press("j");
      await waitForFocus(page, "c");
      await page.keyboard.press("k");
      await waitForFocus(page, "b");
      for (const key of ["Control+j", "Alt+j", "Meta+j", "J"]) await page.keyboard.press(key);
      await waitForFocus(page, "b");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "b" }).waitFor();
    });

    it("do nothing while a person types, and / goes to the field", async () => {
      const page = await browser.openPage(inspector.url);
      const field = page.getByRole("combobox", { name: "Find threads" });
      await page.getByRole("link", { name: "steps" }).waitFor();
      await page.keyboard.press("/");
      await page.keyboard.type("jk/?gs");
      expect(await field.inputValue()).toBe("jk/?gs");
      expect(await page.getByRole("dialog").count()).toBe(0);
      expect(await page.getByRole("heading", { level: 1, name: "Threads" }).count()).toBe(1);
    });

    it.each(["story", "tree"])("move in the steps of a thread, and open a checkpoint: %s", async (view) => {
      const page = await browser.openPage(`${inspector.url}#/thread/steps?view=${view}`);
      const selected = page.locator("[aria-current=step], [role=option][aria-selected=true]");
      const [oldest = "", middle = "", newest = ""] = checkpointIds;
      const waitFor = (id: string) => page.locator(`[data-checkpoint="${id}"]`).and(selected).waitFor();
      await waitFor(newest);
      await page.keyboard.press("j");
      await waitFor(middle);
      await page.keyboard.press("j");
      await waitFor(oldest);
      await page.keyboard.press("k");
      await waitFor(middle);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: middle }).waitFor();
    });

    it("move among items of the store, and entries and namespaces of the cache, as the arrow keys do", async () => {
      const page = await browser.openPage(inspector.url);
      await page.getByRole("link", { name: "steps" }).waitFor();
      await page.keyboard.press("g");
      await page.keyboard.press("m");
      await page.getByRole("list", { name: "Items" }).getByRole("link", { name: "two" }).waitFor();
      await page.keyboard.press("j");
      await waitForFocus(page, "two");
      await page.keyboard.press("ArrowDown");
      await waitForFocus(page, "one");
      await page.keyboard.press("k");
      await waitForFocus(page, "two");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "two" }).waitFor();

      await page.keyboard.press("g");
      await page.keyboard.press("c");
      const table = page.getByRole("table").first();
      await table.waitFor();
      await page.keyboard.press("j");
      await page.keyboard.press("Enter");
      await page.getByRole("list", { name: "Entries" }).waitFor();
      await page.keyboard.press("j");
      await page.keyboard.press("Enter");
      await page.getByRole("link", { name: "Entries of" }).waitFor();
    });

    it("are listed by ?, until Escape, and can be turned off for good", async () => {
      for (const options of [{}, NARROW]) {
        const page = await browser.openAlone(`${inspector.url}#/threads?order=id`, options);
        await page.getByRole("link", { name: "steps" }).waitFor();
        await expectAccessible(page);
        await page.keyboard.press("?");
        const dialog = page.getByRole("dialog", { name: "Keys" });
        await dialog.getByText("next entry of the list").waitFor();
        await expectAccessible(page);
        expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
        await page.keyboard.press("/");
        expect(await page.evaluate(() => document.activeElement?.closest("dialog") !== null)).toBe(true);
        await page.keyboard.press("Escape");
        await page.locator("dialog").waitFor({ state: "detached" });

        await page.getByRole("button", { name: "? for keys" }).click();
        await dialog.getByRole("checkbox").uncheck();
        await dialog.getByRole("button", { name: "Close" }).click();
        await page.reload();
        await page.getByRole("link", { name: "steps" }).waitFor();
        for (const key of ["j", "/", "?"]) await page.keyboard.press(key);
        expect(await page.evaluate(() => document.activeElement?.localName)).toBe("body");
        await page.getByRole("button", { name: "Keys off" }).click();
        await dialog.getByRole("checkbox").check();
        await page.keyboard.press("Escape");
        await page.locator("dialog").waitFor({ state: "detached" });
        await page.keyboard.press("?");
        await dialog.waitFor();
      }
    });
  });
});

async function waitForFocus(page: Page, text: string): Promise<void> {
  await page.waitForFunction((expected) => document.activeElement?.textContent === expected, text);
}
