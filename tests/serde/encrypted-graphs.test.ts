import { beforeAll, describe, expect, it } from "@jest/globals";
import { randomUUID } from "node:crypto";
import {
  Annotation,
  Command,
  DeltaChannel,
  interrupt,
  MemorySaver,
  Send,
  START,
  StateGraph,
} from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { PostgresSaver } from "../../src/index.js";
import { AesGcmSerializer, CompressedSerializer } from "../../src/serde/index.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { rowsAsText, rowsWith } from "./rows-as-text.js";

const SECRET = "MARKER-OF-A-SECRET-VALUE";

const append = (current: string[], added: string[]): string[] => [...current, ...added];

const State = Annotation.Root({
  secret: Annotation<string>,
  amount: Annotation<number>,
  log: Annotation<string[]>({ reducer: append, default: () => [] }),
  // Sorted, since parallel tasks write in the order of their ids, which differ from run to run.
  delta: new DeltaChannel<string[], string[]>((current, added) => [...current, ...added.flat()].sort(), {
    snapshotFrequency: 3,
  }),
});

function say(text: string): { log: string[]; delta: string[] } {
  return { log: [text], delta: [text] };
}

/** Sends, a subgraph with an interrupt, and a node that fails once, so that every kind of row is written. */
function buildGraph(checkpointer: BaseCheckpointSaver) {
  let failures = 1;
  const ask = new StateGraph(State)
    .addNode("question", ({ secret }) => say(`answer ${String(interrupt(`is it ${secret}?`))}`))
    .addEdge(START, "question");
  return new StateGraph(State)
    .addNode("begin", ({ secret }) => say(`begin ${secret}`))
    .addNode("work", ({ secret }) => say(`work ${secret}`))
    .addNode("ask", ask.compile())
    .addNode("fail", ({ secret }) => {
      if (failures-- > 0) throw new Error(`failed with ${secret}`);
      return { ...say("done"), amount: 2 };
    })
    .addEdge(START, "begin")
    .addConditionalEdges("begin", () => ["a", "b"].map((name) => new Send("work", { secret: SECRET + name })))
    .addEdge("work", "ask")
    .addEdge("ask", "fail")
    .compile({ checkpointer });
}

/** Runs a thread from beginning to end, and returns everything that a caller sees. */
async function runThread(checkpointer: BaseCheckpointSaver): Promise<unknown[]> {
  const graph = buildGraph(checkpointer);
  const thread = { configurable: { thread_id: randomUUID() }, durability: "sync" } as const;
  const asked = await graph.invoke({ secret: SECRET, amount: 1, ...say(SECRET) }, thread);
  const waiting = await graph.getState(thread, { subgraphs: true });
  const failure: unknown = await graph
    .invoke(new Command({ resume: SECRET }), thread)
    .catch((error: unknown) => String(error));
  const failed = await graph.getState(thread);
  const done: unknown = await graph.invoke(null, thread);
  const history = [];
  for await (const snapshot of graph.getStateHistory(thread)) history.push(snapshot);
  const early = history.find(({ next }) => next.includes("begin"));
  const fork = await graph.updateState(early?.config ?? {}, { log: ["forked"] });
  const replayed = await graph.invoke(null, { ...thread, ...fork });
  return [
    withoutIds(asked),
    waiting.tasks.map(({ name, interrupts }) => [name, interrupts.map(({ value }): unknown => value)]),
    failure,
    failed.tasks.map(({ name, error }) => [name, error]),
    done,
    history.map(({ values, next }): unknown => [values, next]),
    withoutIds(replayed),
  ];
}

/** Removes the ids of interrupts, which depend on the ids of tasks and so differ from run to run. */
function withoutIds(state: object): unknown {
  return Object.entries(state).filter(([name]) => name !== "__interrupt__");
}

describeAnyTarget("a graph on an encrypting saver", (target) => {
  const keys = [{ id: "1", key: Buffer.alloc(32, 1) }];
  let database: TestDatabase;

  beforeAll(async () => {
    database = await target.migratedDatabase();
  });

  describe.each([
    ["every value is compressed", 0],
    ["none is", Infinity],
  ])("if %s", (_what, thresholdBytes) => {
    it("behaves as in memory, and leaves nothing legible in the database", async () => {
      const inner = new CompressedSerializer(undefined, { thresholdBytes });
      const saver = new PostgresSaver(database.source, new AesGcmSerializer(inner, { keys, strict: true }));
      expect(await runThread(saver)).toEqual(await runThread(new MemorySaver()));
      const rows = await rowsAsText(database);
      expect(rows.length).toBeGreaterThan(50);
      expect(rowsWith(rows, SECRET)).toEqual([]);
      await saver.end();
    });
  });

  it("leaves legible values without encryption", async () => {
    const saver = new PostgresSaver(database.source, undefined, { schema: "plain" });
    await saver.setup();
    await runThread(saver);
    expect(rowsWith(await rowsAsText(database), SECRET).length).toBeGreaterThan(10);
    await saver.end();
  });
});
