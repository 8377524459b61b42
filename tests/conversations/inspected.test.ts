import { expect, it } from "@jest/globals";
import { Annotation, START, StateGraph } from "@langchain/langgraph";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { describeEachTarget } from "../../test-support/targets.js";
import { putCheckpoint, useConversations } from "./opened.js";

describeEachTarget("the inspector, of conversations", (target) => {
  const suite = useConversations(target);

  it("lists them with their threads in every list, and finds these by their words", async () => {
    const { saver, threads } = suite;
    const metadata = { title: "A trip to Rome", owner: "alice@example.com", graph_id: "trips" };
    await putCheckpoint(saver, "1");
    await putCheckpoint(saver, "2");
    await threads.set("2", { kind: "put", metadata });
    const calls = new InspectorCalls(saver);
    for (const query of [{}, { order: "id" }, { state: "done" }] as const) {
      const list = await calls.read("threads", query);
      const titles = list.threads.map(({ threadId, conversation }) => [threadId, conversation]);
      expect(new Map(titles as [string, unknown][])).toEqual(
        new Map<string, unknown>([
          ["1", undefined],
          ["2", metadata],
        ]),
      );
    }
    for (const search of ["rome trip", "ALICE@", "2 rome"]) {
      const { threads: found } = await calls.read("threads", { search });
      expect(found.map(({ threadId }) => threadId)).toEqual(["2"]);
    }
    expect((await calls.read("threads", { search: "rome naples" })).threads).toEqual([]);
  });

  it("binds a thread to the graph that its conversation names", async () => {
    const { saver, threads } = suite;
    await putCheckpoint(saver, "t");
    await threads.set("t", { kind: "put", metadata: { graph_id: "other" } });
    const State = Annotation.Root({ a: Annotation<unknown>() });
    const graph = new StateGraph(State)
      .addNode("node", () => ({}))
      .addEdge(START, "node")
      .compile({ checkpointer: saver });
    const calls = new InspectorCalls(saver, { graphs: { one: graph, other: graph } });
    expect((await calls.read("openThread", { threadId: "t" })).graph).toBe("other");
  });
});
