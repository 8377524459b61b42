import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { tool } from "@langchain/core/tools";
import { interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { createSupervisor } from "@langchain/langgraph-supervisor";
import { createSwarm } from "@langchain/langgraph-swarm";
import { createDeepAgent } from "deepagents";
import { createAgent } from "langchain";
import { z } from "zod";
import { PostgresSaver } from "../../src/index.js";
import { createInspector, type GraphOrFactory } from "../../src/inspector/index.js";
import { newThread, threadConfig } from "../../test-support/checkpoints.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { describeAnyTarget } from "../../test-support/targets.js";

const pay = tool(
  ({ amount }) => (interrupt({ question: `May I pay ${amount}?` }) === true ? "paid" : "not paid"),
  { name: "pay", description: "Pays.", schema: z.object({ amount: z.number() }) },
);

/** A model that calls a tool and then answers. Its messages have ids of their own, since those of two models would be the same. */
const calling = (name: string, args: Record<string, unknown>) =>
  fakeModel()
    .respond(new AIMessage({ id: name, content: "", tool_calls: [{ name, args, id: `call of ${name}` }] }))
    .respond(new AIMessage({ id: `after ${name}`, content: "done" }));
const paying = () => ({ model: calling("pay", { amount: 5 }), tools: [pay] });

/** An agent that a supervisor or a swarm hands over to. */
const buyer = () =>
  new StateGraph(MessagesAnnotation)
    .addNode("ask", () => {
      const answer: unknown = interrupt({ question: "May I pay 5?" });
      return { messages: [new AIMessage(answer === true ? "paid" : "not paid")] };
    })
    .addEdge(START, "ask")
    .compile({ name: "buyer" });

/** Graphs of the libraries that people build agents with. Each asks whether it may pay. */
const BUILT = {
  createAgent: (checkpointer: PostgresSaver) => createAgent({ ...paying(), checkpointer }),
  createDeepAgent: (checkpointer: PostgresSaver) => createDeepAgent({ ...paying(), checkpointer }),
  "an agent of LangChain with its own config": (checkpointer: PostgresSaver) =>
    createAgent({ ...paying(), checkpointer }).withConfig({ recursionLimit: 50 }),
  createSupervisor: (checkpointer: PostgresSaver) =>
    createSupervisor({
      agents: [buyer()],
      llm: calling("transfer_to_buyer", {}),
    }).compile({ checkpointer }),
  createSwarm: (checkpointer: PostgresSaver) =>
    createSwarm({
      agents: [buyer()],
      defaultActiveAgent: "buyer",
    }).compile({ checkpointer }),
};

describeAnyTarget("agents as the graphs of an inspector", (target) => {
  let saver: PostgresSaver;
  beforeAll(async () => {
    saver = new PostgresSaver((await target.sharedDatabase()).source);
  });
  afterAll(() => saver.end());

  it.each(Object.keys(BUILT))("run as they are, and as a function returns them: %s", async (name) => {
    const agent = BUILT[name as keyof typeof BUILT](saver);
    const threadId = newThread();
    await agent.invoke({ messages: [new HumanMessage("Pay 5.")] }, threadConfig(threadId));
    const given: readonly GraphOrFactory[] = [agent, () => agent, () => Promise.resolve(agent)];
    for (const each of given) {
      const calls = new InspectorCalls(saver, { graphs: { agent: each } });
      const { graph, questions } = await calls.read("openThread", { threadId });
      expect([graph, questions.length]).toEqual(["agent", 1]);
    }
    const calls = new InspectorCalls(saver, { graphs: { agent }, write: true });
    const { checkpointId = "", questions } = await calls.read("openThread", { threadId });
    const answers = [{ key: questions[0]?.key, value: true }];
    const run = { threadId, checkpointId, graph: "agent", kind: "answer", answers };
    expect(await (await calls.postTo("/run", run)).text()).toContain('"kind":"ended"');
    const ended = await calls.read("openThread", { threadId });
    expect(ended.status).toBe("done");
    // An edit of the state runs the graph's own reducers.
    const node = ended.graphs[0]?.nodes.find((each) => /model|buyer/.test(each));
    const place = { threadId, checkpointId: ended.checkpointId ?? "", graph: "agent", node };
    const values = { messages: [{ role: "assistant", content: "edited" }] };
    const { values: changed } = await calls.write("checkUpdate", { ...place, values });
    expect(changed.map(({ channel }) => channel)).toContain("messages");
  });

  it("are told from what is none, when they are given and when a function returns them", async () => {
    const options = { authorize: () => true, graphs: { agent: { graph: {} } } };
    expect(() => Reflect.apply(createInspector, undefined, [saver, options]) as unknown).toThrow(
      /graphs\.agent.*compiled graph or an agent/,
    );
    const agent = createAgent({ ...paying(), checkpointer: saver });
    const threadId = newThread();
    await agent.invoke({ messages: [new HumanMessage("Pay 5.")] }, threadConfig(threadId));
    const broken: Record<string, unknown> = { agent: () => ({ graph: {} }) };
    const calls = Reflect.construct(InspectorCalls, [saver, { graphs: broken }]) as InspectorCalls;
    expect(await calls.refusal("openThread", { threadId })).toEqual([400, "INVALID_CONFIG"]);
  });
});
