import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";
import {
  Annotation,
  type BaseCheckpointSaver,
  Command,
  DeltaChannel,
  interrupt,
  MemorySaver,
  Send,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { PostgresSaver as OfficialSaver } from "@langchain/langgraph-checkpoint-postgres";
import pg from "pg";
import {
  AbortError,
  copyThreads,
  InvalidConfigError,
  PostgresSaver,
  ThreadCopyError,
} from "../../src/index.js";
import {
  checkpointOf,
  collect,
  metadataOf,
  newThread,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { describeAnyTarget, describeServer, onOneServer } from "../../test-support/targets.js";
import { throwingProxy } from "../saver/bad-input/bad-input.js";
import { historyOf, stateBefore } from "../graphs/support/history.js";

const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (current, added) => [...current, ...added], default: () => [] }),
  delta: new DeltaChannel<string[], string[]>((current, writes) => [...current, ...writes.flat()]),
  plan: Annotation<string>(),
  // No node writes to it, and it is stored in a row of its own.
  facts: Annotation<{ readonly by: string }>(),
});

const both = (entry: string) => ({ log: [entry], delta: [entry] });

/** Parallel nodes, Sends, an interrupt in a node, and one in a subgraph. */
function planner(checkpointer: BaseCheckpointSaver) {
  const inner = new StateGraph(State)
    .addNode("draft", ({ plan }) => both(`draft of ${plan}`))
    .addNode("review", () => both(`review ${String(interrupt("good?"))}`))
    .addEdge(START, "draft")
    .addEdge("draft", "review")
    .compile();
  return new StateGraph(State)
    .addNode("first", ({ log }) => ({ ...both(`first ${log.length}`), plan: `plan ${log.length}` }))
    .addNode("beside", () => both("beside"))
    .addNode("worker", ({ log }) => both(`worker after ${log.length}`))
    .addNode("ask", ({ plan }) => both(`${plan}: ${String(interrupt("how?"))}`))
    .addNode("inner", async ({ plan }) => {
      const { log } = await inner.invoke({ log: [], delta: [], plan });
      return both(log.join());
    })
    .addEdge(START, "first")
    .addEdge(START, "beside")
    .addConditionalEdges("first", (state) => [new Send("worker", state), new Send("worker", state)], [
      "worker",
    ])
    .addEdge("first", "ask")
    .addEdge("ask", "inner")
    .compile({ checkpointer });
}

/** A thread that stops at the question of `ask`. */
async function begin(saver: BaseCheckpointSaver, threadId = newThread()): Promise<string> {
  await planner(saver).invoke({ log: ["start"], delta: ["start"] }, threadConfig(threadId));
  return threadId;
}

/** Answers both questions, and returns the state. */
async function answerAll(saver: BaseCheckpointSaver, threadId: string): Promise<unknown> {
  const graph = planner(saver);
  await graph.invoke(new Command({ resume: "so" }), threadConfig(threadId));
  await graph.invoke(new Command({ resume: "yes" }), threadConfig(threadId));
  const state = await graph.getState(threadConfig(threadId));
  return { values: state.values as unknown, next: state.next };
}

/** Branches off before `ask`, and ends both branches. */
async function branch(saver: BaseCheckpointSaver, threadId: string): Promise<void> {
  const graph = planner(saver);
  const { config } = await stateBefore(graph, threadConfig(threadId), "ask");
  await answerAll(saver, threadId);
  await graph.updateState(
    config,
    { ...both("other branch"), plan: "another plan", facts: { by: "me" } },
    "first",
  );
  await graph.invoke(null, threadConfig(threadId));
  await answerAll(saver, threadId);
}

async function expectSameThread(
  source: BaseCheckpointSaver,
  target: BaseCheckpointSaver,
  threadId: string,
): Promise<void> {
  const [expected, actual] = await Promise.all(
    [source, target].map((saver) => historyOf(planner(saver), threadConfig(threadId))),
  );
  expect(actual).toEqual(expected);
  expect(await keysOf(target, threadId)).toEqual(await keysOf(source, threadId));
}

/** The place, the parent and the writes of each checkpoint, in all namespaces. */
async function keysOf(saver: BaseCheckpointSaver, threadId: string): Promise<unknown[]> {
  const tuples = await collect(saver.list(threadConfig(threadId)));
  const keys = tuples.map(({ config, parentConfig, metadata, pendingWrites = [] }) => ({
    at: [config.configurable?.checkpoint_ns, config.configurable?.checkpoint_id].join(),
    parent: parentConfig?.configurable?.checkpoint_id as unknown,
    metadata,
    writes: pendingWrites.map(([task, channel]) => [task, channel].join()).sort(),
  }));
  return keys.sort((a, b) => (a.at < b.at ? -1 : 1));
}

const KINDS = ["an interrupt", "an interrupt in a subgraph", "its end", "two branches"] as const;

async function makeThread(saver: BaseCheckpointSaver, kind: (typeof KINDS)[number]): Promise<string> {
  const threadId = await begin(saver);
  if (kind === "an interrupt in a subgraph")
    await planner(saver).invoke(new Command({ resume: "so" }), threadConfig(threadId));
  if (kind === "its end") await answerAll(saver, threadId);
  if (kind === "two branches") await branch(saver, threadId);
  return threadId;
}

describeAnyTarget("copyThreads", (target) => {
  let saver: PostgresSaver;
  let memory: MemorySaver;
  beforeAll(async () => {
    saver = new PostgresSaver((await target.migratedDatabase()).source);
  });
  afterAll(() => saver.end());
  beforeEach(() => {
    memory = new MemorySaver();
  });

  it.each(KINDS)("copies a thread at %s from a MemorySaver, and it continues alike", async (kind) => {
    const threadId = await makeThread(memory, kind);
    expect(await copyThreads(memory, saver)).toMatchObject({ total: 1, threads: 1, skipped: 0, missing: [] });
    await expectSameThread(memory, saver, threadId);
    expect(await answerAll(saver, threadId)).toEqual(await answerAll(memory, threadId));
  });

  it.each(KINDS)("copies a thread at %s into a MemorySaver, and it continues alike", async (kind) => {
    const threadId = await makeThread(saver, kind);
    await copyThreads(saver, memory, { threads: [threadId] });
    await expectSameThread(saver, memory, threadId);
    expect(await answerAll(memory, threadId)).toEqual(await answerAll(saver, threadId));
  });

  it("keeps the versions of a MemorySaver, except those that two branches share", async () => {
    const threadId = await makeThread(memory, "two branches");
    await copyThreads(memory, saver);
    const tuples = await collect(saver.list(threadConfig(threadId, { checkpoint_ns: "" })));
    const versions = tuples.map(({ checkpoint }) => checkpoint.channel_versions.log ?? 0);
    expect(versions.filter(Number.isInteger)).not.toHaveLength(0);
    expect(versions.some((version) => !Number.isInteger(version))).toBe(true);
    const copied = await planner(saver).getState(threadConfig(threadId));
    expect(copied.values).toMatchObject({ plan: "another plan" });
  });

  it("brings what the source has stored since the last copy, and nothing twice", async () => {
    const threadId = await begin(memory);
    const first = await copyThreads(memory, saver);
    expect(await copyThreads(memory, saver)).toEqual({
      ...{ total: 1, threads: 1, missing: [], damaged: [] },
      ...{ checkpoints: 0, skipped: first.checkpoints },
    });
    await answerAll(memory, threadId);
    expect(await copyThreads(memory, saver)).toMatchObject({ skipped: first.checkpoints });
    await expectSameThread(memory, saver, threadId);
  });

  it("keeps the branches of the last copy apart, where the source has deleted one of them since", async () => {
    const threadId = await begin(memory);
    const graph = planner(memory);
    const { config } = await stateBefore(graph, threadConfig(threadId), "ask");
    const branches = [];
    for (const plan of ["left", "right"]) {
      branches.push(await graph.updateState(config, { ...both(plan), facts: { by: plan } }, "first"));
    }
    await copyThreads(memory, saver);
    const stored = memory.storage[threadId]?.[""] ?? {};
    Reflect.deleteProperty(stored, String(branches[0]?.configurable?.checkpoint_id));
    await graph.invoke(null, branches[1]);
    await answerAll(memory, threadId);
    await copyThreads(memory, saver);
    const copied = await planner(saver).getState(threadConfig(threadId));
    expect(copied.values).toEqual((await graph.getState(threadConfig(threadId))).values);
  });

  it("continues a copy that was aborted, and says how far it is", async () => {
    const threads = [await makeThread(memory, "its end"), await makeThread(memory, "two branches")];
    const stop = new AbortController();
    let stored = 0;
    const onProgress = ({ checkpoints }: { checkpoints: number }): void => {
      stored = checkpoints;
      if (checkpoints === 5) stop.abort();
    };
    const aborted = copyThreads(memory, saver, { signal: stop.signal, onProgress });
    await expect(aborted).rejects.toThrow(AbortError);
    expect(stored).toBe(5);
    expect(await copyThreads(memory, saver)).toMatchObject({ total: 2, threads: 2, skipped: 5 });
    for (const threadId of threads) await expectSameThread(memory, saver, threadId);
  });

  it("copies only the named threads, and says which ones the source lacks", async () => {
    const [named, other] = [await begin(memory), await begin(memory)];
    const nowhere = newThread();
    expect(await copyThreads(memory, saver, { threads: [named, nowhere, named] })).toMatchObject({
      ...{ total: 2, threads: 1, missing: [nowhere] },
    });
    expect(await saver.getTuple(threadConfig(other))).toBeUndefined();
  });

  it("names the checkpoint that the target refuses, copies the other threads, and stops there with `strict`", async () => {
    const [fine, refused] = ["a", "b"].map((name) => `${name} ${newThread()}`);
    await begin(memory, fine);
    const checkpoint = checkpointOf(memory, {});
    const unreadable = { ...checkpoint, channel_versions: { ["__proto__ \0"]: 1 } };
    await memory.put(threadConfig(refused ?? ""), unreadable, metadataOf());
    const threads = [refused ?? "", fine ?? ""];
    const place = { threadId: refused, checkpointNs: "", checkpointId: checkpoint.id };
    expect(await copyThreads(memory, saver, { threads })).toMatchObject({
      ...{ total: 2, threads: 1, missing: [] },
      damaged: [{ ...place, reason: expect.stringMatching(/Invalid key/) }],
    });
    const failed = copyThreads(memory, saver, { threads: threads.toReversed(), strict: true });
    await expect(failed).rejects.toMatchObject({
      name: ThreadCopyError.name,
      code: "THREAD_COPY_FAILED",
      ...place,
      progress: { total: 2, threads: 1 },
      cause: expect.any(InvalidConfigError),
    });
    await expectSameThread(memory, saver, fine ?? "");
  });

  it("copies a checkpoint whose parent was deleted", async () => {
    const threadId = await makeThread(saver, "its end");
    await saver.prune([threadId]);
    const before = await planner(saver).getState(threadConfig(threadId));
    await copyThreads(saver, memory, { threads: [threadId] });
    const copied = await planner(memory).getState(threadConfig(threadId));
    expect(copied.values).toEqual(before.values);
  });

  it("refuses what is no saver, and the same saver twice", async () => {
    await expect(copyThreads(memory, memory)).rejects.toThrow(/^target: must be another saver/);
    const nothing: unknown = {};
    await expect(copyThreads(throwingProxy() as MemorySaver, saver)).rejects.toThrow(/^source: must be/);
    await expect(copyThreads(memory, saver, { threads: [""] })).rejects.toThrow(InvalidConfigError);
    await expect(copyThreads(nothing as MemorySaver, saver)).rejects.toThrow(
      /^source: must be a checkpoint saver/,
    );
  });
});

onOneServer("it refuses the official saver's statements", describeServer)(
  "copyThreads and the official saver",
  (server) => {
    let pool: pg.Pool;
    let official: OfficialSaver;
    let saver: PostgresSaver;
    beforeAll(async () => {
      pool = new pg.Pool({ connectionString: (await server.createDatabase()).source });
      // Without a listener for errors the pool would end the process when the database is dropped.
      pool.on("error", () => undefined);
      official = new OfficialSaver(pool);
      await official.setup();
      saver = new PostgresSaver((await server.migratedDatabase()).source);
    });
    afterAll(async () => {
      await pool.end();
      await saver.end();
    });

    it.each(KINDS)("copies a thread of it at %s, and it continues alike", async (kind) => {
      const threadId = await makeThread(official, kind);
      await copyThreads(official, saver, { threads: [threadId] });
      await expectSameThread(official, saver, threadId);
      expect(await answerAll(saver, threadId)).toEqual(await answerAll(official, threadId));
    });

    it("brings an answer on a checkpoint that has another branch", async () => {
      const threadId = await begin(official);
      const graph = planner(official);
      const { config } = await stateBefore(graph, threadConfig(threadId), "ask");
      await graph.updateState(config, both("draft"), "first");
      for (const answer of ["so", "yes"]) {
        await copyThreads(official, saver, { threads: [threadId] });
        await graph.invoke(
          new Command({ resume: answer }),
          answer === "so" ? config : threadConfig(threadId),
        );
      }
      await copyThreads(official, saver, { threads: [threadId] });
      await expectSameThread(official, saver, threadId);
    });
  },
);
