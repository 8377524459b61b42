import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Annotation, END, interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import type { Locator, Page } from "playwright-core";
import { z } from "zod";
import { PostgresSaver } from "../../src/index.js";
import { expectAccessible } from "../../test-support/axe.js";
import { describeInBrowser } from "../../test-support/browser.js";
import { newThread, threadConfig } from "../../test-support/checkpoints.js";
import { type RunningInspector, serveInspector } from "../../test-support/serve-inspector.js";
import { describeAnyTarget } from "../../test-support/targets.js";

const State = Annotation.Root({ ...MessagesAnnotation.spec, answer: Annotation<unknown> });

const CALLS = [
  { name: "refund", args: { order: "4711", euros: 24.5, reason: "broken" } },
  { name: "send_mail", args: { to: "bob@example.com", subject: "Your refund" } },
  { name: "note", args: { text: "Bob was friendly" } },
];

/** What LangChain's middleware asks. */
function reviewOf(calls: typeof CALLS) {
  return {
    actionRequests: calls.map(({ name, args }) => ({
      ...{ name, args },
      description: `Tool execution requires approval\n\nTool: ${name}\nArgs: ${JSON.stringify(args, null, 2)}`,
    })),
    reviewConfigs: calls.map(({ name }) => ({
      ...{ actionName: name, allowedDecisions: ["approve", "edit", "reject"] },
    })),
  };
}

const refund = tool(() => "paid back", {
  name: "refund",
  description: "Pays back",
  schema: z.object({ order: z.string(), euros: z.number(), reason: z.enum(["broken", "late"]) }),
});

/** A graph with the nodes of LangChain's agents. */
function agentOf(checkpointer: PostgresSaver, calls = CALLS) {
  const tool_calls = calls.map((call, at) => ({ ...call, id: `call_${at}`, type: "tool_call" as const }));
  return new StateGraph(State)
    .addNode("model_request", () => ({
      messages: [new AIMessage({ id: "ai", content: "I look after that.", tool_calls })],
    }))
    .addNode("HumanInTheLoopMiddleware.after_model", () => ({
      answer: interrupt<unknown, unknown>(reviewOf(calls)),
    }))
    .addNode("tools", new ToolNode([refund]))
    .addEdge(START, "model_request")
    .addEdge("model_request", "HumanInTheLoopMiddleware.after_model")
    .addConditionalEdges("HumanInTheLoopMiddleware.after_model", () => END, ["tools", END])
    .compile({ checkpointer });
}

/** Counts what a person clicks on. */
async function countClicks(page: Page): Promise<() => Promise<number>> {
  const clicks = await page.evaluateHandle(() => {
    const counted = { clicks: 0 };
    document.addEventListener("pointerdown", () => counted.clicks++, { capture: true });
    return counted;
  });
  return () => clicks.evaluate((counted) => counted.clicks);
}

async function boxOf(part: Locator) {
  const box = await part.boundingBox();
  if (box === null) throw new Error("it is not shown");
  return { top: box.y, bottom: box.y + box.height };
}

const decide = (page: Page, call: string, decision: string): Locator =>
  page.getByRole("radiogroup", { name: `Decision about ${call}` }).getByText(decision);
const panelOf = (page: Page): Locator => page.getByRole("region", { name: "Let the thread go on" });
const ended = (page: Page): Promise<void> => page.getByText("The run has ended.").waitFor();

describeAnyTarget("an answer within its clicks", (target) => {
  describeInBrowser("in Chromium", (browser) => {
    let saver: PostgresSaver;
    let inspector: RunningInspector;
    beforeAll(async () => {
      const { source } = await target.sharedDatabase();
      saver = new PostgresSaver(source, undefined, { metadataFromConfig: ["answered_by"] });
      const graphs = { agent: agentOf(saver) };
      inspector = await serveInspector(saver, { graphs, authorize: () => ({ user: "ada" }) });
    });
    afterAll(async () => {
      await inspector.close();
      await saver.end();
    });

    async function open(calls: typeof CALLS, url = inspector.url) {
      const threadId = newThread();
      const messages = [new HumanMessage({ id: "person", content: "My cup came broken." })];
      await agentOf(saver, calls).invoke({ messages }, threadConfig(threadId));
      const hash = `#/thread/${encodeURIComponent(threadId)}`;
      const page = await browser.openPage(url + hash, { viewport: { width: 1280, height: 800 } });
      await panelOf(page).getByText("refund").first().waitFor();
      const answer = async (): Promise<unknown> =>
        (await saver.getTuple(threadConfig(threadId)))?.checkpoint.channel_values.answer;
      return { page, answer };
    }

    it("takes two clicks for one call, whose arguments are on the page once", async () => {
      const { page, answer } = await open(CALLS.slice(0, 1));
      await page.getByRole("article", { name: "Message 2, Assistant" }).waitFor();
      expect((await page.getByRole("main").innerText()).match(/24\.5/g)).toHaveLength(1);
      expect(await page.getByText("Tool execution requires approval").count()).toBe(0);
      const notice = page.getByRole("region", { name: "What the thread waits for" });
      expect(await notice.innerText()).toContain("The agent asks before it calls refund.");
      expect((await notice.innerText()) + (await panelOf(page).innerText())).not.toContain("Middleware");
      const clicks = await countClicks(page);
      await decide(page, "refund", "Approve").click();
      await page.getByRole("button", { name: "Send the decision" }).click();
      await ended(page);
      expect(await clicks()).toBe(2);
      expect(await answer()).toEqual({ decisions: [{ type: "approve" }] });
    });

    it("takes a click for each of three calls and one to send, all on the screen, and says before what a rejection does", async () => {
      const { page, answer } = await open(CALLS);
      const clicks = await countClicks(page);
      await decide(page, "refund", "Edit").click();
      // The first field has the focus, and the others are by the schema of the tool.
      await page.keyboard.press("Tab");
      await page.keyboard.type("20");
      expect(await panelOf(page).getByLabel("reason").locator("option").allTextContents()).toEqual([
        ...["choose…", "broken", "late"],
      ]);
      await decide(page, "send_mail", "Reject").click();
      await page.keyboard.type("he knows");
      await decide(page, "note", "Approve").click();
      await page.getByText("The rejection stops all of them").waitFor();
      const send = page.getByRole("button", { name: "Send all decisions" });
      const [panel, footer] = [await boxOf(panelOf(page)), await boxOf(page.locator(".answer-send"))];
      for (const { name } of CALLS) {
        const call = await boxOf(panelOf(page).getByRole("group", { name, exact: true }));
        expect(call.top).toBeGreaterThanOrEqual(panel.top);
        expect(call.bottom).toBeLessThanOrEqual(footer.top);
      }
      expect((await boxOf(send)).bottom).toBeLessThanOrEqual(800);
      expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(800);
      await expectAccessible(page);
      await send.click();
      await ended(page);
      expect(await clicks()).toBe(4);
      const edited = { order: "4711", euros: 20, reason: "broken" };
      expect(await answer()).toEqual({
        decisions: [
          { type: "edit", editedAction: { name: "refund", args: edited } },
          { type: "reject", message: "he knows" },
          { type: "approve" },
        ],
      });
      const told = `Answered by ada: edited refund to ${JSON.stringify(edited)}; rejected send_mail: “he knows”; approved note`;
      await page.getByRole("region", { name: "Steps" }).getByText(told.slice(13)).waitFor();
      const steps = await page.getByRole("region", { name: "Steps" }).innerText();
      expect(steps.replace(/\s+/g, " ")).toContain(told);
    });

    it("needs the keyboard alone", async () => {
      const { page, answer } = await open(CALLS);
      const tabTo = async (part: Locator): Promise<void> => {
        const isReached = (): Promise<boolean> => part.evaluate((each) => each === document.activeElement);
        for (let tabs = 0; tabs < 60 && !(await isReached()); tabs++) await page.keyboard.press("Tab");
        expect(await isReached()).toBe(true);
      };
      await tabTo(page.getByRole("link", { name: "Answer", exact: true }));
      await page.keyboard.press("Enter");
      expect(await panelOf(page).evaluate((each) => each === document.activeElement)).toBe(true);
      const radio = (call: string): Locator =>
        page.getByRole("group", { name: call, exact: true }).getByRole("radio", { name: "Approve" });
      await tabTo(radio("refund"));
      await page.keyboard.press("ArrowRight");
      await tabTo(panelOf(page).getByLabel("euros"));
      await page.keyboard.type("20");
      await tabTo(radio("send_mail"));
      for (const key of ["ArrowRight", "ArrowRight"]) await page.keyboard.press(key);
      await tabTo(panelOf(page).getByRole("textbox", { name: "Reason" }));
      await page.keyboard.type("no");
      await tabTo(radio("note"));
      await page.keyboard.press("Space");
      await tabTo(page.getByRole("button", { name: "Send all decisions" }));
      await page.keyboard.press("Enter");
      await ended(page);
      expect(await answer()).toMatchObject({
        decisions: [{ type: "edit" }, { type: "reject", message: "no" }, { type: "approve" }],
      });
    });

    it("shows the calls to a person who may not answer, and keeps Send on the screen however long they are", async () => {
      const reading = await serveInspector(saver);
      const { page } = await open(CALLS, reading.url);
      await panelOf(page).getByText("bob@example.com").waitFor();
      expect(await panelOf(page).getByRole("radio").count()).toBe(0);
      await reading.close();
      const long = { name: "note", args: { text: "A long story.\n".repeat(100) } };
      const { page: other } = await open([...CALLS.slice(0, 2), long]);
      const send = other.getByRole("button", { name: "Send all decisions" });
      expect((await boxOf(send)).bottom).toBeLessThanOrEqual(800);
      await decide(other, "refund", "Approve").click();
      await other.getByRole("button", { name: "Approve the other 2" }).click();
      expect(await send.isEnabled()).toBe(true);
    });
  });
});
