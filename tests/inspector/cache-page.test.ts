import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { PostgresCache } from "../../src/cache/index.js";
import { PostgresSaver } from "../../src/index.js";
import { expectAccessible } from "../../test-support/axe.js";
import { describeInBrowser } from "../../test-support/browser.js";
import { type RunningInspector, serveInspector } from "../../test-support/serve-inspector.js";
import { describeAnyTarget } from "../../test-support/targets.js";

const NARROW = { viewport: { width: 390, height: 800 } };
const LONG = "name".repeat(50);
const RTL = "\u0645\u0631\u062d\u0628\u0627";

describeAnyTarget("cache page", (target) => {
  describeInBrowser("in Chromium", (browser) => {
    let saver: PostgresSaver;
    let cache: PostgresCache;
    let plain: PostgresCache;
    let writable: RunningInspector;
    let readOnly: RunningInspector;
    beforeAll(async () => {
      const { source } = await target.migratedDatabase();
      saver = new PostgresSaver(source);
      cache = new PostgresCache(source, { keyPrefix: "research" });
      plain = new PostgresCache(source);
      [writable, readOnly] = await Promise.all([
        serveInspector(saver, { write: true }),
        serveInspector(saver),
      ]);
    });
    afterAll(async () => {
      await Promise.all([writable.close(), readOnly.close()]);
      await Promise.all([cache.end(), plain.end(), saver.end()]);
    });

    it("is not there before there is a cache, and says how to get the first entry", async () => {
      const page = await browser.openPage(`${readOnly.url}#/cache`);
      await page.getByText("There is no cache that the inspector may read.").waitFor();
      expect(await page.getByRole("link", { name: "Cache" }).count()).toBe(0);
      await cache.setup();
      await page.reload();
      await page.getByText("cachePolicy: { ttl: 3600 }").waitFor();
      const link = page.getByRole("link", { name: "cache.md" });
      expect(await link.getAttribute("href")).toMatch(/^https:.*\/docs\/cache\.md$/);
      expect(await page.getByRole("link", { name: "Cache", exact: true }).count()).toBe(1);
      await expectAccessible(page);
    });

    it("shows namespaces, entries and values, also on a phone", async () => {
      await cache.set([
        { key: [["writes", "search"], "a1"], value: [["report", `${RTL} tea`]], ttl: 5_400 },
        { key: [["writes", LONG], LONG], value: [[LONG, LONG]] },
        { key: [["writes", RTL], RTL], value: [[RTL, "x".repeat(1_000_000)]] },
      ]);
      for (const options of [{}, NARROW]) {
        const page = await browser.openPage(`${readOnly.url}#/cache`, options);
        const isWide = () => page.evaluate("document.documentElement.scrollWidth > innerWidth");
        await page.getByRole("heading", { name: "Prefix research" }).waitFor();
        await page.getByText("in 1 hour").waitFor();
        expect(await page.getByRole("button", { name: "…" }).count()).toBe(0);
        expect(await isWide()).toBe(false);
        await expectAccessible(page);
        await page.getByRole("link", { name: `writes / ${RTL}` }).click();
        await page.getByText("A large value: open the entry to see it.").waitFor();
        await page.getByRole("link", { name: "All namespaces" }).click();
        await page.getByRole("link", { name: "writes / search" }).click();
        await page.getByText(`{report: "${RTL} tea"}`).waitFor();
        await expectAccessible(page);
        await page.getByRole("link", { name: "a1" }).click();
        await page.getByRole("tree").getByText("report").waitFor();
        expect(await isWide()).toBe(false);
        await expectAccessible(page);
      }
    });

    it("clears a namespace with 2 clicks, and deletes an entry with 2 from its page", async () => {
      const entry = { key: [["nodes"], "k"] as [string[], string], value: 1 };
      const other = { key: [["others"], "k"] as [string[], string], value: 2 };
      await cache.set([entry, other]);
      const found = async () => (await cache.get([entry.key, other.key])).map(({ value }) => value);
      const page = await browser.openPage(`${writable.url}#/cache`);
      const dialog = page.getByRole("dialog");
      await page.getByRole("row", { name: "nodes" }).getByRole("button", { name: "Clear…" }).click();
      await expectAccessible(page);
      await dialog.getByRole("button", { name: "Cancel" }).click();
      expect(await found()).toEqual([1, 2]);

      await page.getByRole("row", { name: "nodes" }).getByRole("button", { name: "Clear…" }).click();
      await dialog.getByRole("button", { name: "Clear" }).click();
      await page.getByRole("row", { name: "nodes" }).waitFor({ state: "detached" });
      expect(await found()).toEqual([2]);

      await page.goto(`${writable.url}#/cache/${encodeURIComponent('"research"["others"]')}/k`);
      await page.getByRole("button", { name: "Delete…" }).click();
      await dialog.getByRole("button", { name: "Delete" }).click();
      await page.getByText("There are no entries in this namespace.").waitFor();
      expect(await found()).toEqual([]);
    });

    it("clears all of a prefix, and nothing of another one", async () => {
      await cache.set([{ key: [["mine"], "k"], value: 1 }]);
      await plain.set([{ key: [["theirs"], "k"], value: 2 }]);
      const page = await browser.openPage(`${writable.url}#/cache`);
      await page.getByRole("heading", { name: "Without a prefix" }).waitFor();
      await page.getByRole("button", { name: "Clear all…" }).first().click();
      await page.getByRole("dialog").getByRole("button", { name: "Clear all" }).click();
      await page.getByRole("heading", { name: "Prefix research" }).waitFor({ state: "detached" });
      await page.getByRole("link", { name: "theirs" }).waitFor();
      expect(await cache.get([[["mine"], "k"]])).toEqual([]);
      expect(await plain.get([[["theirs"], "k"]])).toHaveLength(1);
    });
  });
});
