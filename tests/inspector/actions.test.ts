import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { Page } from "playwright-core";
import { PostgresSaver } from "../../src/index.js";
import { expectAccessible } from "../../test-support/axe.js";
import { describeInBrowser } from "../../test-support/browser.js";
import { listIds, newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { type RunningInspector, serveInspector } from "../../test-support/serve-inspector.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";

/** The actions, and the page that each is on. */
const ACTIONS = [
  ["Copy…", "thread"],
  ["Prune…", "thread"],
  ["Delete…", "thread"],
  ["Fork…", "checkpoint"],
  ["Roll back…", "checkpoint"],
] as const;

describeAnyTarget("actions", (target) => {
  describeInBrowser("in Chromium", (browser) => {
    let saver: PostgresSaver;
    let writable: RunningInspector;
    let readOnly: RunningInspector;
    beforeAll(async () => {
      saver = new PostgresSaver((await target.migratedDatabase()).source);
      [writable, readOnly] = await Promise.all([
        serveInspector(saver, { write: true }),
        serveInspector(saver),
      ]);
    });
    afterAll(async () => {
      await Promise.all([writable.close(), readOnly.close()]);
      await saver.end();
    });

    /** Stores checkpoints with the plans A and B, and returns their ids. */
    async function twoPlans(threadId: string): Promise<readonly [a: string, b: string]> {
      const first = await putValues(saver, threadConfig(threadId), { plan: "A", tries: 1 });
      const second = await putValues(saver, first.config, { plan: "B", tries: 1 }, first.checkpoint);
      return [first.checkpoint.id, second.checkpoint.id];
    }

    const idsOf = (threadId: string) => listIds(saver.list(threadConfig(threadId)));
    const openThread = (threadId: string, { url } = writable) =>
      browser.openPage(`${url}#/thread/${encodeURIComponent(threadId)}`);
    const openCheckpoint = (threadId: string, id: string, { url } = writable) =>
      browser.openPage(`${url}#/checkpoint/${encodeURIComponent(threadId)}/${id}`);

    async function planOf(threadId: string, checkpoint_id?: string): Promise<unknown> {
      const tuple = await saver.getTuple(threadConfig(threadId, { checkpoint_id }));
      return tuple?.checkpoint.channel_values.plan;
    }

    it("forks with an edited value, after it has shown what will be stored", async () => {
      const thread = newThread();
      const [, parent] = await twoPlans(thread);
      const page = await openCheckpoint(thread, parent);
      const dialog = await openDialog(page, "Fork…");
      await dialog.getByLabel("plan").check();
      const value = dialog.getByLabel("New value of plan");
      await until(async () => (await value.inputValue()) === '"B"');
      await value.fill('"C');
      await dialog.getByText("This is not JSON").waitFor();
      expect(await dialog.getByRole("button", { name: "Check" }).isDisabled()).toBe(true);
      await value.fill('"C"');
      await dialog.getByRole("button", { name: "Check" }).click();
      const row = dialog.getByRole("row", { name: "plan" });
      expect(await row.textContent()).toMatch(/plan.*B.*C/);
      await expectAccessible(page);
      expect(await planOf(thread)).toBe("B");
      await dialog.getByRole("button", { name: "Create the checkpoint" }).click();
      await dialog.waitFor({ state: "detached" });
      const [created = ""] = await idsOf(thread);
      await page.getByRole("heading", { name: created }).waitFor();
      expect([await planOf(thread), await planOf(thread, parent)]).toEqual(["C", "B"]);
    });

    it("does not fork with values that are not checked", async () => {
      const thread = newThread();
      const [, parent] = await twoPlans(thread);
      const page = await openCheckpoint(thread, parent);
      const dialog = await openDialog(page, "Fork…");
      await dialog.getByLabel("tries").check();
      const value = dialog.getByLabel("New value of tries");
      await until(async () => (await value.inputValue()) === "1");
      await value.fill("2");
      await dialog.getByRole("button", { name: "Check" }).click();
      await dialog.getByRole("button", { name: "Create the checkpoint" }).waitFor();
      await value.fill("3");
      expect(await dialog.getByRole("button", { name: "Create the checkpoint" }).count()).toBe(0);
    });

    it("rolls back, and shows the checkpoint that is the newest now", async () => {
      const thread = newThread();
      const [first, second] = await twoPlans(thread);
      const page = await openCheckpoint(thread, first);
      const dialog = await openDialog(page, "Roll back…");
      await dialog.getByRole("button", { name: "Roll back" }).click();
      await dialog.waitFor({ state: "detached" });
      const [created = "", ...others] = await idsOf(thread);
      await page.getByRole("heading", { name: created }).waitFor();
      expect(others).toEqual([second, first]);
      expect(await planOf(thread)).toBe("A");
    });

    it("copies a thread, and shows why where it can't", async () => {
      const [thread, other] = [newThread(), newThread()];
      const ids = await twoPlans(thread);
      const [taken] = await twoPlans(other);
      const page = await openThread(thread);
      const dialog = await openDialog(page, "Copy…");
      await dialog.getByLabel("Id of the copy").fill(other);
      await dialog.getByRole("button", { name: "Copy" }).click();
      expect(await dialog.getByRole("alert").textContent()).toContain("THREAD_EXISTS");
      expect(await idsOf(other)).toContain(taken);
      await dialog.getByLabel("Id of the copy").fill(`${thread} copy`);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: `${thread} copy`, level: 1 }).waitFor();
      expect(await idsOf(`${thread} copy`)).toEqual(ids.toReversed());
    });

    it("prunes after it has shown what that frees", async () => {
      const thread = newThread();
      const ids = await twoPlans(thread);
      const page = await openThread(thread);
      const dialog = await openDialog(page, "Prune…");
      await dialog.getByLabel("newest checkpoints").fill("1");
      await page.keyboard.press("Enter");
      await dialog.getByText("This deletes 1 checkpoint, ").waitFor();
      expect(await idsOf(thread)).toHaveLength(2);
      await dialog.getByRole("button", { name: "Prune" }).click();
      await dialog.getByText("Deleted 1 checkpoint, ").waitFor();
      expect(await idsOf(thread)).toEqual(ids.slice(1));
      await dialog.getByRole("button", { name: "Close" }).click();
      await page.getByText(/^1 checkpoint, /).waitFor();
    });

    it("deletes a thread whose id was typed, and no other one", async () => {
      const [thread, other] = [newThread(), newThread()];
      await twoPlans(thread);
      await twoPlans(other);
      const page = await openThread(thread);
      const dialog = await openDialog(page, "Delete…");
      await dialog.getByRole("textbox").fill(other);
      expect(await dialog.getByRole("button", { name: "Delete for good" }).isDisabled()).toBe(true);
      await dialog.getByRole("textbox").fill(thread);
      await dialog.getByRole("button", { name: "Delete for good" }).click();
      await page.getByRole("heading", { name: "Threads" }).waitFor();
      await page.getByRole("link", { name: other }).waitFor();
      expect(await page.getByRole("link", { name: thread, exact: true }).count()).toBe(0);
      expect([await idsOf(thread), (await idsOf(other)).length]).toEqual([[], 2]);
    });

    it("changes nothing when it is cancelled, and gives the focus back", async () => {
      const thread = newThread();
      const ids = await twoPlans(thread);
      const pages = { thread: await openThread(thread), checkpoint: await openCheckpoint(thread, ids[0]) };
      for (const [name, page] of ACTIONS.map(([name, where]) => [name, pages[where]] as const)) {
        const dialog = await openDialog(page, name);
        await expectAccessible(page);
        await page.keyboard.press("Escape");
        await dialog.waitFor({ state: "detached" });
        expect(await page.evaluate("document.activeElement.textContent")).toBe(name);
        await (await openDialog(page, name)).getByRole("button", { name: "Cancel" }).click();
        await dialog.waitFor({ state: "detached" });
      }
      expect(await idsOf(thread)).toEqual(ids.toReversed());
    });

    it("has no actions for who may only read", async () => {
      const thread = newThread();
      const [id] = await twoPlans(thread);
      const pages = [await openThread(thread, readOnly), await openCheckpoint(thread, id, readOnly)];
      for (const page of pages) {
        await page.getByRole("heading", { level: 1 }).waitFor();
        expect(await page.getByRole("button", { name: /^(?!Export).*…$/ }).count()).toBe(0);
      }
    });

    async function openDialog(page: Page, name: string) {
      await page.getByRole("button", { name }).click();
      const dialog = page.getByRole("dialog");
      await dialog.waitFor();
      return dialog;
    }
  });
});
