import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import {
  Annotation,
  entrypoint,
  MemorySaver,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
  task,
} from "@langchain/langgraph";
import {
  type ExecutionCheckpoint,
  MemoryCheckpointStore,
  recordCheckpoints,
} from "../../src/checkpoint-store/index.js";
import { CheckpointNotFoundError, InvalidConfigError } from "../../src/errors/index.js";

const Word = Annotation.Root({
  text: Annotation<string>({ reducer: (all, added) => all + added, default: () => "" }),
});

const TWELVE = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];

/** A graph of nodes in a row, each of which adds its name to the text. */
function row(...names: readonly string[]) {
  const graph = new StateGraph(Word);
  const nodes = graph.addSequence(
    names.map((name) => [name, () => ({ text: name })] as [string, () => { text: string }]),
  );
  return nodes.addEdge(START, names[0] ?? "").compile();
}

const steps = (checkpoints: readonly ExecutionCheckpoint[]) =>
  checkpoints.map(({ nodeName, version }) => `${version} ${nodeName}`);

describe("recordCheckpoints", () => {
  const store = new MemoryCheckpointStore();

  it("stores one checkpoint for each super-step, with its node, its state and what it is listed by", async () => {
    const recorded = recordCheckpoints(row("step1", "step2"), { store, executionId: "e1", threadId: "t1" });
    expect(await recorded.invoke({ text: "in " })).toEqual({ text: "in step1step2" });
    const [first, second] = await recorded.listCheckpoints();
    expect(first).toEqual({
      id: expect.stringMatching(/^checkpoint_/),
      nodeName: "step1",
      state: { text: "in step1" },
      metadata: { execution_id: "e1", thread_id: "t1", event: "step", nodes: ["step1"] },
      timestamp: expect.any(Date),
      version: 1,
    });
    expect(second).toMatchObject({ nodeName: "step2", state: { text: "in step1step2" }, version: 2 });
    expect(await store.list({ threadId: "t1" })).toEqual([first, second]);
  });

  it("gives each recording an execution of its own, and keeps the newest ten checkpoints", async () => {
    const graph = row(...TWELVE);
    const one = recordCheckpoints(graph, { store });
    const other = recordCheckpoints(graph, { store });
    await Promise.all([one.invoke({ text: "" }), other.invoke({ text: "" })]);
    expect(one.executionId).not.toBe(other.executionId);
    expect(steps(await one.listCheckpoints())).toEqual(
      TWELVE.slice(2).map((name, index) => `${index + 3} ${name}`),
    );
    expect(await other.listCheckpoints()).toHaveLength(10);
  });

  it("keeps the newest maxCheckpoints, and all of them for 0", async () => {
    const three = recordCheckpoints(row("1", "2", "3", "4", "5"), { store, maxCheckpoints: 3 });
    await three.invoke({ text: "" });
    expect(steps(await three.listCheckpoints())).toEqual(["3 3", "4 4", "5 5"]);
    const all = recordCheckpoints(row(...TWELVE), { store, maxCheckpoints: 0 });
    await all.invoke({ text: "" });
    expect(await all.listCheckpoints()).toHaveLength(12);
  });

  it("names the nodes of a parallel super-step in order, and each node of several Sends once", async () => {
    const State = Annotation.Root({
      log: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
    });
    const graph = new StateGraph(State)
      .addNode("plan", () => ({ log: ["plan"] }))
      .addNode("awaiting", async () => {
        await setImmediate();
        return { log: ["awaiting"] };
      })
      .addNode("middle", () => ({ log: ["middle"] }))
      .addNode("fast", () => ({ log: ["fast"] }))
      .addNode("work", () => ({ log: ["work"] }))
      .addEdge(START, "plan")
      .addEdge("plan", "awaiting")
      .addEdge("plan", "middle")
      .addEdge("plan", "fast")
      .addConditionalEdges("fast", () => [new Send("work", {}), new Send("work", {})])
      .compile();
    const recorded = recordCheckpoints(graph, { store });
    await recorded.invoke({ log: [] });
    const checkpoints = await recorded.listCheckpoints();
    expect(steps(checkpoints)).toEqual(["1 plan", "2 awaiting,fast,middle", "3 work"]);
    expect(checkpoints.map(({ state }) => state.log.length)).toEqual([1, 4, 6]);
    expect(checkpoints[1]?.metadata).toMatchObject({ nodes: ["awaiting", "fast", "middle"] });
  });

  it("stores a checkpoint for a node that changes nothing", async () => {
    const graph = new StateGraph(Word)
      .addNode("look", () => ({}))
      .addNode("again", () => ({}))
      .addEdge(START, "look")
      .addEdge("look", "again")
      .compile();
    const recorded = recordCheckpoints(graph, { store });
    await recorded.invoke({ text: "same" });
    const checkpoints = await recorded.listCheckpoints();
    expect(steps(checkpoints)).toEqual(["1 look", "2 again"]);
    expect(checkpoints.map(({ state }) => state)).toEqual([{ text: "same" }, { text: "same" }]);
  });

  it("stores messages, dates and maps so that they are equal when they are loaded", async () => {
    const State = Annotation.Root({
      ...MessagesAnnotation.spec,
      at: Annotation<Date>,
      seen: Annotation<Map<string, bigint>>,
    });
    const graph = new StateGraph(State)
      .addNode("answer", () => ({
        messages: [new AIMessage({ content: "hello", id: "2" })],
        seen: new Map([["a", 1n]]),
      }))
      .addEdge(START, "answer")
      .compile();
    const recorded = recordCheckpoints(graph, { store });
    const result = await recorded.invoke({
      messages: [new HumanMessage({ content: "hi", id: "1" })],
      at: new Date(0),
    });
    const [checkpoint] = await recorded.listCheckpoints();
    expect(checkpoint?.state).toEqual(result);
    expect(checkpoint?.state.messages.map((message) => message.type)).toEqual(["human", "ai"]);
  });

  it("stores the result of an entrypoint", async () => {
    const add = task("add", (n: number) => Promise.resolve(n + 1));
    const recorded = recordCheckpoints(
      entrypoint("twice", async (n: number) => add(await add(n))),
      { store },
    );
    expect(await recorded.invoke(1)).toBe(3);
    expect(await recorded.listCheckpoints()).toMatchObject([{ nodeName: "add,twice", state: 3 }]);
  });

  it("saves, loads, lists and clears by hand", async () => {
    const recorded = recordCheckpoints(row("node"), { store });
    const saved = await recorded.saveCheckpoint("node", { text: "by hand" });
    expect(saved).toMatchObject({
      nodeName: "node",
      version: 1,
      metadata: { source: "manual_save", saved_by: "node" },
    });
    expect(await recorded.loadCheckpoint(saved.id)).toEqual(saved);
    await recorded.saveCheckpoint("other", { text: "later" });
    expect(steps(await recorded.listCheckpoints({ order: "desc" }))).toEqual(["2 other", "1 node"]);
    expect(await recorded.clearCheckpoints()).toBe(2);
    expect(await recorded.listCheckpoints()).toEqual([]);
    await expect(recorded.loadCheckpoint(saved.id)).rejects.toThrow(CheckpointNotFoundError);
    expect(await recorded.saveCheckpoint("node", { text: "anew" })).toMatchObject({ version: 1 });
  });

  it("counts versions up from the newest stored one, whoever stored it", async () => {
    const executionId = "shared";
    const one = recordCheckpoints(row("a"), { store, executionId });
    const other = recordCheckpoints(row("b"), { store, executionId });
    await one.invoke({ text: "" });
    await other.invoke({ text: "" });
    await one.invoke({ text: "" });
    await other.saveCheckpoint("c", { text: "" });
    expect(steps(await one.listCheckpoints())).toEqual(["1 a", "2 b", "3 a", "4 c"]);
  });

  it("stores nothing for a node that fails, and all states before it", async () => {
    const fails = () => {
      throw new Error("simulated failure");
    };
    const failing = new StateGraph(Word).addNode("bad", fails).addEdge(START, "bad").compile();
    const first = recordCheckpoints(failing, { store });
    await expect(first.invoke({ text: "" })).rejects.toThrow("simulated failure");
    expect(await first.listCheckpoints()).toEqual([]);
    const graph = new StateGraph(Word)
      .addNode("good", () => ({ text: "good" }))
      .addNode("fine", () => ({ text: "fine" }))
      .addNode("bad", fails)
      .addEdge(START, "good")
      .addEdge("good", "fine")
      .addEdge("good", "bad")
      .compile();
    const second = recordCheckpoints(graph, { store });
    await expect(second.invoke({ text: "" })).rejects.toThrow("simulated failure");
    expect(steps(await second.listCheckpoints())).toEqual(["1 good"]);
  });

  it.each<[string, object]>([
    ["options.store", {}],
    ["options.store", { store: {} }],
    ["options.executionId", { store, executionId: "" }],
    ["options.threadId", { store, threadId: "\0" }],
    ["options.autoSave", { store, autoSave: 1 }],
    ["options.saveIntervalMs", { store, saveIntervalMs: 0 }],
    ["options.maxCheckpoints", { store, maxCheckpoints: -1 }],
    ["options.onError", { store, onError: "ignore" }],
    ["options.interval", { store, interval: 1 }],
  ])("refuses %s in %j", (field, options) => {
    const given = options as Parameters<typeof recordCheckpoints>[1];
    expect(() => recordCheckpoints(row("a"), given)).toThrow(expect.objectContaining({ field }));
  });

  it("refuses what is no graph, a graph with a checkpointer, and options that hide parts of the state", async () => {
    const graph = new StateGraph(Word)
      .addNode("a", () => ({}))
      .addEdge(START, "a")
      .compile({ checkpointer: new MemorySaver() });
    expect(() => recordCheckpoints(graph, { store })).toThrow(InvalidConfigError);
    const recorded = recordCheckpoints(row("a"), { store });
    await expect(recorded.invoke({ text: "" }, { outputKeys: ["text"] })).rejects.toThrow(InvalidConfigError);
    await expect(recorded.stream({ text: "" }, { encoding: "text/event-stream" })).rejects.toThrow(
      InvalidConfigError,
    );
  });
});
