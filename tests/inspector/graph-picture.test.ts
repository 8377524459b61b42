import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { Annotation, END, interrupt, START, StateGraph } from "@langchain/langgraph";
import { PostgresSaver } from "../../src/index.js";
import { expectAccessible } from "../../test-support/axe.js";
import { describeInBrowser } from "../../test-support/browser.js";
import { newThread, threadConfig } from "../../test-support/checkpoints.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { type RunningInspector, serveInspector } from "../../test-support/serve-inspector.js";
import { describeAnyTarget } from "../../test-support/targets.js";

const HOSTILE = "<b>\u202Eevil</b>";
const State = Annotation.Root({ plan: Annotation<string> });

describeAnyTarget("the picture of a graph", (target) => {
  let saver: PostgresSaver;
  let threadId = "";
  beforeAll(async () => {
    saver = new PostgresSaver((await target.migratedDatabase()).source);
    threadId = newThread();
    await agent().invoke({ plan: "A" }, threadConfig(threadId));
  });
  afterAll(() => saver.end());

  /** Drafts, asks, and has a graph within a node. */
  function agent() {
    const inner = new StateGraph(State)
      .addNode("sign", () => ({}))
      .addNode("seal", () => ({}))
      .addEdge(START, "sign")
      .addEdge("sign", "seal")
      .compile();
    return new StateGraph(State)
      .addNode("draft", () => ({}))
      .addNode("review", () => ({ plan: String(interrupt("Is it good?")) }))
      .addNode("publish", inner)
      .addNode(HOSTILE, () => ({}))
      .addEdge(START, "draft")
      .addEdge("draft", "review")
      .addConditionalEdges("review", () => "publish", { good: "publish", bad: "draft", odd: HOSTILE })
      .addEdge("publish", END)
      .compile({ checkpointer: saver });
  }

  async function pictureBy(calls: InspectorCalls) {
    const { checkpointId = "" } = await calls.read("openThread", { threadId });
    return { threadId, checkpointId, graph: "agent", isOlder: false };
  }

  it("has the nodes with those within them, the edges, and where the thread is", async () => {
    const calls = new InspectorCalls(saver, { graphs: { agent: agent() } });
    const query = await pictureBy(calls);
    const { nodes, edges, ...state } = await calls.read("graphPicture", query);
    expect(state).toEqual({ hasMore: false, next: ["review"], status: "interrupted" });
    expect(
      nodes
        .filter(({ parent }) => parent === undefined)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["__start__", "__end__", "draft", "review", HOSTILE].sort());
    expect(nodes).toContainEqual({ id: "publish:seal", name: "seal", parent: "publish" });
    expect(edges).toContainEqual({ from: "publish:sign", to: "publish:seal", isConditional: false });
    expect(edges).toContainEqual({ from: "draft", to: "review", isConditional: false });
    expect(edges).toContainEqual({ from: "review", to: "draft", isConditional: true, label: "bad" });
    // At an older checkpoint, what ran after it is marked.
    const points = (await calls.read("history", { threadId, namespace: "" })).points;
    const older = { ...query, checkpointId: points[1]?.checkpointId ?? "", isOlder: true };
    expect((await calls.read("graphPicture", older)).next).toEqual(["draft"]);
  });

  it("is drawn up to a bound, and what can't be drawn says why", async () => {
    const nodes = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`n${n}`, {}]));
    const edges = Object.keys(nodes).map((name) => ({ source: name, target: "n0" }));
    const drawnAs = (getGraphAsync: () => Promise<unknown>) =>
      new InspectorCalls(saver, { graphs: { agent: Object.assign(agent(), { getGraphAsync }) } });
    const large = drawnAs(() => Promise.resolve({ nodes, edges }));
    const picture = await large.read("graphPicture", await pictureBy(large));
    expect([picture.nodes.length, picture.edges.length, picture.hasMore]).toEqual([200, 200, true]);
    for (const drawn of [() => Promise.reject(new Error("no paper")), () => Promise.resolve({})]) {
      const calls = drawnAs(drawn);
      expect(await calls.refusal("graphPicture", await pictureBy(calls))).toEqual([422, "NO_PICTURE"]);
    }
  });

  describeInBrowser("in Chromium", (browser) => {
    let inspector: RunningInspector;
    beforeAll(async () => {
      inspector = await serveInspector(saver, { graphs: { agent: agent() } });
    });
    afterAll(() => inspector.close());

    it("is one click away on the page of a thread, and is told in words", async () => {
      const page = await browser.openPage(`${inspector.url}#/thread/${threadId}`, {
        viewport: { width: 390, height: 800 },
      });
      await page.getByRole("tab", { name: "Graph" }).click();
      const picture = page.getByRole("region", { name: "Picture of the graph" });
      await picture.locator("svg .picture-word").waitFor();
      const drawn = await picture.locator("svg text").allTextContents();
      expect(drawn.join()).toContain("● waits here");
      // What a stranger has named can't turn the text around it.
      expect(drawn).toContain(`\u2068${HOSTILE}\u2069`);
      expect(await picture.locator("path.picture-conditional").count()).toBe(3);
      const listed = await picture.getByRole("listitem").allTextContents();
      expect(listed).toContain("Start: leads to draft");
      expect(listed.find((text) => text.startsWith("review, waits here: leads to "))).toMatch(
        /draft if the graph decides so \(bad\)/,
      );
      await expectAccessible(page);
      expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
    });

    it("is not offered where the inspector has no graphs", async () => {
      const bare = await serveInspector(saver);
      const page = await browser.openPage(`${bare.url}#/thread/${threadId}?view=graph`);
      await page.getByRole("tab", { name: "Story", selected: true }).waitFor();
      expect(await page.getByRole("tab").allTextContents()).toEqual(["Story", "Branches", "Figures"]);
      await bare.close();
    });
  });
});
