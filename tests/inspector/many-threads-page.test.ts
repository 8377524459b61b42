import { readFile } from "node:fs/promises";
import { AIMessage } from "@langchain/core/messages";
import { expect, it } from "@jest/globals";
import { Annotation, START, StateGraph } from "@langchain/langgraph";
import type { Locator, Page } from "playwright-core";
import type { InspectorAudit, InspectorOptions } from "../../src/inspector/index.js";
import type { PostgresSaver } from "../../src/index.js";
import { expectAccessible } from "../../test-support/axe.js";
import { describeInBrowser } from "../../test-support/browser.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { serveInspector } from "../../test-support/serve-inspector.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { useInspector } from "../../test-support/use-inspector.js";

const State = Annotation.Root({ mail: Annotation<string> });

describeAnyTarget("many threads", (target) => {
  describeInBrowser("in Chromium", (browser) => {
    const inspected = useInspector(target);
    let isDown = true;
    /** What a node waits for before it ends. */
    let held = Promise.resolve();

    function mailGraph(checkpointer: PostgresSaver) {
      return new StateGraph(State)
        .addNode("send", async () => {
          if (isDown) throw new Error("the mail server is down");
          await held;
          return { mail: "sent" };
        })
        .addEdge(START, "send")
        .compile({ checkpointer });
    }

    /** Fails threads, and opens the list of these. */
    async function openFailed(ids: readonly string[], options: Partial<InspectorOptions> = {}) {
      isDown = true;
      const graph = mailGraph(inspected.saver);
      for (const id of ids) await graph.invoke({ mail: "" }, threadConfig(id)).catch(() => undefined);
      isDown = false;
      return openList(ids[0]?.slice(0, 3) ?? "", { graphs: { mail: graph }, ...options });
    }

    async function openList(prefix: string, options: Partial<InspectorOptions>) {
      const inspector = await serveInspector(inspected.saver, { write: true, ...options });
      const page = await browser.openAlone(`${inspector.url}#/threads?search=${prefix}`);
      await page.getByRole("table").waitFor();
      let clicks = 0;
      const click = async (button: Locator): Promise<void> => {
        clicks += 1;
        await button.click();
      };
      return { page, click, clicks: () => clicks, [Symbol.asyncDispose]: () => inspector.close() };
    }

    const results = (page: Page) =>
      page.getByRole("list", { name: "Results" }).getByRole("listitem").allInnerTexts();

    it("are retried in four clicks, one after another, each audited by itself, with a result for each", async () => {
      const audited: InspectorAudit[] = [];
      const audit = (event: InspectorAudit) => void audited.push(event);
      await using list = await openFailed(["r1-a", "r1-b", "r1-c"], { audit });
      const { page, click } = list;
      await click(page.getByRole("link", { name: /^Failed \d/ }));
      await click(page.getByRole("checkbox", { name: "Select all that are shown" }));
      await expectAccessible(page);
      await click(page.getByRole("button", { name: "Retry failed (3)…" }));
      await click(page.getByRole("button", { name: "Retry 3 threads" }));
      await page.getByText("3 of 3. Finished.").waitFor();
      expect(list.clicks()).toBe(4);
      expect(await results(page)).toEqual(["r1-c done", "r1-b done", "r1-a done"]);
      await expectAccessible(page);
      expect(audited.map(({ operation, phase, details }) => [operation, phase, details.threadId])).toEqual(
        ["r1-c", "r1-b", "r1-a"].flatMap((id) => [
          ["run", "begins", id],
          ["run", "done", id],
        ]),
      );
      await page.getByRole("button", { name: "Close" }).click();
      await page.getByText("No thread matches.").waitFor();
    });

    it("go on with the graph that a person chooses once, where nothing tells which it is", async () => {
      const graphs = { first: mailGraph(inspected.saver), second: mailGraph(inspected.saver) };
      await using list = await openFailed(["r2-a", "r2-b"], { graphs });
      const { page } = list;
      await page.getByRole("checkbox", { name: "Select all that are shown" }).click();
      await page.getByRole("button", { name: "Retry failed (2)…" }).click();
      await page.getByRole("button", { name: "Retry 2 threads" }).click();
      await page.getByLabel("Graph of the threads that do not tell theirs").selectOption("second");
      await page.getByRole("button", { name: "Run 2 threads with it" }).click();
      await page.getByRole("list", { name: "Results" }).getByText("done").nth(1).waitFor();
      expect(await results(page)).toEqual(["r2-b done", "r2-a done"]);
    });

    it("are stopped after the thread that is worked on", async () => {
      let release = (): void => undefined;
      held = new Promise((resolve) => {
        release = resolve;
      });
      await using list = await openFailed(["r3-a", "r3-b"]);
      const { page } = list;
      await page.getByRole("checkbox", { name: "Select all that are shown" }).click();
      await page.getByRole("button", { name: "Retry failed (2)…" }).click();
      await page.getByRole("button", { name: "Retry 2 threads" }).click();
      await page.getByText("0 of 2").waitFor();
      await page.getByRole("button", { name: "Stop" }).click();
      await page.getByRole("button", { name: "Stops after this thread" }).waitFor();
      release();
      held = Promise.resolve();
      await page.getByText("1 of 2. Stopped.").waitFor();
      expect(await results(page)).toEqual(["r3-b done", "r3-a not yet"]);
    });

    it("are deleted only when the count is typed, by the keyboard, and the others stay", async () => {
      for (const id of ["d-1", "d-2", "d-3", "d-4"]) await putValues(inspected.saver, threadConfig(id), {});
      await using list = await openList("d-", {});
      const { page } = list;
      await page.getByRole("checkbox", { name: "Select d-4" }).click();
      await page.getByRole("checkbox", { name: "Select d-2" }).click({ modifiers: ["Shift"] });
      await page.getByText("3 threads selected").waitFor();
      await page.getByRole("button", { name: "Delete (3)…" }).press("Enter");
      const dialog = page.getByRole("dialog", { name: "Delete 3 threads" });
      const submit = dialog.getByRole("button", { name: "Delete 3 threads" });
      expect(await submit.isDisabled()).toBe(true);
      await expectAccessible(page);
      await dialog.getByRole("textbox").fill("3");
      await page.keyboard.press("Enter");
      await page.getByText("3 of 3. Finished.").waitFor();
      expect(await results(page)).toEqual(["d-4 ok", "d-3 ok", "d-2 ok"]);
      await page.keyboard.press("Enter");
      await page.getByRole("link", { name: "d-1" }).waitFor();
      await page.getByRole("link", { name: "d-2" }).waitFor({ state: "detached" });
    });

    it("are saved as one file, and nothing else is offered to those who may only read", async () => {
      for (const [id, text] of [
        ["e-1", "one"],
        ["e-2", "two"],
      ] as const)
        await putValues(inspected.saver, threadConfig(id), { messages: [new AIMessage(text)] });
      await putValues(inspected.saver, threadConfig("e-3", { checkpoint_ns: "sub:1" }), {});
      await using list = await openList("e-", { write: false });
      const { page } = list;
      await page.getByRole("checkbox", { name: "Select all that are shown" }).click();
      const offered = page.getByRole("region", { name: "Selected threads" }).getByRole("button");
      expect(await offered.allInnerTexts()).toEqual(["Export (3)…", "Clear"]);
      await page.getByRole("button", { name: "Export (3)…" }).click();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Export 3 threads" }).click(),
      ]);
      expect(download.suggestedFilename()).toBe("threads.md");
      const text = await readFile(await download.path(), "utf8");
      expect(text.match(/Thread: `e-\d`|^> (?:one|two)$/gm)).toEqual([
        "Thread: `e-2`",
        "> two",
        "Thread: `e-1`",
        "> one",
      ]);
      await page.getByText("3 of 3, 1 not. Finished.").waitFor();
      expect((await results(page))[0]).toMatch(/^e-3 .*no checkpoint/);
    });
  });
});
