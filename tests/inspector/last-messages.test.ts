import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import type { ReadCalls } from "../../src/inspector/api/inspector-api.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { describeAnyTarget } from "../../test-support/targets.js";

describeAnyTarget("how the conversations of threads end", (target) => {
  let saver: PostgresSaver;
  let calls: InspectorCalls;
  const person = new HumanMessage("Where is my order?");
  const called = new AIMessage({ content: "", tool_calls: [{ id: "1", name: "orders", args: {} }] });
  const resultOf = (status: "error" | "success", name = "orders") =>
    new ToolMessage({ content: `${status} of ${name}`, tool_call_id: "1", name, status });

  beforeAll(async () => {
    const database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source);
    calls = new InspectorCalls(saver);
    const conversations = {
      answered: [
        person,
        called,
        resultOf("error"),
        called,
        resultOf("success"),
        new AIMessage("It is late."),
      ],
      failed: [person, called, resultOf("error"), new AIMessage("I could not look.")],
      "failed earlier": [person, called, resultOf("error"), person],
      calls: [person, called],
      long: [new HumanMessage("x".repeat(300_000))],
    };
    for (const [id, messages] of Object.entries(conversations))
      await putValues(saver, threadConfig(id), { messages });
    await putValues(saver, threadConfig("no messages"), { plan: ["A"] });
    // What a subgraph has stored later says nothing about the conversation.
    await putValues(saver, threadConfig("failed", { checkpoint_ns: "sub:1" }), { messages: [person] });
  });
  afterAll(() => saver.end());

  it("is told by the last message of the root graph, and by the tools that failed since a person wrote", async () => {
    const threadIds = ["answered", "failed", "failed earlier", "calls", "long", "no messages", "none"];
    const { messages } = await calls.read("lastMessages", { threadIds });
    expect(messages).toEqual({
      answered: { role: "ai", text: "It is late.", isCut: false },
      failed: { role: "ai", text: "I could not look.", isCut: false, failedTools: ["orders"] },
      "failed earlier": { role: "human", text: "Where is my order?", isCut: false },
      calls: { role: "ai", text: "", isCut: false, tools: ["orders"] },
      long: { role: "other", text: "", isCut: true, bytes: expect.any(Number) },
    });
  });

  it("finds the threads in which a tool has failed, also among those that a search finds", async () => {
    const idsOf = async (args: ReadCalls["threads"]["args"]) => {
      const { threads, looked } = await calls.read("threads", { failedTools: true, ...args });
      return [threads.map(({ threadId }) => threadId), looked];
    };
    expect(await idsOf({})).toEqual([["failed"], 6]);
    expect(await idsOf({ search: "look" })).toEqual([["failed"], 6]);
    expect(await idsOf({ search: "late" })).toEqual([[], 6]);
  });
});
