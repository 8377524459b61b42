import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { Annotation, interrupt, START, StateGraph } from "@langchain/langgraph";
import { z } from "zod";
import type { PostgresSaver } from "../../src/index.js";
import { expectAccessible } from "../../test-support/axe.js";
import { describeInBrowser } from "../../test-support/browser.js";
import { listIds, newThread, threadConfig } from "../../test-support/checkpoints.js";
import { type RunningInspector, serveInspector } from "../../test-support/serve-inspector.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";
import { useInspector } from "../../test-support/use-inspector.js";

const State = Annotation.Root({ asked: Annotation<unknown>, answer: Annotation<unknown> });
let isDown = false;

const travel = z.object({ city: z.string(), days: z.int().min(1), isFlexible: z.boolean().optional() });

function askingGraph(checkpointer: PostgresSaver) {
  return new StateGraph(State)
    .addNode("ask", ({ asked }) => {
      const options = asked === "Where to?" ? { responseSchema: travel } : {};
      return { answer: interrupt<unknown, unknown>(asked, options) };
    })
    .addNode("act", () => {
      if (isDown) throw new Error("the mail server is down");
      return {};
    })
    .addEdge(START, "ask")
    .addEdge("ask", "act")
    .compile({ checkpointer });
}

describeAnyTarget("answers on the page of a thread", (target) => {
  describeInBrowser("in Chromium", (browser) => {
    const inspected = useInspector(target);
    let inspector: RunningInspector;
    beforeAll(async () => {
      inspector = await serveInspector(inspected.saver, {
        graphs: { agent: askingGraph(inspected.saver) },
        write: true,
      });
    });
    afterAll(() => inspector.close());

    async function openAsking(asked: unknown, viewport = { width: 1280, height: 900 }) {
      const threadId = newThread();
      await askingGraph(inspected.saver).invoke({ asked }, threadConfig(threadId));
      const page = await browser.openPage(`${inspector.url}#/thread/${encodeURIComponent(threadId)}`, {
        viewport,
      });
      const answer = async (): Promise<unknown> =>
        (await inspected.saver.getTuple(threadConfig(threadId)))?.checkpoint.channel_values.answer;
      return { page, answer, threadId };
    }

    const REVIEW = {
      actionRequests: [{ name: "send_email", args: { to: "bob" }, description: "Send the offer to Bob" }],
      reviewConfigs: [{ actionName: "send_email", allowedDecisions: ["approve", "edit", "reject"] }],
    };

    it("approves in two clicks", async () => {
      const { page, answer } = await openAsking(REVIEW);
      await page.getByRole("radio", { name: "Approve" }).check();
      // A free value could be a decision that the question does not allow.
      expect(await page.getByRole("button", { name: "Answer with any JSON value" }).count()).toBe(0);
      await expectAccessible(page);
      await page.getByRole("button", { name: "Send the decision" }).click();
      await page.getByText("The run has ended.").waitFor();
      expect(await answer()).toEqual({ decisions: [{ type: "approve" }] });
      expect(await page.getByRole("list", { name: "Nodes that have ended" }).innerText()).toMatch(
        /ask\s+act/,
      );
    });

    it("edits as JSON what has no fields, and takes nothing but an object", async () => {
      const { actionRequests, reviewConfigs } = REVIEW;
      const asked = { actionRequests: actionRequests.map((each) => ({ ...each, args: {} })), reviewConfigs };
      const { page, answer } = await openAsking(asked);
      await page.getByRole("radio", { name: "Edit" }).check();
      const args = page.getByLabel("Arguments as JSON");
      await args.fill("[1]");
      await page.getByText("The arguments must be an object.").waitFor();
      expect(await page.getByRole("button", { name: "Send the decision" }).isDisabled()).toBe(true);
      await args.fill('{"to": "eve"}');
      await page.getByRole("button", { name: "Send the decision" }).click();
      await page.getByText("The run has ended.").waitFor();
      const editedAction = { name: "send_email", args: { to: "eve" } };
      expect(await answer()).toEqual({ decisions: [{ type: "edit", editedAction }] });
    });

    it("has the fields of a schema, and says what the schema refuses", async () => {
      const { page, answer } = await openAsking("Where to?", { width: 390, height: 900 });
      await page.getByLabel("city").fill("Graz");
      await page.getByLabel("days").fill("0");
      await expectAccessible(page);
      await page.getByRole("button", { name: "Send the answer" }).click();
      await page.getByRole("alert").filter({ hasText: "days" }).waitFor();
      expect(await page.getByLabel("city").inputValue()).toBe("Graz");
      await page.getByLabel("days").fill("3");
      await page.getByRole("button", { name: "Send the answer" }).click();
      await page.getByText("The run has ended.").waitFor();
      expect(await answer()).toEqual({ city: "Graz", days: 3 });
    });

    it("takes a text, or any JSON", async () => {
      const text = await openAsking("Why?");
      await text.page.getByLabel("Your answer").fill('{"a": 1}');
      await text.page.getByRole("button", { name: "Send as text" }).click();
      await text.page.getByText("The run has ended.").waitFor();
      expect(await text.answer()).toBe('{"a": 1}');
      const json = await openAsking("Where to?");
      await json.page.getByRole("button", { name: "Answer with any JSON value" }).click();
      await json.page.getByLabel("Your answer").fill('{"city": "Graz", "days": 2}');
      await json.page.getByRole("button", { name: "Send as JSON" }).click();
      await json.page.getByText("The run has ended.").waitFor();
      expect(await json.answer()).toEqual({ city: "Graz", days: 2 });
    });

    it("sends nothing before a person has chosen the graph, where nothing tells which one it is", async () => {
      const ran: string[] = [];
      const graph = (name: string) =>
        new StateGraph(State)
          .addNode("pay", ({ asked }) => {
            const answer: unknown = interrupt(asked);
            ran.push(name);
            return { answer };
          })
          .addEdge(START, "pay")
          .compile({ checkpointer: inspected.saver });
      const graphs = { germany: graph("germany"), france: graph("france") };
      const asking = await serveInspector(inspected.saver, { graphs, write: true });
      const knowing = await serveInspector(inspected.saver, { graphs, graphOf: () => "france" });
      const threadId = newThread();
      await graphs.france.invoke({ asked: REVIEW }, threadConfig(threadId));
      const hash = `#/thread/${encodeURIComponent(threadId)}`;
      const page = await browser.openPage(asking.url + hash);
      const approve = page.getByRole("radio", { name: "Approve" });
      await page.getByText(/^Nothing stored tells which of these graphs wrote the thread/).waitFor();
      expect(await approve.isDisabled()).toBe(true);
      await expectAccessible(page);
      for (const [button, act] of [["Change values and continue…", "Store and run"], ["Run again from here…", "Run"]] as const) {
        await page.getByRole("button", { name: button }).click();
        const dialog = page.getByRole("dialog");
        await dialog.getByText("Nothing stored tells").waitFor();
        if (act === "Store and run") await dialog.getByRole("checkbox", { name: "asked" }).check();
        const submit = dialog.getByRole("button", { name: act, exact: true });
        await submit.waitFor();
        expect(await submit.isDisabled()).toBe(true);
        await dialog.getByLabel("Graph").selectOption("germany");
        await until(() => submit.isEnabled());
        await dialog.getByRole("button", { name: "Cancel" }).click();
        await page.locator("dialog").waitFor({ state: "detached" });
      }
      await page.getByLabel("Graph").selectOption("france");
      await approve.check();
      const known = await browser.openPage(knowing.url + hash);
      await known.getByText("Runs france").click();
      await known.getByText('The thread belongs to "france": the application says so.').waitFor();
      await known.getByRole("radio", { name: "Approve" }).check();
      await known.getByRole("button", { name: "Send the decision" }).click();
      await known.getByText("The run has ended.").waitFor();
      expect(ran).toEqual(["france"]);
      await Promise.all([asking.close(), knowing.close()]);
    }); // oxfmt-ignore

    it("offers what a person has the right to, and a replay is not an answer", async () => {
      const rights = ["read", "answer"];
      const answering = await serveInspector(inspected.saver, {
        graphs: { agent: askingGraph(inspected.saver) },
        authorize: (_, { action }) => rights.includes(action),
        write: true,
      });
      const { page } = await openAsking("Why?");
      const own = await browser.openPage(answering.url + new URL(page.url()).hash);
      await own.getByLabel("Your answer").waitFor();
      expect(
        await own.getByRole("button", { name: /^(Run again|Change values|Undo everything)/ }).count(),
      ).toBe(0);
      await answering.close();
    });

    it("repeats what failed in one click, and takes the form from who was slower", async () => {
      isDown = true;
      const { page, answer } = await openAsking("Why?");
      const other = await browser.openPage(page.url());
      await other.getByLabel("Your answer").fill("theirs");
      // This one hears nothing of the thread meanwhile.
      for (const path of ["events?*", "api/history"])
        await other.route(`**/${path}`, (route) => route.abort());
      await page.getByLabel("Your answer").fill("mine");
      await page.getByRole("button", { name: "Send as text" }).click();
      await page.getByRole("alert").filter({ hasText: "the mail server is down" }).waitFor();
      await other.getByRole("button", { name: "Retry what failed" }).waitFor();
      expect(await other.getByLabel("Your answer").count()).toBe(0);
      isDown = false;
      await page.getByRole("button", { name: "Retry what failed" }).click();
      await page.getByText("The run has ended.").waitFor();
      expect(await answer()).toBe("mine");
    });

    it("lets the graph go on from an earlier checkpoint, and edits the state as a node, after it has shown what changes", async () => {
      const { page, answer, threadId } = await openAsking("Why?");
      await page.getByRole("button", { name: "Change values and continue…" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("How they are stored").selectOption("as if ask had returned them");
      await dialog.getByRole("checkbox", { name: "answer" }).check();
      await dialog.getByLabel("New value of answer").fill('"edited"');
      await dialog.getByRole("button", { name: "Check" }).click();
      await dialog.getByText("Runs next: act").waitFor();
      expect(await dialog.getByRole("row", { name: "answer nothing string edited" }).count()).toBe(1);
      await expectAccessible(page);
      await dialog.getByLabel("Run it at once").uncheck();
      await dialog.getByRole("button", { name: "Store", exact: true }).click();
      await page.getByRole("button", { name: "Go on" }).click();
      await page.getByText("The run has ended.").waitFor();
      expect(await answer()).toBe("edited");
      const [, asked] = await listIds(inspected.saver.list(threadConfig(threadId), { limit: 3 }));
      const later = await browser.openPage(
        `${inspector.url}#/checkpoint/${encodeURIComponent(threadId)}/${asked ?? ""}`,
      );
      await later.getByRole("button", { name: "Run again from here…" }).click();
      await later.getByRole("dialog").getByRole("button", { name: "Run", exact: true }).click();
      await later.getByRole("tab", { name: "Story" }).waitFor();
    });

    it("is not offered without graphs", async () => {
      const { page } = await openAsking("Why?");
      const hash = new URL(page.url()).hash;
      const without = await browser.openPage(`${inspected.url}${hash}`);
      await without.getByText("Why?").first().waitFor();
      expect(await without.getByLabel("Your answer").count()).toBe(0);
      expect(await without.getByRole("button", { name: /^(Change values and|Run again)/ }).count()).toBe(0);
    });
  });
});
