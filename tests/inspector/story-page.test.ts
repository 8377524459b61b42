import { expect, it } from "@jest/globals";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Annotation, Command, interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import type { Locator, Page } from "playwright-core";
import { expectAccessible } from "../../test-support/axe.js";
import { describeInBrowser } from "../../test-support/browser.js";
import { listIds, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";
import { useInspector } from "../../test-support/use-inspector.js";

const Log = Annotation.Root({
  log: Annotation<string[]>({ reducer: (before, more) => [...before, ...more], default: () => [] }),
});
const REASON = `the model refuses more than 8,192 tokens\n${"A long reason. ".repeat(1_000)}The end.`;
const NARROW = { viewport: { width: 390, height: 844 } };

describeAnyTarget("the story on the thread page", (target) => {
  describeInBrowser("in Chromium", (browser) => {
    const inspected = useInspector(target);
    const checkpointer = () => inspected.saver;

    /** Looks something up, and pays if a person agrees. */
    function agent() {
      const answers = [
        { id: "a1", content: "I look.", tool_calls: [{ id: "c1", name: "look_up", args: { order: 7 } }] },
        { id: "a2", content: "I pay.", tool_calls: [{ id: "c2", name: "pay", args: { euros: 24 } }] },
        { id: "a3", content: "Done." },
      ];
      return new StateGraph(MessagesAnnotation)
        .addNode("model", ({ messages }) => ({
          messages: Object.assign(new AIMessage(answers[(messages.length - 1) / 2] ?? "Done."), {
            usage_metadata: { input_tokens: 1_200, output_tokens: 30, total_tokens: 1_230 },
          }),
        }))
        .addNode("tools", ({ messages }) => {
          const name = messages.length === 2 ? "look_up" : "pay";
          const content = name === "pay" ? String(interrupt({ question: "Pay 24 € back?", euros: 24 })) : "2 cups";
          return { messages: new ToolMessage({ tool_call_id: name === "pay" ? "c2" : "c1", name, content }) };
        })
        .addEdge(START, "model")
        .addConditionalEdges("model", ({ messages }) => (messages.length < 6 ? "tools" : "__end__"))
        .addEdge("tools", "model")
        .compile({ checkpointer: checkpointer() });
    } // oxfmt-ignore

    const ask = (thread: string) => agent().invoke({ messages: [new HumanMessage("One cup is missing.")] }, threadConfig(thread)); // oxfmt-ignore

    async function fail(thread: string): Promise<void> {
      const inner = new StateGraph(Log)
        .addNode("load", () => ({ log: ["loaded"] }))
        .addNode("summarize", (): { log: string[] } => {
          throw new RangeError(REASON);
        })
        .addEdge(START, "load")
        .addEdge("load", "summarize")
        .compile();
      const graph = new StateGraph(Log)
        .addNode("report", inner)
        .addEdge(START, "report")
        .compile({ checkpointer: checkpointer() });
      await graph.invoke({ log: [] }, threadConfig(thread)).catch(() => undefined);
    }

    async function openStory(thread: string, params = "", options = {}): Promise<Page> {
      const page = await browser.openPage(`${inspected.url}#/thread/${thread}${params}`, options);
      await stepsOf(page).first().waitFor();
      return page;
    }

    it("says with 0 clicks why a run failed: the node and the message, whose rest takes one", async () => {
      await fail("failed");
      const page = await openStory("failed");
      const notice = noticeOf(page);
      await notice.getByRole("heading", { name: "Failed in report" }).waitFor();
      await notice.getByText("the model refuses more than 8,192 tokens").waitFor();
      expect(await notice.innerText()).toContain("RangeError");
      await expectAccessible(page);
      expect(await notice.innerText()).not.toContain("The end.");
      await notice.getByRole("button", { name: /Show the rest/ }).click();
      await notice.getByText("The end.").waitFor();
    });

    it("says with 0 clicks what a person must approve, on a small screen too", async () => {
      await ask("asking");
      for (const options of [{}, NARROW]) {
        const page = await openStory("asking", "", options);
        const notice = noticeOf(page);
        await notice.getByText("Pay 24 € back?").waitFor();
        const asked = page.getByRole("region", { name: "Let the thread go on" });
        await asked.getByText("Pay 24 € back?").waitFor();
        expect(await asked.innerText()).toMatch(/Pay 24 € back\?\s+euros\s+24$/);
        await page.getByRole("article", { name: "Message 4, Assistant" }).waitFor();
        await expectAccessible(page);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
          page.viewportSize()?.width ?? 0,
        );
      }
    });

    it("shows the steps of a run, and marks in the conversation what the selected one added", async () => {
      await ask("marked");
      await agent().invoke(new Command({ resume: "yes" }), threadConfig("marked"));
      const page = await openStory("marked");
      await chosenIn(page, "Message 6, Assistant").waitFor();
      expect(await noticeOf(page).count()).toBe(0);
      const shown = (await page.getByRole("region", { name: "Steps" }).innerText()).replace(/\s+/g, " ");
      expect(shown).toMatch(/step 5 model .* 1,200 tokens in, 30 out \+ 1 message Open checkpoint Changes Writes/);
      expect(shown).toMatch(/step 4 tools .* with the wait for an answer ✓ done tool pay \+ 1 message Asked: Pay 24 € back\? Answered: yes/);
      expect(shown).toMatch(/step 3 model .* calls calls tool pay/);
      await stepOf(page, /^step 2 tools/).click();
      await chosenIn(page, "Message 3, Tool").waitFor();
      expect(page.url()).toMatch(/at=[0-9a-f-]+$/);
      await page.getByRole("article", { name: "Message 4, Assistant" }).getByRole("link", { name: "Step 3" }).click();
      await chosenIn(page, "Message 4, Assistant").waitFor();
      await stepOf(page, /^step 2 tools/).click();
      await chosenIn(page, "Message 3, Tool").waitFor();
      await page.keyboard.press("ArrowDown");
      await chosenIn(page, "Message 2, Assistant").waitFor();
      await page.keyboard.press("End");
      await page.getByText("The input added none.").waitFor();
      await page.keyboard.press("ArrowUp");
      await chosenIn(page, "Message 1, Human").waitFor();
      await page.getByRole("slider", { name: "Checkpoint of the branch" }).press("ArrowRight");
      await chosenIn(page, "Message 2, Assistant").waitFor();
      await page.getByRole("link", { name: "Writes" }).click();
      await page.getByRole("tab", { name: "Writes", selected: true }).waitFor();
    }); // oxfmt-ignore

    it("keeps a key that was pressed before the browser has reported the new address", async () => {
      await ask("pressed");
      const page = await openStory("pressed");
      await stepOf(page, /^step 1 model/).click();
      await page.waitForURL(/at=/);
      await page.evaluate(() => {
        const press = (): void => {
          const key = new KeyboardEvent("keydown", { key: "ArrowUp", bubbles: true });
          document.activeElement?.dispatchEvent(key);
        };
        const pressSoon = (): void => {
          queueMicrotask(press);
        };
        navigation.addEventListener("navigate", pressSoon, { once: true });
      });
      await page.keyboard.press("End");
      await page.getByText("Step 0 added 1 message.").waitFor();
    });

    it("keeps a key that was pressed before the browser has reported the address of a click", async () => {
      await ask("clicked");
      const page = await openStory("clicked");
      await stepOf(page, /^step 1 model/).waitFor();
      await page.evaluate(() => {
        const press = (): void => {
          const key = new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true });
          document.activeElement?.dispatchEvent(key);
        };
        const pressSoon = (): void => {
          queueMicrotask(press);
        };
        navigation.addEventListener("navigate", pressSoon, { once: true });
      });
      await stepOf(page, /^step 1 model/).click();
      await page.getByText("Step 0 added 1 message.").waitFor();
    });

    it("follows a run: steps, the question and its answer appear while the page is open", async () => {
      await ask("live");
      const page = await openStory("live");
      await noticeOf(page).waitFor();
      await agent().invoke(new Command({ resume: "yes" }), threadConfig("live"));
      await stepOf(page, /^step 5 model/).waitFor();
      await noticeOf(page).waitFor({ state: "detached" });
      await chosenIn(page, "Message 6, Assistant").waitFor();
    });

    it("folds the run of a subgraph into the step that called it, with what failed there", async () => {
      await fail("nested");
      const page = await openStory("nested");
      await page.getByText("Subgraph report").click();
      await page.getByText("load", { exact: true }).waitFor();
      await page.getByText("Failed in summarize").waitFor();
      await expectAccessible(page);
      await page.getByRole("link", { name: "Open the subgraph" }).click();
      await page.waitForURL(/ns=report%3A/);
      await noticeOf(page).getByRole("heading", { name: "Failed in summarize" }).waitFor();
    });

    it("says to whom an agent of a swarm has handed over, and of no failure", async () => {
      const agentThat = (name: string, ends: () => object) =>
        new StateGraph(MessagesAnnotation).addNode("work", ends).addEdge(START, "work").compile({ name });
      const handsOver = () => new Command({ graph: Command.PARENT, goto: "bob", update: {} });
      const swarm = new StateGraph(MessagesAnnotation)
        .addNode("alice", agentThat("alice", handsOver), { ends: ["bob"] })
        .addNode("bob", agentThat("bob", () => ({ messages: [new AIMessage("Done.")] })))
        .addEdge(START, "alice")
        .compile({ checkpointer: checkpointer() });
      await swarm.invoke({ messages: [new HumanMessage("hi")] }, threadConfig("swarm"));
      const page = await openStory("swarm");
      await page.getByText(/Subgraph alice 2 checkpoints handed over to bob/).click();
      await page.getByText("Handed over to the parent graph").waitFor();
      expect(await page.getByText(/fail|ParentCommand/i).count()).toBe(0);
      await expectAccessible(page);
    }); // oxfmt-ignore

    it("compares two steps in two clicks, or by the keyboard, without an id", async () => {
      await fail("compared");
      const page = await openStory("compared");
      const clicks = await countClicks(page);
      await page.getByRole("button", { name: "Compare with…" }).click();
      await page.getByText("Choose the step to compare Step 0 with.").waitFor();
      await expectAccessible(page);
      await stepOf(page, /Input/).click();
      await page.getByText(/From the step before to this one: \d+ values? changed/).waitFor();
      expect([await clicks(), await page.getByRole("tab", { name: "Changes", selected: true }).count()]).toEqual([2, 1]);
      await page.goBack();
      await page.getByRole("button", { name: "Compare with…" }).press("Enter");
      await stepOf(page, /^step 0/).and(page.locator(":focus")).waitFor();
      await page.keyboard.press("ArrowDown");
      await stepOf(page, /Input/).and(page.locator(":focus")).waitFor();
      await page.keyboard.press("Enter");
      await page.getByRole("tab", { name: "Changes", selected: true }).waitFor();
    }); // oxfmt-ignore

    it("folds other branches in at the step where they leave, and opens them there", async () => {
      await ask("branched");
      await agent().invoke(new Command({ resume: "yes" }), threadConfig("branched"));
      const [, , asked = ""] = await listIds(inspected.saver.list(threadConfig("branched", { checkpoint_ns: "" })));
      await inspected.saver.rollback("branched", asked);
      const page = await openStory("branched");
      const fold = page.getByRole("button", { name: "1 other branch from here" });
      await fold.waitFor();
      const shown = await stepsOf(page).count();
      await fold.click();
      await until(async () => (await stepsOf(page).count()) > shown);
      await expectAccessible(page);
      await stepOf(page, /^step 5 model/).click();
      await chosenIn(page, "Message 6, Assistant").waitFor();
      await page.getByRole("button", { name: "1 other branch from here" }).waitFor();
    }); // oxfmt-ignore

    it("shows the values beside the steps where a thread has no messages", async () => {
      await fail("values");
      const page = await openStory("values");
      const summary = page.getByRole("region", { name: "Step 0" });
      await summary.getByRole("heading", { name: "Values" }).waitFor();
    });

    it("draws tokens, time and bytes by step, and has them as a table", async () => {
      await ask("figures");
      const page = await openStory("figures");
      await page.getByRole("tab", { name: "Figures" }).click();
      await page.getByText("2,400 in and 60 out.").waitFor();
      await page.locator("main svg").nth(2).waitFor();
      await page.getByText("Figures as a table").click();
      const row = page.getByRole("row", { name: /^3 model/ });
      expect((await row.innerText()).split(/\s*\t\s*/).slice(0, 4)).toEqual(["3", "model", "1,200", "30"]);
      await expectAccessible(page);
      await page.getByRole("link", { name: "3", exact: true }).click();
      await chosenIn(page, "Message 4, Assistant").waitFor();
    });
  });
});

/** Returns a function that says how often the page was clicked since. */
async function countClicks(page: Page): Promise<() => Promise<unknown>> {
  await page.evaluate("globalThis.clicks = 0; addEventListener('pointerdown', () => { clicks += 1; }, true)");
  return () => page.evaluate("clicks");
}

function noticeOf(page: Page): Locator {
  return page.getByRole("region", { name: "What the thread waits for" });
}

function stepsOf(page: Page): Locator {
  return page.getByRole("region", { name: "Steps" }).locator("button[data-checkpoint]");
}

function stepOf(page: Page, name: RegExp): Locator {
  return page.getByRole("region", { name: "Steps" }).getByRole("button", { name });
}

/** A message of the conversation that is marked. */
function chosenIn(page: Page, name: string): Locator {
  return page.getByRole("article", { name }).and(page.locator("[aria-current=true]"));
}
