import { describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import { Annotation, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { z } from "zod";
import { MemoryCheckpointStore, recordCheckpoints } from "../../src/checkpoint-store/index.js";
import { CheckpointNotFoundError, InvalidConfigError } from "../../src/errors/index.js";

const store = new MemoryCheckpointStore();

const Text = Annotation.Root({
  text: Annotation<string>({ reducer: (all, added) => all + added, default: () => "" }),
});

function abc() {
  return new StateGraph(Text)
    .addNode("A", () => ({ text: "A" }))
    .addNode("B", () => ({ text: "B" }))
    .addNode("C", () => ({ text: "C" }))
    .addEdge(START, "A")
    .addEdge("A", "B")
    .addEdge("B", "C")
    .compile();
}

/** A state with a reducer whose default is not neutral. */
const Count = Annotation.Root({
  count: Annotation<number>({ reducer: (sum, added) => sum + added, default: () => 100 }),
  note: Annotation<string>,
});

describe("resumeFromCheckpoint", () => {
  it("continues at a node after an interrupt before it", async () => {
    const recorded = recordCheckpoints(abc(), { store });
    const stopped = await recorded.invoke({ text: "Start" }, { interruptBefore: ["B"] });
    expect(stopped).toMatchObject({ text: "StartA" });
    const [checkpoint, ...others] = await recorded.listCheckpoints();
    expect(others).toEqual([]);
    expect(checkpoint).toMatchObject({ nodeName: "A", state: { text: "StartA" } });
    expect(await recorded.resumeFromCheckpoint(checkpoint?.id ?? "", { at: "B" })).toEqual({
      text: "StartABC",
    });
    expect(
      (await recorded.listCheckpoints()).map(({ nodeName, version }) => `${version} ${nodeName}`),
    ).toEqual(["1 A", "2 B", "3 C"]);
  });

  it("continues with a changed state after an interrupt after a node, in another process too", async () => {
    const recorded = recordCheckpoints(abc(), { store });
    expect(await recorded.invoke({ text: "Start" }, { interruptAfter: ["B"] })).toMatchObject({
      text: "StartAB",
    });
    const elsewhere = recordCheckpoints(abc(), { store, executionId: recorded.executionId });
    const newest = (await elsewhere.listCheckpoints()).at(-1);
    const resume = { at: "C" as const, update: { text: "-Modified" } };
    expect(await elsewhere.resumeFromCheckpoint(newest?.id ?? "", resume)).toEqual({
      text: "StartAB-ModifiedC",
    });
  });

  it("continues with exactly the stored state, whatever the defaults of its reducers are", async () => {
    const graph = new StateGraph(Count)
      .addNode("add", () => ({ count: 1 }))
      .addNode("again", () => ({ count: 1 }))
      .addEdge(START, "add")
      .addEdge("add", "again")
      .compile();
    const recorded = recordCheckpoints(graph, { store });
    expect(await recorded.invoke({ count: 10, note: "n" })).toEqual({ count: 112, note: "n" });
    const [first] = await recorded.listCheckpoints();
    const id = first?.id ?? "";
    expect(await recorded.resumeFromCheckpoint(id, { at: "again" })).toEqual({ count: 112, note: "n" });
    expect(await recorded.resumeFromCheckpoint(id, { at: "again", update: { count: 5 } })).toEqual({
      count: 117,
      note: "n",
    });
  });

  it("continues at several nodes, and passes the options of invoke on", async () => {
    const Log = Annotation.Root({
      log: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
    });
    const graph = new StateGraph(Log)
      .addNode("plan", () => ({ log: ["plan"] }))
      .addNode("left", () => ({ log: ["left"] }))
      .addNode("right", () => ({ log: ["right"] }))
      .addNode("join", () => ({ log: ["join"] }))
      .addEdge(START, "plan")
      .addEdge("plan", "left")
      .addEdge("plan", "right")
      .addEdge(["left", "right"], "join")
      .compile();
    const recorded = recordCheckpoints(graph, { store });
    const { id } = await recorded.saveCheckpoint("plan", { log: ["planned"] });
    const all = ["planned", "left", "right", "join"];
    expect(await recorded.resumeFromCheckpoint(id, { at: ["left", "right"] })).toEqual({ log: all });
    const stopped = recorded.resumeFromCheckpoint(
      id,
      { at: ["left", "right"] },
      { interruptBefore: ["join"] },
    );
    expect(await stopped).toMatchObject({ log: all.slice(0, 3) });
  });

  it("takes the next turn of a conversation: a message is merged, another one removed", async () => {
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("answer", ({ messages }) => ({
        messages: [new AIMessage({ content: `${messages.length} messages`, id: `a${messages.length}` })],
      }))
      .addEdge(START, "answer")
      .compile();
    const recorded = recordCheckpoints(graph, { store, threadId: "conversation" });
    await recorded.invoke({ messages: [new HumanMessage({ content: "hi", id: "h1" })] });
    const newest = await store.latest({ threadId: "conversation" });
    const update = {
      messages: [new RemoveMessage({ id: "h1" }), new HumanMessage({ content: "and?", id: "h2" })],
    };
    const { messages } = await recorded.resumeFromCheckpoint(newest?.id ?? "", { at: "answer", update });
    expect(messages.map(({ id, content }) => [id, content])).toEqual([
      ["a1", "1 messages"],
      ["h2", "and?"],
      ["a2", "2 messages"],
    ]);
  });

  it("refuses a state that a schema of the input would change, before a node runs", async () => {
    const runs: string[] = [];
    const graph = new StateGraph({
      state: z.object({ question: z.string(), draft: z.string().optional() }),
      input: z.object({ question: z.string() }),
    })
      .addNode("write", () => ({ draft: "draft" }))
      .addNode("send", () => {
        runs.push("send");
        return {};
      })
      .addEdge(START, "write")
      .addEdge("write", "send")
      .compile();
    const recorded = recordCheckpoints(graph, { store });
    await recorded.invoke({ question: "?" });
    const [first] = await recorded.listCheckpoints();
    expect(first?.state).toEqual({ question: "?", draft: "draft" });
    await expect(recorded.resumeFromCheckpoint(first?.id ?? "", { at: "send" })).rejects.toThrow(
      expect.objectContaining({ field: "graph" }),
    );
    expect(runs).toEqual(["send"]);
  });

  it("refuses an unknown checkpoint, an unknown node and an unknown key", async () => {
    const recorded = recordCheckpoints(abc(), { store });
    await expect(recorded.resumeFromCheckpoint("none", { at: "A" })).rejects.toThrow(CheckpointNotFoundError);
    const { id } = await recorded.saveCheckpoint("A", { text: "A" });
    const graph: Parameters<typeof recordCheckpoints>[0] = abc();
    const untyped = recordCheckpoints(graph, { store });
    for (const [field, resume] of [
      ["resume.at", { at: "D" }],
      ["resume.at", { at: [] }],
      ["resume.after", { at: "A", ...{ after: "B" } }],
      ["update", { at: "A", update: "text" }],
      ["update.words", { at: "A", update: { words: "" } }],
    ] as const) {
      await expect(untyped.resumeFromCheckpoint(id, resume)).rejects.toThrow(
        expect.objectContaining({ field }),
      );
    }
    const { id: damaged } = await untyped.saveCheckpoint("A", "no object");
    await expect(untyped.resumeFromCheckpoint(damaged, { at: "A" })).rejects.toThrow(InvalidConfigError);
  });
});

describe("updateState", () => {
  const graph = new StateGraph(Count)
    .addNode("A", () => ({ count: 1 }))
    .addEdge(START, "A")
    .compile();

  it("stores the newest state merged with the update by the reducers, as a new checkpoint", async () => {
    const recorded = recordCheckpoints(graph, { store });
    await recorded.invoke({ count: -90, note: "before" });
    const updated = await recorded.updateState("human", { count: 5, note: "after" });
    expect(updated).toMatchObject({
      nodeName: "human",
      state: { count: 16, note: "after" },
      version: 2,
      metadata: { execution_id: recorded.executionId, source: "update_state", updated_by: "human" },
    });
    expect(await recorded.loadCheckpoint(updated.id)).toEqual(updated);
    expect(await recorded.updateState("human", { note: "later" })).toMatchObject({
      state: { count: 16, note: "later" },
      version: 3,
    });
  });

  it("begins with the defaults where there is no checkpoint", async () => {
    const recorded = recordCheckpoints(graph, { store });
    expect(await recorded.updateState("human", { count: 5 })).toMatchObject({
      state: { count: 105 },
      version: 1,
    });
  });
});
