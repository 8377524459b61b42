import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { Annotation, Command, interrupt, START, StateGraph } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { PostgresSaver, ShallowPostgresSaver } from "../../src/index.js";
import { describeGraphs, type Thread } from "../graphs/support/describe-graphs.js";
import { metadataOf, newThread, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { idAt } from "./id-at.js";

const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (current, added) => [...current, ...added], default: () => [] }),
});

/** A graph that calls a subgraph, which calls another one. The inner one interrupts if its input says so. */
function nested({ saver }: { readonly saver: BaseCheckpointSaver }) {
  const inner = new StateGraph(State)
    .addNode("think", () => ({ log: ["think"] }))
    .addNode("ask", ({ log }) => ({
      log: log.includes("ask me") ? [String(interrupt("?"))] : ["asked nothing"],
    }))
    .addEdge(START, "think")
    .addEdge("think", "ask")
    .compile();
  const outer = new StateGraph(State)
    .addNode("before", () => ({ log: ["before"] }))
    .addNode("inner", inner)
    .addEdge(START, "before")
    .addEdge("before", "inner")
    .compile();
  const stateful = new StateGraph(State)
    .addNode("count", () => ({ log: ["count"] }))
    .addEdge(START, "count")
    .compile({ checkpointer: true });
  return new StateGraph(State)
    .addNode("outer", outer)
    .addNode("stateful", stateful)
    .addNode("last", () => ({ log: ["last"] }))
    .addEdge(START, "outer")
    .addEdge("outer", "stateful")
    .addEdge("stateful", "last")
    .compile({ checkpointer: saver });
}

async function namespacesOf(
  { saver }: { readonly saver: BaseCheckpointSaver },
  thread: Thread,
): Promise<string[]> {
  const namespaces = new Set<string>();
  for await (const { config } of saver.list(thread))
    namespaces.add(String(config.configurable?.checkpoint_ns));
  return [...namespaces].sort();
}

describeGraphs("subgraph calls of a thread that is pruned", (suite) => {
  const pruneOf = (thread: Thread, keepLast: number, dryRun = false) =>
    suite.saver.prune({ keepLast, threads: [thread.configurable.thread_id], dryRun });

  it("are deleted with the checkpoints that they started from, and counted in a dry run", async () => {
    const thread = suite.newThread();
    const graph = nested(suite);
    for (const question of ["one", "two", "three"]) await graph.invoke({ log: [question] }, thread);
    const state = await graph.getState(thread, { subgraphs: true });
    expect((await namespacesOf(suite, thread)).length).toBeGreaterThan(6);

    const wouldDelete = await pruneOf(thread, 1, true);
    expect(await pruneOf(thread, 1)).toEqual({ ...wouldDelete, dryRun: false });

    expect(await namespacesOf(suite, thread)).toEqual(["", "stateful"]);
    expect(await graph.getState(thread, { subgraphs: true })).toEqual(state);
    expect(await pruneOf(thread, 1)).toMatchObject({ checkpoints: 0, writes: 0, blobs: 0 });
    const { log } = await graph.invoke({ log: ["four"] }, thread);
    expect(log.slice(-6)).toEqual(expect.arrayContaining(["before", "think", "last"]));
  });

  it("are kept while one of them is interrupted, and can be resumed", async () => {
    const thread = suite.newThread();
    const graph = nested(suite);
    await graph.invoke({ log: ["one"] }, thread);
    await graph.invoke({ log: ["ask me"] }, thread);
    const state = await graph.getState(thread, { subgraphs: true });

    await pruneOf(thread, 1);

    const left = await namespacesOf(suite, thread);
    expect(left.filter((ns) => ns.includes(":"))).toHaveLength(2);
    expect(await graph.getState(thread, { subgraphs: true })).toEqual(state);
    const { log } = await graph.invoke(new Command({ resume: "answered" }), thread);
    expect(log).toContain("answered");
    expect(log.at(-1)).toBe("last");
    await pruneOf(thread, 1);
    expect(await namespacesOf(suite, thread)).toEqual(["", "stateful"]);
  });

  it("are kept with a kept checkpoint, so that it reads as before with its subgraphs", async () => {
    const thread = suite.newThread();
    const graph = nested(suite);
    await graph.invoke({ log: ["ask me"] }, thread);
    const { config } = await graph.getState(thread);
    await graph.invoke(new Command({ resume: "answered" }), thread);
    const read = () => graph.getState(config, { subgraphs: true });
    const before = await read();
    expect(before.next).toEqual(["outer"]);

    await pruneOf(thread, 4);

    expect(await read()).toEqual(before);
    await pruneOf(thread, 3);
    expect(await namespacesOf(suite, thread)).toEqual(["", "stateful"]);
  });
});

describeAnyTarget("subgraph calls", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;

  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source);
  });
  afterAll(() => saver.end());

  const minutesAgo = (minutes: number) => idAt(Date.now() - minutes * 60_000);

  async function put(thread: string, ns: string, id: string, parents: Readonly<Record<string, string>> = {}) {
    const checkpoint = {
      v: 4,
      id,
      ts: "2024-01-01T00:00:00.000Z",
      channel_values: { list: [ns] },
      channel_versions: { list: id },
      versions_seen: {},
    };
    const config = threadConfig(thread, { checkpoint_ns: ns });
    const stored = await saver.put(config, checkpoint, metadataOf(0, { parents }), { list: id });
    await saver.putWrites(stored, [["list", [ns]]], "task");
  }

  it("are deleted if their parent was deleted before, once its graph has a newer checkpoint", async () => {
    const thread = newThread();
    const [deleted, call, head] = [minutesAgo(3), minutesAgo(2), minutesAgo(1)];
    await put(thread, "", head);
    await put(thread, "sub:t1", call, { "": deleted });
    await put(thread, "sub:t1|1", call, { "": deleted });
    await put(thread, "sub:t1|inner:t2", call, { "": deleted, "sub:t1": minutesAgo(2.5) });
    await put(thread, "sub", call, { "": deleted });
    await put(thread, "sub|inner:t3", call, { "": deleted, sub: call });
    await put(thread, "mine:own", call);

    expect(await saver.prune([thread])).toMatchObject({ checkpoints: 3, writes: 3, blobs: 3, namespaces: 3 });
    expect(await namespacesOf({ saver }, { configurable: { thread_id: thread } })).toEqual([
      "",
      "mine:own",
      "sub",
      "sub|inner:t3",
    ]);
  });

  it("are deleted in any number, and count as one thread", async () => {
    const thread = newThread();
    await put(thread, "", minutesAgo(1));
    const id = minutesAgo(2);
    await saver.batch(async (batch) => {
      for (let call = 0; call < 450; call++) {
        const config = threadConfig(thread, { checkpoint_ns: `sub:${call}` });
        const checkpoint = {
          v: 4,
          id,
          ts: "2024-01-01T00:00:00.000Z",
          channel_values: {},
          channel_versions: {},
          versions_seen: {},
        };
        await batch.put(config, checkpoint, metadataOf(0, { parents: { "": minutesAgo(3) } }), {});
      }
    });

    const wouldDelete = await saver.prune({ keepLast: 1, threads: [thread], dryRun: true });
    expect(wouldDelete).toMatchObject({ checkpoints: 450, namespaces: 450, threads: 1 });
    expect(await saver.prune([thread])).toEqual({ ...wouldDelete, dryRun: false });
  });

  it("are kept while the parent has not been stored yet, whatever graph the thread before has", async () => {
    const before = newThread();
    await put(before, "", minutesAgo(1));
    const thread = newThread();
    await put(thread, "", minutesAgo(9));
    await put(thread, "sub:t1", minutesAgo(7), { "": minutesAgo(8) });
    const first = newThread();
    await put(first, "sub:t1", minutesAgo(7), { "": minutesAgo(8) });

    const none = { checkpoints: 0, writes: 0, blobs: 0 };
    expect(await saver.prune([before, first])).toMatchObject(none);
    expect(await saver.prune([thread, first])).toMatchObject(none);
  });

  it("are kept while they are as new as the newest checkpoint of their graph", async () => {
    const thread = newThread();
    const id = minutesAgo(5);
    await put(thread, "", id);
    await put(thread, "sub:t1", id, { "": minutesAgo(6) });
    expect(await saver.prune([thread])).toMatchObject({ checkpoints: 0 });
  });

  it("are deleted when their graphs have had no checkpoint for an hour", async () => {
    const thread = newThread();
    await put(thread, "sub:t1|inner:t2", minutesAgo(61), { "": minutesAgo(70), "sub:t1": minutesAgo(65) });
    // Of no graph that its name begins with.
    await put(thread, "sub:t12", minutesAgo(61), { "sub:t1": minutesAgo(65) });

    expect(await saver.prune([thread])).toMatchObject({ checkpoints: 1, writes: 1, blobs: 1 });
  });

  it("are kept while they are younger than olderThanMs, and when their namespace isn't selected", async () => {
    const thread = newThread();
    const parent = minutesAgo(9);
    await put(thread, "", parent);
    await put(thread, "", minutesAgo(1));
    await put(thread, "sub:t1", minutesAgo(4), { "": parent });
    const threads = [thread];

    expect(await saver.prune({ keepLast: 1, threads, namespaces: ["sub:t1"] })).toMatchObject({
      checkpoints: 0,
    });
    const rootOnly = { keepLast: 1, threads, namespaces: [""], dryRun: true };
    expect(await saver.prune(rootOnly)).toMatchObject({ checkpoints: 1, namespaces: 1 });
    expect(await saver.prune({ olderThanMs: 5 * 60_000, threads })).toMatchObject({ checkpoints: 1 });
    expect(await saver.prune({ olderThanMs: 5 * 60_000, threads })).toMatchObject({ checkpoints: 0 });
    expect(await saver.prune({ keepLast: 1, threads, namespaces: [""] })).toMatchObject({ checkpoints: 0 });
    expect(await saver.prune({ keepLast: 1, threads, namespaces: ["sub:t1"] })).toMatchObject({
      checkpoints: 1,
    });
  });

  it("are deleted from the threads of a shallow saver, where each put deletes the parent", async () => {
    const shallow = new ShallowPostgresSaver(database.source);
    const thread = { configurable: { thread_id: newThread() } };
    const graph = nested({ saver: shallow });
    for (const question of ["one", "two"]) await graph.invoke({ log: [question] }, thread);
    expect((await namespacesOf({ saver: shallow }, thread)).length).toBeGreaterThan(2);

    await shallow.prune([thread.configurable.thread_id]);

    expect(await namespacesOf({ saver: shallow }, thread)).toEqual(["", "stateful"]);
    await shallow.end();
  });
});
