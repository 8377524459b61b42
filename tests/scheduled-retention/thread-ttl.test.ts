import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { Annotation, StateGraph } from "@langchain/langgraph";
import { PostgresSaver } from "../../src/index.js";
import { collect, newThread } from "../../test-support/checkpoints.js";
import { memoryArchive } from "../../test-support/memory-archive.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";

const DAY = 24 * 60 * 60 * 1_000;

describeAnyTarget("the time to live of a thread", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;
  beforeEach(async () => {
    database = await target.sharedDatabase();
    saver = new PostgresSaver(database.source);
  });
  afterEach(() => saver.end());

  /** Runs a graph in a thread. Its checkpoints are some milliseconds old. */
  const run = async (thread_id: string, configurable: object = {}, metadata = {}): Promise<void> => {
    const graph = new StateGraph(Annotation.Root({ n: Annotation<number> }))
      .addNode("next", ({ n }) => ({ n: n + 1 }))
      .addEdge("__start__", "next")
      .compile({ checkpointer: saver });
    await graph.invoke({ n: 1 }, { configurable: { thread_id, ...configurable }, metadata });
    // The next millisecond begins, so that they are older than none.
    const stored = Date.now();
    while (Date.now() <= stored) await new Promise(setImmediate);
  };
  const left = async () => (await saver.listThreads()).map(({ threadId }) => threadId).sort();

  it("is its own, of configurable or metadata, and that of all others without one", async () => {
    await run("own", { thread_ttl_ms: 0 });
    await run("by metadata", {}, { thread_ttl_ms: 0 });
    await run("long", { thread_ttl_ms: Number.MAX_SAFE_INTEGER });
    await run("other");
    await saver.prune({ idleForMs: Infinity });
    expect(await left()).toEqual(["long", "other"]);
    await saver.prune({ idleForMs: DAY });
    expect(await left()).toEqual(["long", "other"]);
    await saver.prune({ idleForMs: 0 });
    expect(await left()).toEqual(["long"]);
  });

  it("counts from the newest checkpoint, which also decides how long it is", async () => {
    const thread = newThread();
    await run(thread, { thread_ttl_ms: 0 });
    await run(thread, { thread_ttl_ms: DAY });
    await saver.prune({ idleForMs: 0 });
    expect(await left()).toEqual([thread]);
    await run(thread);
    await saver.prune({ idleForMs: Infinity });
    expect(await left()).toEqual([thread]);
    await saver.prune({ idleForMs: 0 });
    expect(await left()).toEqual([]);
  });

  it("goes with copies, backups and forks, and holds for an archive", async () => {
    await run("a", { thread_ttl_ms: 0 });
    await saver.copyThread("a", "copy");
    const lines = await collect(saver.exportThreads({ threads: ["a"] }));
    await saver.fork({ configurable: { thread_id: "a" } });
    await run("other");
    const archive = memoryArchive();
    expect(await saver.archive({ to: archive, idleForMs: Infinity })).toMatchObject({ threads: 2 });
    await saver.importThreads(lines);
    expect(await left()).toEqual(["a", "other"]);
    await saver.prune({ idleForMs: Infinity });
    expect(await left()).toEqual(["other"]);
  });

  it("is ignored where another program has stored something else under its key", async () => {
    const given = ["later", "-1", "", true, null, { ms: 0 }];
    for (const [n, ttl] of given.entries()) {
      await run(String(n));
      await database.query(
        `update checkpoints set metadata = metadata || jsonb_build_object('thread_ttl_ms', '${JSON.stringify(ttl)}'::jsonb)
          where thread_id = '${n}'`,
      );
    }
    await saver.prune({ idleForMs: Infinity });
    expect(await left()).toHaveLength(given.length);
    await saver.prune({ idleForMs: 0 });
    expect(await left()).toEqual([]);
  });

  it.each([-1, "2h", Infinity, true, {}])("is refused where it is none: %p", async (ttl) => {
    const running = run("bad", { thread_ttl_ms: ttl });
    await expect(running).rejects.toMatchObject({ code: "INVALID_CONFIG" });
    expect(await left()).toEqual([]);
  });
});
