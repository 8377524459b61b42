import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { expectAccessible } from "../../test-support/axe.js";
import { describeInBrowser } from "../../test-support/browser.js";
import { type RunningInspector, serveInspector } from "../../test-support/serve-inspector.js";
import { describeAnyTarget } from "../../test-support/targets.js";

const HOSTILE = "<img src=x onerror=alert(1)>\u202E";

describeAnyTarget("memory page", (target) => {
  describeInBrowser("in Chromium", (browser) => {
    let saver: PostgresSaver;
    let store: PostgresStore;
    let inspector: RunningInspector;
    beforeAll(async () => {
      const { source } = await target.migratedDatabase();
      saver = new PostgresSaver(source);
      store = new PostgresStore(source);
      inspector = await serveInspector(saver);
    });
    afterAll(async () => {
      await inspector.close();
      await store.end();
      await saver.end();
    });

    it("is not there before there is a store", async () => {
      const page = await browser.openPage(inspector.url);
      await page.getByRole("link", { name: "Health" }).waitFor();
      expect(await page.getByRole("link", { name: "Memory" }).count()).toBe(0);
      await page.goto(`${inspector.url}#/memory`);
      await page.getByText("There is no store that the inspector may read.").waitFor();
      await store.setup();
    });

    it("goes through namespaces, searches and filters, and keeps all of it in the address", async () => {
      const facts = Array.from({ length: 120 }, (_, n) => ({
        ...{ namespace: ["users", "7", "facts"], key: `fact ${n}`, value: { text: `likes number ${n}`, n } },
      }));
      await store.putMany(facts);
      // The newest item comes first.
      await store.put(["users", "8"], HOSTILE, { text: HOSTILE });
      const page = await browser.openPage(`${inspector.url}#/memory`, {
        viewport: { width: 380, height: 700 },
      });
      await page.getByRole("list", { name: "Namespaces below" }).getByRole("link", { name: "users" }).click();
      const items = page.getByRole("list", { name: "Items" });
      await items.getByText(HOSTILE).first().waitFor();
      // Only the rows near the window exist.
      expect(await items.getByRole("listitem").count()).toBeLessThan(40);
      expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
      await expectAccessible(page);

      await page.getByRole("link", { name: "7", exact: true }).click();
      // The page replaces the form when the namespace changes. Text that was typed before would be lost.
      await page.getByRole("navigation", { name: "Namespace" }).getByRole("link", { name: "7" }).waitFor();
      await page.getByLabel("Search").fill("number 42");
      await items.getByRole("link", { name: "fact 42" }).waitFor();
      await items.getByRole("listitem").nth(1).waitFor({ state: "detached" });
      expect(await items.getByText(/score 0\.\d{3}/).count()).toBe(1);
      await page.reload();
      await items.getByRole("link", { name: "fact 42" }).waitFor();
      expect(await page.getByLabel("Search").inputValue()).toBe("number 42");
      await page.getByLabel("Search").fill("");
      await page.getByLabel("Filter").fill('{"n": {"$gte": 118}}');
      await items.getByRole("link", { name: "fact 118" }).waitFor();
      await items.getByRole("listitem").nth(2).waitFor({ state: "detached" });
      await page.getByLabel("Filter").fill('{"n": {"$near": 1}}');
      await page.getByRole("alert").getByText("$near").waitFor();
      await page.goBack();
      await items.getByText(HOSTILE).first().waitFor();
    });

    it("opens an item at an address of its own", async () => {
      await store.put(["docs"], "a/b?c", { nested: { text: "inside" } });
      const page = await browser.openPage(`${inspector.url}#/memory`);
      await page.getByRole("list", { name: "Items" }).getByRole("link", { name: "a/b?c" }).click();
      await page.getByRole("heading", { level: 1, name: "a/b?c" }).waitFor();
      await page.getByRole("tree").getByText("nested", { exact: true }).waitFor();
      await expectAccessible(page);
      await page.reload();
      await page.getByRole("tree").getByText("nested", { exact: true }).waitFor();
      await page.getByRole("link", { name: "docs" }).click();
      await page.getByRole("list", { name: "Items" }).getByRole("link", { name: "a/b?c" }).waitFor();
    });
  });
});
