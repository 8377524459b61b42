import { expect, it } from "@jest/globals";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { tool } from "@langchain/core/tools";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import { describeGraphs, type GraphSuite } from "./support/describe-graphs.js";
import { historyOf } from "./support/history.js";

const weather = tool(({ city }) => `It rains in ${city}.`, {
  name: "weather",
  description: "Tells the weather of a city.",
  schema: z.object({ city: z.string() }),
});

const askWeather = { name: "weather", args: { city: "Bergen" }, id: "call-1" };

function createAgent(suite: GraphSuite, model: ReturnType<typeof fakeModel>) {
  return new StateGraph(MessagesAnnotation)
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", new ToolNode([weather]))
    .addEdge(START, "model")
    .addConditionalEdges("model", ({ messages }) => (callsTools(messages.at(-1)) ? "tools" : END))
    .addEdge("tools", "model")
    .compile({ checkpointer: suite.saver });
}

function callsTools(message: BaseMessage | undefined): boolean {
  return AIMessage.isInstance(message) && (message.tool_calls ?? []).length > 0;
}

function contentsOf(messages: readonly BaseMessage[]): unknown[] {
  return messages.map(({ content }) => content);
}

describeGraphs("an agent with tools", (suite) => {
  it("remembers the conversation from one run to the next", async () => {
    const model = fakeModel()
      .respondWithTools([askWeather])
      .respond(new AIMessage("Take an umbrella."))
      .respond(new AIMessage("You asked about Bergen."));
    const thread = suite.newThread();
    await createAgent(suite, model).invoke({ messages: [new HumanMessage("Weather in Bergen?")] }, thread);

    const { messages } = await createAgent(suite, model).invoke(
      { messages: [new HumanMessage("What did I ask?")] },
      thread,
    );

    expect(contentsOf(messages)).toEqual([
      "Weather in Bergen?",
      "Weather in Bergen?",
      "It rains in Bergen.",
      "Take an umbrella.",
      "What did I ask?",
      "You asked about Bergen.",
    ]);
    expect(contentsOf(model.calls[2]?.messages ?? [])).toEqual(contentsOf(messages.slice(0, -1)));
  });

  it("reads its messages back as messages, with their ids and tool calls", async () => {
    const model = fakeModel().respondWithTools([askWeather]).respond(new AIMessage("Take an umbrella."));
    const agent = createAgent(suite, model);
    const thread = suite.newThread();
    const { messages } = await agent.invoke({ messages: [new HumanMessage("Weather?")] }, thread);

    const stored = await agent.getState(thread);

    expect(stored.values).toEqual({ messages });
    expect(messages[1]).toMatchObject({ tool_calls: [askWeather] });
    const types = [HumanMessage, AIMessage, ToolMessage, AIMessage];
    expect(messages.map((message) => message.constructor.name)).toEqual(types.map(({ name }) => name));
    expect(messages.every(({ id }) => typeof id === "string")).toBe(true);
  });

  it("runs a tool once for each of several parallel calls", async () => {
    const calls = ["Bergen", "Oslo", "Narvik"].map((city, index) => ({
      name: "weather",
      args: { city },
      id: `call-${index}`,
    }));
    const agent = createAgent(suite, fakeModel().respondWithTools(calls).respond(new AIMessage("Wet.")));

    const { messages } = await agent.invoke({ messages: [new HumanMessage("?")] }, suite.newThread());

    expect(contentsOf(messages).slice(2, -1)).toEqual(calls.map(({ args }) => `It rains in ${args.city}.`));
  });

  it("can be forked from before a tool call, and runs on from there", async () => {
    const model = fakeModel()
      .respondWithTools([askWeather])
      .respond(new AIMessage("first"))
      .respond(new AIMessage("second"));
    const agent = createAgent(suite, model);
    const thread = suite.newThread();
    await agent.invoke({ messages: [new HumanMessage("Weather?")] }, thread);
    const beforeAnswer = (await historyOf(agent, thread)).find(({ metadata }) => metadata?.step === 2);

    const { messages } = await agent.invoke(null, { ...beforeAnswer?.config });

    expect(contentsOf(messages)).toEqual(["Weather?", "Weather?", "It rains in Bergen.", "second"]);
  });

  it("keeps the threads of concurrent users apart", async () => {
    const agents = Array.from({ length: 8 }, (_, index) => {
      const model = fakeModel().respond((messages) => new AIMessage(`${index}: ${messages.length}`));
      return { agent: createAgent(suite, model), thread: suite.newThread(), index };
    });

    await Promise.all(
      agents.map(({ agent, thread, index }) =>
        agent.invoke({ messages: [new HumanMessage(`hello ${index}`)] }, thread),
      ),
    );

    for (const { agent, thread, index } of agents) {
      const state = await agent.getState(thread);
      expect(state.values).toMatchObject({
        messages: [{ content: `hello ${index}` }, { content: `${index}: 1` }],
      });
    }
  });

  it("stores its last checkpoint where the saver finds it", async () => {
    const agent = createAgent(suite, fakeModel().respond(new AIMessage("one")));
    const thread = suite.newThread();
    await agent.invoke({ messages: [new HumanMessage("first")] }, thread);

    const checkpoint = await suite.saver.get(thread);

    expect(checkpoint?.channel_values).toMatchObject({
      messages: [{ content: "first" }, { content: "one" }],
    });
    expect(checkpoint).toEqual((await suite.saver.getTuple(thread))?.checkpoint);
  });
});
