import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
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
  ["Change values…", "checkpoint"],
  ["Undo everything after this…", "checkpoint"],
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

    it("stores a changed value as the step after, and keeps the others", async () => {
      const thread = newThread();
      const [, parent] = await twoPlans(thread);
      const page = await openCheckpoint(thread, parent);
      const dialog = await openDialog(page, "Change values…");
      const store = dialog.getByRole("button", { name: "Store", exact: true });
      expect(await store.isDisabled()).toBe(true);
      await dialog.getByLabel("plan").check();
      const value = dialog.getByLabel("New value of plan");
      await until(async () => (await value.inputValue()) === '"B"');
      await value.fill('"C');
      await dialog.getByText("This is not JSON").waitFor();
      expect(await store.isDisabled()).toBe(true);
      await value.fill('"C"');
      await expectAccessible(page);
      expect(await planOf(thread)).toBe("B");
      await store.click();
      await dialog.waitFor({ state: "detached" });
      await page.getByRole("heading", { name: thread, level: 1 }).waitFor();
      expect([await planOf(thread), await planOf(thread, parent)]).toEqual(["C", "B"]);
    });

    it("goes back to a message, changes it and continues, in four clicks", async () => {
      const thread = newThread();
      const agent = new StateGraph(MessagesAnnotation)
        .addNode("model", ({ messages }) => ({ messages: new AIMessage(`The weather in ${messages.at(-1)?.text ?? ""}`) }))
        .addEdge(START, "model")
        .compile({ checkpointer: saver });
      await agent.invoke({ messages: [new HumanMessage("Paris")] }, threadConfig(thread));
      const running = await serveInspector(saver, { write: true, graphs: { agent } });
      const page = await openThread(thread, running);
      await page.getByText("The weather in Paris").waitFor();
      await page.evaluate("globalThis.clicks = 0; addEventListener('pointerdown', () => { clicks += 1; }, true)");
      await page.getByRole("button", { name: /^step 0/ }).click();
      await page.getByRole("heading", { name: "Step 0" }).waitFor();
      await page.getByRole("button", { name: "Change values and continue…" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("messages").check();
      const text = dialog.getByLabel("1. Human");
      await until(async () => (await text.inputValue()) === "Paris");
      await text.fill("Rome");
      await dialog.getByText("Runs next: model").waitFor();
      await expectAccessible(page);
      await dialog.getByRole("button", { name: "Store and run" }).click();
      await page.getByText("The weather in Rome").waitFor();
      expect(await page.evaluate("clicks")).toBe(4);
      await page.getByRole("button", { name: "1 other branch from here" }).waitFor();
      await running.close();
    }); // oxfmt-ignore

    it("changes the arguments of a call before its tool runs, and stores none that are no JSON", async () => {
      const thread = newThread();
      const args = { euros: 24 };
      const agent = new StateGraph(MessagesAnnotation)
        .addNode("model", () => ({ messages: new AIMessage({ content: "I pay.", tool_calls: [{ id: "c1", name: "pay", args }] }) }))
        .addNode("tools", ({ messages }) => ({
          messages: new ToolMessage({ tool_call_id: "c1", name: "pay", content: `paid ${JSON.stringify(AIMessage.isInstance(messages[1]) ? messages[1].tool_calls?.[0]?.args : "")}` }),
        }))
        .addEdge(START, "model")
        .addEdge("model", "tools")
        .compile({ checkpointer: saver });
      await agent.invoke({ messages: [new HumanMessage("Pay.")] }, threadConfig(thread));
      const running = await serveInspector(saver, { write: true, graphs: { agent } });
      const page = await openThread(thread, running);
      await page.getByRole("button", { name: /^step 1/ }).click();
      await page.getByRole("heading", { name: "Step 1" }).waitFor();
      const dialog = await openDialog(page, "Change values and continue…");
      await dialog.getByLabel("messages").check();
      const field = dialog.getByLabel("Call of pay, arguments as JSON");
      await field.fill('{"euros":');
      const submit = dialog.getByRole("button", { name: "Store and run" });
      await submit.click();
      await dialog.getByText("This is not JSON").waitFor();
      expect(await idsOf(thread)).toHaveLength(4);
      await field.fill('{"euros": 12}');
      await submit.click();
      await page.getByText('paid {"euros":12}').first().waitFor();
      await running.close();
    }); // oxfmt-ignore

    it("does not say that a run has ended where the thread waits again", async () => {
      const thread = newThread();
      const agent = new StateGraph(MessagesAnnotation)
        .addNode("ask", () => ({ messages: [String(interrupt("Really?")), String(interrupt("Sure?"))] }))
        .addEdge(START, "ask")
        .compile({ checkpointer: saver });
      await agent.invoke({ messages: [] }, threadConfig(thread));
      const running = await serveInspector(saver, { write: true, graphs: { agent } });
      const page = await openThread(thread, running);
      await page.getByLabel("Your answer").fill("yes");
      await page.getByRole("button", { name: "Send as text" }).click();
      await page.getByText("The run has stopped to ask.").waitFor();
      await page.getByText("Sure?").first().waitFor();
      expect(await page.getByText("has ended").count()).toBe(0);
      await running.close();
    });

    it("undoes what came after a step, after it has said how much that is", async () => {
      const thread = newThread();
      const [first, second] = await twoPlans(thread);
      const page = await openCheckpoint(thread, first);
      const dialog = await openDialog(page, "Undo everything after this…");
      await dialog.getByText("It leaves 1 later step,").waitFor();
      await dialog.getByRole("button", { name: "Undo", exact: true }).click();
      await dialog.waitFor({ state: "detached" });
      await page.getByRole("heading", { name: thread, level: 1 }).waitFor();
      const [, ...others] = await idsOf(thread);
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
      await page.locator(`[data-thread="${other}"]`).waitFor();
      expect(await page.locator(`[data-thread="${thread}"]`).count()).toBe(0);
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
        expect(await page.getByRole("button", { name: /^(?!Export|Compare).*…$/ }).count()).toBe(0);
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
