import { beforeAll, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import {
  Annotation,
  END,
  MessagesAnnotation,
  messagesStateReducer,
  Overwrite,
  START,
  StateGraph,
} from "@langchain/langgraph";
import type { ChannelReducers } from "../../src/saver/model/channel-reducers.js";
import { newThread, threadConfig } from "../../test-support/checkpoints.js";
import { type AuditedDatabase, describeEachLayout } from "./layouts.js";

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  total: Annotation<number>({ reducer: (a, b) => a + b, default: () => 10 }),
  log: Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
  // LastValue: the last write wins.
  title: Annotation<{ text: string }>(),
});

const REDUCERS: ChannelReducers = {
  messages: (current: never[] = [], update: never[]) => messagesStateReducer(current, update),
  total: (current = 10, update) => Number(current) + Number(update),
  log: (current: string[] = [], update: string[]) => current.concat(update),
  title: (_, update) => update,
  // The channel for the edge from two nodes. Only the graph knows whether its node is deferred.
  "join:left+right:end": (current: string[] = [], update) => [...current, update],
};

describeEachLayout("rebuildBlobs with a graph", (open) => {
  let audited: AuditedDatabase;

  beforeAll(async () => {
    audited = await open();
  });

  function agent() {
    return new StateGraph(State)
      .addNode("ask", ({ total }) => ({
        messages: [new AIMessage({ id: `ai ${total}`, content: "?" })],
        total: 1,
        log: [`ask ${total}`],
        title: { text: `${total}` },
      }))
      .addNode("left", () => ({ total: 2 }))
      .addNode("right", ({ total }) => ({ title: { text: `right ${total}` } }))
      .addNode("end", ({ total }) => ({ total: 5, log: [`end ${total}`] }))
      .addNode("reset", ({ log }) => ({ log: new Overwrite(log.slice(-3)) }))
      .addEdge(START, "ask")
      .addEdge("ask", "left")
      .addEdge("ask", "right")
      .addEdge(["left", "right"], "end")
      .addEdge("end", "reset")
      .addEdge("reset", END)
      .compile({ checkpointer: audited.saver });
  }

  const input = (id: string) => ({ messages: [new HumanMessage({ id, content: "hello" })], total: 100 });

  async function states(thread: string) {
    const all = [];
    for await (const state of agent().getStateHistory(threadConfig(thread))) {
      all.push({ config: state.config, values: state.values as unknown, next: state.next });
    }
    return all;
  }

  const lose = (thread: string, where = "true") =>
    audited.database.query(`delete from checkpoint_blobs where thread_id = $1 and ${where}`, [thread]);

  it("restores lost values at the newest checkpoint", async () => {
    const { saver } = audited;
    const thread = newThread();
    await agent().invoke(input("1"), threadConfig(thread));
    await agent().invoke(input("2"), threadConfig(thread));
    const [before] = await states(thread);
    await lose(thread);
    const rebuilt = await saver.rebuildBlobs(threadConfig(thread), REDUCERS);
    expect(rebuilt.map(({ channel }) => channel)).toEqual(
      expect.arrayContaining(["log", "messages", "title"]),
    );
    expect((await states(thread))[0]).toEqual(before);
    expect(await saver.rebuildBlobs(threadConfig(thread), REDUCERS)).toEqual([]);
  });

  it("restores the values of any checkpoint that tasks wrote", async () => {
    const { saver } = audited;
    const thread = newThread();
    const config = threadConfig(thread);
    await agent().invoke(input("1"), config);
    await agent().updateState(config, { log: ["by hand"], total: 1000 }, "end");
    await agent().invoke(input("2"), config);
    const all = await states(thread);
    const written = all.filter(({ next }) => !next.includes(START));
    // LangGraph does not record the input of a run as a write.
    await lose(thread, "channel <> '__start__'");
    for (const { config: at } of written) await saver.rebuildBlobs(at, REDUCERS);
    const again = (await states(thread)).filter(({ next }) => !next.includes(START));
    expect(again).toEqual(written);
    expect((await agent().getState(config)).values).toEqual(all[0]?.values);
  });

  it("starts from the nearest ancestor with a value, and does not change stored values", async () => {
    const { saver, database } = audited;
    const thread = newThread();
    await agent().invoke(input("1"), threadConfig(thread));
    const [before] = await states(thread);
    // Older writes are deleted, as after a prune. The rebuild does not need them.
    await database.query(
      `delete from checkpoint_writes where thread_id = $1 and checkpoint_id < (
        select max(checkpoint_id) from checkpoint_writes where thread_id = $1)`,
      [thread],
    );
    const tuple = await saver.getTuple(threadConfig(thread));
    const version = tuple?.checkpoint.channel_versions.log;
    await lose(thread, `channel = 'log' and version = '${version}'`);
    const rebuilt = await saver.rebuildBlobs(threadConfig(thread), { log: REDUCERS.log ?? fail });
    expect(rebuilt).toEqual([{ channel: "log", version: String(version), bytes: expect.any(Number) }]);
    expect((await states(thread))[0]).toEqual(before);
  });

  it("applies only the writes of the checkpoint's own branch", async () => {
    const { saver } = audited;
    const thread = newThread();
    const config = threadConfig(thread);
    await agent().invoke(input("1"), { ...config, interruptBefore: ["end"] });
    const past = await agent().getState(config);
    // Since LangGraph.js 1.5 a state update is recorded only at the newest checkpoint.
    const forked = await agent().updateState(config, { log: ["forked"], total: 7 }, "end");
    const fork = await agent().getState(forked);
    await agent().invoke(null, past.config);
    const main = await agent().getState(config);
    await lose(thread, "channel in ('log', 'messages', 'title', 'total')");
    await saver.rebuildBlobs(forked, REDUCERS);
    await saver.rebuildBlobs(main.config, REDUCERS);
    expect((await agent().getState(forked)).values).toEqual(fork.values);
    expect((await agent().getState(main.config)).values).toEqual(main.values);
  });

  it("lets the graph continue an interrupted run", async () => {
    const { saver } = audited;
    const [thread, twin] = [newThread(), newThread()];
    const interrupted = (t: string) =>
      agent().invoke(input("1"), { ...threadConfig(t), interruptBefore: ["end"] });
    await interrupted(thread);
    await interrupted(twin);
    await lose(thread);
    await saver.rebuildBlobs(threadConfig(thread), REDUCERS);
    expect((await agent().getState(threadConfig(thread))).next).toEqual(["end"]);
    const [ended, expected] = [
      await agent().invoke(null, threadConfig(thread)),
      await agent().invoke(null, threadConfig(twin)),
    ];
    expect(ended).toEqual(expected);
  });
});

function fail(): never {
  throw new Error("no reducer");
}
