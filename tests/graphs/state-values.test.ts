import { expect, it } from "@jest/globals";
import { Document } from "@langchain/core/documents";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { Annotation, type BaseCheckpointSaver, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { describeGraphs, type GraphSuite } from "./support/describe-graphs.js";
import { historyOf } from "./support/history.js";
import { LogState, says } from "./support/log-state.js";

const ValueState = Annotation.Root({ value: Annotation<unknown> });

const shared = { id: "shared" };

const VALUES: Record<string, unknown> = {
  null: null,
  "false, zero and the empty text": [false, 0, ""],
  "a nested undefined": { there: undefined, list: [1, undefined, 3] },
  "numbers that JSON can't hold": [Number.NaN, Infinity, -Infinity, -0],
  "a large integer": 2n ** 200n,
  "a Date in a Map in a Set": new Set([new Map([["at", new Date(1_700_000_000_123)]])]),
  "a Map with keys of many types": new Map<unknown, unknown>([
    [1, "number"],
    ["1", "text"],
    [new Date(0), "date"],
  ]),
  bytes: Uint8Array.of(0, 1, 255),
  "a typed array": Float64Array.of(0.5, -1),
  "a RegExp": /[a-z]+/giu,
  "a URL": new URL("https://example.com/a?b=c#d"),
  "an Error": new TypeError("wrong", { cause: "another" }),
  "text with NUL and half a character": "a\u0000b\ud800c",
  "a key called __proto__": Object.fromEntries([["__proto__", { polluted: true }]]),
  "what looks like a LangChain record": { lc: 1, type: "constructor", id: ["os", "system"], kwargs: {} },
  messages: [
    new SystemMessage("be brief"),
    new HumanMessage({ content: [{ type: "text", text: "hi" }], id: "h" }),
    new AIMessage({ content: "", tool_calls: [{ name: "t", args: { a: 1 }, id: "c" }] }),
    new ToolMessage({ content: "42", tool_call_id: "c", artifact: { rows: [1n] } }),
  ],
  "a document": new Document({ pageContent: "text", metadata: { page: 3 } }),
  "one object in two places": { left: shared, right: shared },
};

function keeps(suite: GraphSuite, value: unknown) {
  return new StateGraph(ValueState)
    .addNode("set", () => ({ value }))
    .addNode("rest", () => ({}))
    .addEdge(START, "set")
    .addEdge("set", "rest")
    .compile({ checkpointer: suite.saver });
}

const PartlyUndefined = Annotation.Root({
  ...LogState.spec,
  cleared: Annotation<unknown>,
  replaced: Annotation<unknown>({ reducer: (_current, next) => next, default: () => "default" }),
});

/** Channels whose value is undefined: those of deferred nodes, and one of the state. */
function holdsUndefined(checkpointer: BaseCheckpointSaver) {
  return new StateGraph(PartlyUndefined)
    .addNode("first", ({ cleared, replaced }) => ({
      log: [`${String(cleared)}, ${String(replaced)}`],
      cleared: undefined,
      replaced: undefined,
    }))
    .addNode("left", says("left"))
    .addNode("right", says("right"))
    .addNode("afterAll", says("afterAll"), { defer: true })
    .addNode("joined", says("joined"), { defer: true })
    .addEdge(START, "first")
    .addEdge("first", "left")
    .addEdge("first", "afterAll")
    .addEdge("left", "right")
    .addEdge(["left", "right"], "joined")
    .compile({ checkpointer, interruptBefore: ["right"] });
}

describeGraphs("a state", (suite) => {
  it.each(Object.keys(VALUES))("is read back equal with %s", async (name) => {
    const value = VALUES[name];
    const graph = keeps(suite, value);
    const thread = suite.newThread();

    await graph.invoke({ value: "initial" }, thread);

    const state = await graph.getState(thread);
    expect(state.values).toStrictEqual({ value });
  });

  it("distinguishes the value undefined from a missing value", async () => {
    const State = Annotation.Root({ set: Annotation<unknown>, never: Annotation<unknown> });
    const graph = new StateGraph(State)
      .addNode("clear", () => ({ set: undefined }))
      .addEdge(START, "clear")
      .compile({ checkpointer: suite.saver });
    const thread = suite.newThread();
    await graph.invoke({ set: 1 }, thread);

    const tuple = await suite.saver.getTuple(thread);

    expect(tuple?.checkpoint.channel_values).toStrictEqual({ set: undefined });
  });

  it("with undefined channels continues as with LangGraph's in-memory saver", async () => {
    const thread = suite.newThread();
    const histories = await Promise.all(
      [suite.saver, new MemorySaver()].map(async (saver) => {
        const graph = holdsUndefined(saver);
        for (const input of [{ log: ["in"], cleared: 1 }, null, { log: ["again"], replaced: 2 }, null])
          await graph.invoke(input, thread);
        return (await historyOf(graph, thread)).map(({ values, next }) => ({
          values: values as unknown,
          next,
        }));
      }),
    );
    expect(histories[0]).toStrictEqual(histories[1]);
    expect(histories[0]).toHaveLength(12);
  });

  it("that can't be stored fails the run with the path of the value", async () => {
    const graph = keeps(suite, { deep: [{ callback: () => undefined }] });
    const thread = suite.newThread();

    const run = graph.invoke({ value: "initial" }, { ...thread, durability: "sync" });

    await expect(run).rejects.toMatchObject({
      code: "SERIALIZATION_FAILED",
      channel: "value",
      path: "deep[0].callback",
    });
    expect((await graph.getState(thread)).values).toEqual({ value: "initial" });
  });

  it("is separate for each of several concurrent graphs on one saver", async () => {
    const runs = Array.from({ length: 20 }, (_, index) => ({
      graph: keeps(suite, { run: index }),
      thread: suite.newThread(),
    }));

    await Promise.all(runs.map(({ graph, thread }) => graph.invoke({ value: "initial" }, thread)));

    const states = await Promise.all(runs.map(({ graph, thread }) => graph.getState(thread)));
    expect(states.map((state): unknown => state.values)).toEqual(
      runs.map((_, index) => ({ value: { run: index } })),
    );
  });
});
