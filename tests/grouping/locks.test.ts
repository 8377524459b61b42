import { afterEach, beforeEach, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import { AbortError, type PostgresSaver, StatementTimeoutError } from "../../src/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeServer, onOneServer, type TestDatabase } from "../../test-support/targets.js";
import { Opened } from "../saver/opened.js";

const describeLocks = onOneServer("no time bounds its waits for rows", describeServer);

interface Stored {
  readonly config: RunnableConfig;
  readonly checkpoint: Checkpoint;
}

describeLocks("calls on a thread whose rows somebody has locked", (target) => {
  let database: TestDatabase<string>;
  const opened = new Opened();

  beforeEach(async () => {
    database = await target.sharedDatabase();
  });
  afterEach(() => opened.end());

  const saverWith = (max: number, options = {}): PostgresSaver =>
    opened.saver(opened.pool({ connectionString: database.source, max }), options);

  const newThreads = (saver: PostgresSaver, name: string, count: number): Promise<Stored[]> =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        putValues(saver, threadConfig(`${name} ${index}`), { a: ["first"], kept: ["kept"] }),
      ),
    );

  /** Stores a checkpoint that needs its parent, and so waits for whoever has locked it. */
  const putNext = (saver: PostgresSaver, { config, checkpoint }: Stored, value: string): Promise<Stored> =>
    putValues(saver, config, { a: [value] }, checkpoint);

  /** Runs `during` while the checkpoints of some threads are locked. */
  const whileLocked = <T>(name: string, during: () => Promise<T>): Promise<T> =>
    database
      .kysely<{ checkpoints: { thread_id: string } }>()
      .transaction()
      .execute(async (transaction) => {
        const ofThreads = transaction.selectFrom("checkpoints").where("thread_id", "like", `${name} %`);
        // One by one, because Citus locks no rows of several nodes in one statement.
        for (const { thread_id: thread } of await ofThreads.select("thread_id").distinct().execute()) {
          const rows = transaction.selectFrom("checkpoints").where("thread_id", "=", thread);
          await rows.selectAll().forUpdate().execute();
        }
        return during();
      });

  it.each([
    [1, 1],
    [1, 10],
    [2, 1],
    [4, 15],
    [10, 3],
  ])("hold nobody else up, on a pool of %d connections with %d locked threads (C14)", async (max, count) => {
    const saver = saverWith(max);
    const locked = await newThreads(saver, "locked", count);
    const free = await newThreads(saver, "free", 20);
    const { waiting, done } = await whileLocked("locked", async () => {
      let ended = 0;
      const puts = locked.map(async (thread) => {
        const next = await putNext(saver, thread, "second");
        ended++;
        return next;
      });
      // They are made in the same moment, between the puts and later ones.
      let steps = free;
      for (const value of ["second", "third"])
        steps = await Promise.all(steps.map((thread) => putNext(saver, thread, value)));
      expect(ended).toBe(0);
      return { waiting: puts, done: steps };
    });
    const stored = [...(await Promise.all(waiting)), ...done];
    for (const { config, checkpoint } of stored) {
      expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({
        ...checkpoint.channel_values,
        kept: ["kept"],
      });
    }
  });

  it("run in the order in which they were made", async () => {
    const saver = saverWith(10);
    const [thread] = await newThreads(saver, "locked", 1);
    if (thread === undefined) throw new Error("no thread");
    const { config } = thread;
    const calls = await whileLocked("locked", () => {
      const put = putNext(saver, thread, "second");
      const writes = saver.putWrites(config, [["a", "written"]], "task");
      const deletion = saver.deleteThread("locked 0");
      const again = saver.putWrites(config, [["a", "after"]], "task");
      return Promise.resolve([put, writes, deletion, again]);
    });
    await Promise.all(calls);
    expect(await database.query("select count(*)::int as rows from checkpoints")).toEqual([{ rows: 0 }]);
    expect(await database.query("select count(*)::int as rows from checkpoint_writes")).toEqual([
      { rows: 1 },
    ]);
  });

  it.each([1, 10])("fail after the saver's time limit, on a pool of %d connections", async (max) => {
    const saver = saverWith(max, { statementTimeoutMs: 200 });
    const [thread] = await newThreads(saver, "locked", 1);
    if (thread === undefined) throw new Error("no thread");
    await whileLocked("locked", async () => {
      await expect(putNext(saver, thread, "second")).rejects.toThrow(StatementTimeoutError);
    });
    await putNext(saver, thread, "third");
  });

  it("can be aborted while they wait for their turn", async () => {
    const saver = saverWith(10);
    const [thread] = await newThreads(saver, "locked", 1);
    if (thread === undefined) throw new Error("no thread");
    const { config } = thread;
    const first = await whileLocked("locked", async () => {
      const put = putNext(saver, thread, "second");
      const controller = new AbortController();
      const options = { signal: controller.signal };
      const aborted = saver.putWrites(config, [["a", "aborted"]], "aborted", "", options);
      const next = saver.putWrites(config, [["a", "kept"]], "kept");
      controller.abort();
      await expect(aborted).rejects.toThrow(AbortError);
      return { put, next };
    });
    await Promise.all([first.put, first.next]);
    expect(await database.query("select task_id from checkpoint_writes")).toEqual([{ task_id: "kept" }]);
  });
});
