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
    let writable: RunningInspector;
    beforeAll(async () => {
      const { source } = await target.migratedDatabase();
      saver = new PostgresSaver(source);
      store = new PostgresStore(source);
      [inspector, writable] = await Promise.all([
        serveInspector(saver),
        serveInspector(saver, { write: true }),
      ]);
    });
    afterAll(async () => {
      await Promise.all([inspector.close(), writable.close()]);
      await store.end();
      await saver.end();
    });

    it("is not there before there is a store", async () => {
      const page = await browser.openPage(inspector.url);
      await page.getByRole("link", { name: "Health" }).waitFor();
      expect(await page.getByRole("link", { name: "Store", exact: true }).count()).toBe(0);
      await page.goto(`${inspector.url}#/memory`);
      await page.getByText("There is no store that the inspector may read.").waitFor();
      await store.setup();
    });

    it("says how to get the first item", async () => {
      const page = await browser.openPage(`${inspector.url}#/memory`);
      await page.getByText("await store.put(").waitFor();
      const link = page.getByRole("link", { name: "store.md" });
      expect(await link.getAttribute("href")).toMatch(/^https:.*\/docs\/store\.md$/);
      await expectAccessible(page);
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

    const openItem = async (namespace: string, key: string, { url } = writable) => {
      const page = await browser.openPage(`${url}#/memory/${namespace}/${key}`, {
        viewport: { width: 390, height: 800 },
      });
      await page.getByRole("tree").waitFor();
      return page;
    };

    it("edits an item with 3 clicks from the list", async () => {
      await store.put(["edits"], "k", { text: "green" }, undefined, { ttl: 90 });
      const page = await browser.openPage(`${writable.url}#/memory?ns=edits`);
      await page.getByRole("list", { name: "Items" }).getByText("expires in 1 hour").waitFor();
      await page.getByRole("list", { name: "Items" }).getByRole("link", { name: "k" }).click();
      await page.getByText("Version 1, ").waitFor();
      await page.getByRole("button", { name: "Edit…" }).click();
      const dialog = page.getByRole("dialog");
      const value = dialog.getByLabel("Value, as a JSON object");
      const submit = dialog.getByRole("button", { name: "Store" });
      expect(await value.inputValue()).toBe('{\n  "text": "green"\n}');
      await value.fill("[1]");
      await dialog.getByText("Give an object").waitFor();
      expect(await submit.isDisabled()).toBe(true);
      await value.fill('{"text": "black"}');
      await expectAccessible(page);
      await submit.click();
      await page.getByText("Version 2, ").waitFor();
      await page.getByRole("tree").getByText("black").first().waitFor();
      expect(await store.get(["edits"], "k")).toMatchObject({
        ...{ value: { text: "black" }, version: 2, expiresAt: expect.any(Date) },
      });
    });

    it("says in one message that someone else was faster, and why it can't edit a value", async () => {
      await store.put(["edits"], "raced", { text: "green" });
      const page = await openItem("edits", "raced");
      await page.getByRole("button", { name: "Edit…" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Value, as a JSON object").fill('{"text": "mine"}');
      await store.put(["edits"], "raced", { text: "theirs" });
      await dialog.getByRole("button", { name: "Store" }).click();
      await dialog.getByRole("alert").getByText("Someone else has changed or deleted this item").waitFor();
      expect((await store.get(["edits"], "raced"))?.value).toEqual({ text: "theirs" });
      await dialog.getByRole("button", { name: "Cancel" }).click();
      // The dialog begins again with what is stored now.
      await page.getByRole("button", { name: "Edit…" }).click();
      await dialog.getByLabel("Value, as a JSON object").fill('{"text": "both"}');
      await dialog.getByRole("button", { name: "Store" }).click();
      await page.getByText("Version 3, ").waitFor();

      await store.put(["edits"], "bytes", { of: new Uint8Array([1]) });
      const other = await openItem("edits", "bytes");
      await other.getByRole("button", { name: "Edit…" }).click();
      await other
        .getByRole("dialog")
        .getByText("an object of class Uint8Array, which JSON can't show")
        .waitFor();
      expect(await other.getByRole("dialog").getByRole("button", { name: "Store" }).isDisabled()).toBe(true);
      await expectAccessible(other);
    });

    it("deletes an item with 3 clicks from the list", async () => {
      await store.put(["deletes"], "k", { text: "green" });
      await store.put(["deletes"], "other", { text: "green" });
      const page = await browser.openPage(`${writable.url}#/memory?ns=deletes`);
      await page.getByRole("list", { name: "Items" }).getByRole("link", { name: "k" }).click();
      await page.getByRole("button", { name: "Delete…" }).click();
      await expectAccessible(page);
      await page.getByRole("dialog").getByRole("button", { name: "Delete for good" }).click();
      await page.getByText("1 item").waitFor();
      expect((await store.search(["deletes"])).map(({ key }) => key)).toEqual(["other"]);
    });

    it("creates an item in the namespace that is shown, and replaces none", async () => {
      await store.put(["creates", "x"], "taken", { text: "green" });
      const page = await browser.openPage(`${writable.url}#/memory?ns=creates.x`, {
        viewport: { width: 390, height: 800 },
      });
      await page.getByRole("button", { name: "New item…" }).click();
      const dialog = page.getByRole("dialog");
      expect(await dialog.getByLabel("Namespace").inputValue()).toBe("creates.x");
      await dialog.getByLabel("Key").fill("taken");
      await dialog.getByLabel("Value, as a JSON object").fill('{"text": "black"}');
      await dialog.getByRole("button", { name: "Store" }).click();
      await dialog.getByRole("alert").getByText("There is such an item already").waitFor();
      await expectAccessible(page);
      await dialog.getByLabel("Key").fill("new");
      await dialog.getByLabel("Time to live").fill("90");
      await dialog.getByRole("button", { name: "Store" }).click();
      await page.getByRole("heading", { level: 1, name: "new" }).waitFor();
      await page.getByText("expires in 1 hour").waitFor();
      expect((await store.get(["creates", "x"], "taken"))?.value).toEqual({ text: "green" });
      expect((await store.get(["creates", "x"], "new"))?.value).toEqual({ text: "black" });
    });

    it("has no actions for who may only read", async () => {
      await store.put(["reads"], "k", { text: "green" });
      const page = await openItem("reads", "k", inspector);
      expect(await page.getByRole("button", { name: "…" }).count()).toBe(0);
      await page.goto(`${inspector.url}#/memory`);
      await page.getByRole("heading", { name: "Store" }).waitFor();
      expect(await page.getByRole("button", { name: "…" }).count()).toBe(0);
    });
  });
});
