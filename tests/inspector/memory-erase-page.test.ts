import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { Page } from "playwright-core";
import { PostgresSaver } from "../../src/index.js";
import type { InspectorAudit } from "../../src/inspector/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { expectAccessible } from "../../test-support/axe.js";
import { describeInBrowser } from "../../test-support/browser.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { type RunningInspector, serveInspector } from "../../test-support/serve-inspector.js";
import { describeAnyTarget } from "../../test-support/targets.js";

const HOSTILE = "<img src=x onerror=alert(1)>\u202E";
const PHONE = { viewport: { width: 390, height: 800 } };

describeAnyTarget("what a person erases", (target) => {
  describeInBrowser("in Chromium", (browser) => {
    let saver: PostgresSaver;
    let store: PostgresStore;
    let inspector: RunningInspector;
    let audited: InspectorAudit[] = [];
    beforeAll(async () => {
      const { source } = await target.migratedDatabase();
      saver = new PostgresSaver(source, undefined, { metadataFromConfig: ["user_id"] });
      store = new PostgresStore(source);
      await store.setup();
      const audit = (event: InspectorAudit): void => void audited.push(event);
      inspector = await serveInspector(saver, { write: true, audit });
    });
    afterAll(async () => {
      await inspector.close();
      await store.end();
      await saver.end();
    });

    const noSideways = async (page: Page): Promise<void> => {
      expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
    };

    it("is a namespace with 2 clicks, whose items are shown and whose number is typed", async () => {
      for (const key of ["a", "b"]) await store.put(["notes", HOSTILE], key, { text: "green" });
      await store.put(["notes", HOSTILE, "old"], "c", { text: "green" });
      await store.put(["notes"], "kept", { text: "green" });
      const ns = encodeURIComponent(`notes.${HOSTILE}`);
      const page = await browser.openPage(`${inspector.url}#/memory?ns=${ns}`, PHONE);
      await page.getByRole("button", { name: "Delete namespace…" }).click();
      const dialog = page.getByRole("dialog", { name: "Delete this namespace" });
      const submit = dialog.getByRole("button", { name: "Delete 3 items for good" });
      await dialog.getByText("2 items: a, b").waitFor();
      await dialog.getByLabel("Type the number of items, 3").fill("2");
      expect(await submit.isDisabled()).toBe(true);
      await expectAccessible(page);
      await noSideways(page);
      // Somebody stores one more: nothing is deleted, and the person sees what there is now.
      await store.put(["notes", HOSTILE], "d", { text: "green" });
      await dialog.getByLabel("Type the number").fill("3");
      await submit.click();
      await dialog.getByRole("alert").getByText("4 items by now").waitFor();
      await dialog.getByLabel("Type the number of items, 4").fill("4");
      await dialog.getByRole("button", { name: "Delete 4 items for good" }).click();
      await dialog.waitFor({ state: "detached" });
      await page.getByText("1 item", { exact: true }).waitFor();
      expect((await store.search([])).map(({ key }) => key)).toEqual(["kept"]);
    });

    it("are the threads and items of a user with 3 clicks, each told to the application", async () => {
      const config = (thread: string, user_id: string) => ({
        configurable: { ...threadConfig(thread).configurable, user_id },
      });
      for (const [thread, user] of [["t1", "ada-7"], ["t2", "ada-7"], ["t3", "bob"]] as const)
        await putValues(saver, config(thread, user), { plan: "A" });
      await store.put(["users", "ada-7"], "name", { text: "Ada" });
      await store.put(["users", "ada-7", "likes"], "tea", { text: "green" });
      await store.put(["drafts", "ada-7"], "letter", { text: "Dear" });
      await store.put(["users", "bob"], "name", { text: "Bob" });
      audited = [];
      const page = await browser.openPage(`${inspector.url}#/threads`, PHONE);
      await page.getByRole("button", { name: "Erase a person…" }).click();
      const dialog = page.getByRole("dialog", { name: "Erase a person" });
      // As the metadata of the threads has it.
      const key = dialog.getByLabel("Key of the metadata");
      await dialog.getByText("Items are found by namespaces").waitFor();
      expect(await key.inputValue()).toBe("user_id");
      await dialog.getByLabel("Id of the person").fill("ada-7");
      await dialog.getByRole("button", { name: "Show what there is" }).click();
      await dialog.getByText("2 threads", { exact: true }).waitFor();
      expect(await dialog.getByRole("listitem").allInnerTexts()).toEqual([
        expect.stringMatching(/drafts \/ ada-7\s+1 item: letter/),
        expect.stringMatching(/users \/ ada-7\s+2 items: name, …/),
      ]);
      await expectAccessible(page);
      await noSideways(page);
      // What is not the person's stays.
      await dialog.getByLabel("drafts / ada-7").uncheck();
      const submit = dialog.getByRole("button", { name: "Erase 2 threads and 2 items" });
      expect(await submit.isDisabled()).toBe(true);
      await dialog.getByLabel("Type the id of the person again").fill("ada-7");
      await submit.click();
      await dialog.getByText("Erased: 2 threads and 2 items").waitFor();
      await expectAccessible(page);
      expect((await saver.listThreads()).map(({ threadId }) => threadId)).toEqual(["t3"]);
      expect((await store.listNamespaces()).map((labels) => labels.join("."))).toEqual(
        expect.arrayContaining(["drafts.ada-7", "users.bob"]),
      );
      expect(await store.count(["users", "ada-7"])).toBe(0);
      expect(audited.map(({ phase, operation }) => `${phase} ${operation}`)).toEqual(
        ["deleteThread", "deleteThread", "deleteItems"].flatMap((name) => [`begins ${name}`, `done ${name}`]),
      );
      await dialog.getByRole("button", { name: "Close" }).click();
      await page.getByText("t1").waitFor({ state: "detached" });
    }); // oxfmt-ignore

    it("says what could not be erased, and that there is nothing of an id", async () => {
      await store.put(["users", "carl"], "name", { text: "Carl" });
      const page = await browser.openPage(`${inspector.url}#/memory`);
      await page.getByRole("button", { name: "Erase a person…" }).click();
      const dialog = page.getByRole("dialog", { name: "Erase a person" });
      await dialog.getByLabel("Id of the person").fill(HOSTILE);
      await dialog.getByText("Items are found by namespaces").waitFor();
      await page.keyboard.press("Enter");
      await dialog.getByText("There is nothing of").waitFor();
      await dialog.getByRole("button", { name: "Look for another id" }).click();
      await dialog.getByLabel("Id of the person").fill("carl");
      await page.keyboard.press("Enter");
      await dialog.getByText("1 item: name").waitFor();
      await store.put(["users", "carl"], "other", { text: "Carl" });
      await dialog.getByLabel("Type the id of the person again").fill("carl");
      await page.keyboard.press("Enter");
      await dialog.getByText("1 deletion failed").waitFor();
      await dialog.getByRole("alert").getByText("2 items by now").waitFor();
      expect(await store.count(["users", "carl"])).toBe(2);
    });
  });
});
