import { randomUUID } from "node:crypto";
import { expect, it } from "@jest/globals";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { Annotation, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { recordCheckpoints } from "../../src/checkpoint-store/index.js";
import { describeEachBackend } from "./backends.js";

const Pipeline = Annotation.Root({
  ...MessagesAnnotation.spec,
  started: Annotation<Date>,
  flags: Annotation<Map<string, boolean>>({
    reducer: (all, more) => new Map([...all, ...more]),
    default: () => new Map(),
  }),
});

/** Five steps, each of which sets its flag and says that it is done. */
function pipeline() {
  const step = (name: string) => () => ({
    flags: new Map([[name, true]]),
    messages: [new AIMessage({ content: `${name} is done`, id: name })],
  });
  return new StateGraph(Pipeline)
    .addNode("collect", step("collect"))
    .addNode("analyze", step("analyze"))
    .addNode("process", step("process"))
    .addNode("review", step("review"))
    .addNode("finalize", step("finalize"))
    .addEdge(START, "collect")
    .addEdge("collect", "analyze")
    .addEdge("analyze", "process")
    .addEdge("process", "review")
    .addEdge("review", "finalize")
    .compile();
}

const INPUT = { started: new Date(0), messages: [new HumanMessage({ content: "go", id: "go" })] };

describeEachBackend("a recorded pipeline", (suite) => {
  it("stores each node's flag and message, and continues after any node", async () => {
    const store = await suite.open();
    const recorded = recordCheckpoints(pipeline(), { store });
    const result = await recorded.invoke(INPUT);
    const checkpoints = await recorded.listCheckpoints();
    expect(checkpoints.map(({ nodeName, version }) => [nodeName, version])).toEqual([
      ["collect", 1],
      ["analyze", 2],
      ["process", 3],
      ["review", 4],
      ["finalize", 5],
    ]);
    for (const { nodeName, state } of checkpoints) {
      expect([...state.flags.keys()].at(-1)).toBe(nodeName);
      expect(state.messages.at(-1)).toEqual(new AIMessage({ content: `${nodeName} is done`, id: nodeName }));
    }
    expect(checkpoints.at(-1)?.state).toEqual(result);
    const resumed = recordCheckpoints(pipeline(), { store, executionId: recorded.executionId });
    const analyzed = checkpoints[1]?.id ?? "";
    expect(await resumed.resumeFromCheckpoint(analyzed, { at: "process" })).toEqual(result);
    expect((await resumed.listCheckpoints()).at(-1)).toMatchObject({ nodeName: "finalize", version: 8 });
  });

  it("keeps the newest three checkpoints of five, and the last one is the newest of its thread", async () => {
    const store = await suite.open();
    const threadId = randomUUID();
    const recorded = recordCheckpoints(pipeline(), { store, threadId, maxCheckpoints: 3 });
    await recorded.invoke(INPUT);
    const names = (await recorded.listCheckpoints()).map(({ nodeName }) => nodeName);
    expect(names).toEqual(["process", "review", "finalize"]);
    expect(await store.latest({ threadId })).toMatchObject({ nodeName: "finalize", version: 5 });
    expect(await recorded.clearCheckpoints()).toBe(3);
    expect(await store.list({ threadId })).toEqual([]);
  });
});
