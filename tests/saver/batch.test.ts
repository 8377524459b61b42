import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import {
  type CheckpointDatabase,
  DatabaseError,
  InvalidConfigError,
  PostgresSaver,
  SerializationError,
} from "../../src/index.js";
import {
  allVersions,
  checkpointOf,
  metadataOf,
  newThread,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { describeEachTarget, type TestDatabase } from "../../test-support/targets.js";

describeEachTarget("batch", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;

  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source);
    // Lets a test make the database refuse a row.
    await database.exec("alter table checkpoint_blobs add constraint refused check (channel <> 'refused')");
  });
  afterAll(() => saver.end());

  async function putInto(
    batch: Pick<PostgresSaver, "put">,
    config: RunnableConfig,
    values: Record<string, unknown>,
    previous?: Checkpoint,
  ): Promise<{ config: RunnableConfig; checkpoint: Checkpoint }> {
    const checkpoint = checkpointOf(saver, values, previous);
    return { checkpoint, config: await batch.put(config, checkpoint, metadataOf(), allVersions(checkpoint)) };
  }

  const valuesAt = async (config: RunnableConfig) =>
    (await saver.getTuple(config))?.checkpoint.channel_values;

  it("stores what its calls put, and returns what its callback returns", async () => {
    const [thread, gone] = [newThread(), newThread()];
    await putValues(saver, threadConfig(gone), { a: [1] });
    const checkpoint = checkpointOf(saver, { a: [1], n: 1 });
    const config = await saver.batch(async (batch) => {
      const next = await batch.put(threadConfig(thread), checkpoint, metadataOf(3), allVersions(checkpoint));
      await batch.putWrites(next, [["a", "written"]], "task", "~path");
      await batch.deleteThread(gone);
      return next;
    });
    expect(await saver.getTuple(config)).toStrictEqual({
      config: { configurable: { thread_id: thread, checkpoint_ns: "", checkpoint_id: checkpoint.id } },
      checkpoint,
      metadata: metadataOf(3),
      pendingWrites: [["task", "a", "written"]],
    });
    expect(await saver.getTuple(threadConfig(gone))).toBeUndefined();
  });

  it("stores nothing before its callback has ended, and nothing when the callback throws", async () => {
    const thread = newThread();
    const failing = saver.batch(async (batch) => {
      await putInto(batch, threadConfig(thread), { a: [1] });
      expect(await valuesAt(threadConfig(thread))).toBeUndefined();
      throw new Error("changed my mind");
    });
    await expect(failing).rejects.toThrow("changed my mind");
    expect(await valuesAt(threadConfig(thread))).toBeUndefined();
  });

  it("stores and deletes nothing when the database refuses a row", async () => {
    const [old, thread] = [newThread(), newThread()];
    await putValues(saver, threadConfig(old), { a: ["old"] });
    for (const isDeleting of [false, true]) {
      const failing = saver.batch(async (batch) => {
        if (isDeleting) await batch.deleteThread(old);
        const { config } = await putInto(batch, threadConfig(thread), { a: [1], refused: [1] });
        await batch.putWrites(config, [["a", 1]], "task");
      });
      await expect(failing).rejects.toBeInstanceOf(DatabaseError);
    }
    const rows = await database.query(
      `select thread_id from checkpoints where thread_id = $1
       union all select thread_id from checkpoint_blobs where thread_id = $1
       union all select thread_id from checkpoint_writes where thread_id = $1`,
      [thread],
    );
    expect(rows).toEqual([]);
    expect(await valuesAt(threadConfig(old))).toEqual({ a: ["old"] });
  });

  it("fails as a whole when a call is refused, whether or not its promise is awaited", async () => {
    const thread = newThread();
    const invalid = (batch: Pick<PostgresSaver, "put">) => putInto(batch, threadConfig(""), { a: 1 });
    const unwritable = (batch: Pick<PostgresSaver, "put">) =>
      putInto(batch, threadConfig(thread), { messages: [{ onDone: () => 1 }] });

    const ignored = saver.batch((batch) => {
      void putInto(batch, threadConfig(thread), { a: [1] });
      void unwritable(batch).catch(() => undefined);
      void batch.putWrites(threadConfig(thread, { checkpoint_id: "1" }), [["b", { f: () => 1 }]], "task");
    });
    await expect(ignored).rejects.toMatchObject({
      channel: "messages",
      path: "[0].onDone",
      threadId: thread,
    });
    await expect(ignored).rejects.toBeInstanceOf(SerializationError);
    const caught = saver.batch(async (batch) => {
      await putInto(batch, threadConfig(thread), { a: [1] });
      await expect(invalid(batch)).rejects.toBeInstanceOf(InvalidConfigError);
    });
    await expect(caught).rejects.toMatchObject({ field: "config.configurable.thread_id" });
    expect(await valuesAt(threadConfig(thread))).toBeUndefined();
  });

  it("stores calls that were not awaited, with the arguments that they had at the time", async () => {
    const thread = newThread();
    const list = ["first"];
    await saver.batch((batch) => {
      void putInto(batch, threadConfig(thread), { list });
      list.push("second");
    });
    expect(await valuesAt(threadConfig(thread))).toEqual({ list: ["first"] });
  });

  it("refuses calls after it has ended, and does nothing when it gets no calls", async () => {
    const kept = await saver.batch((batch) => batch);
    const ended = { code: "BATCH_ENDED" };
    await expect(putInto(kept, threadConfig(newThread()), { a: 1 })).rejects.toMatchObject(ended);
    await expect(kept.putWrites(threadConfig("t"), [], "task")).rejects.toMatchObject(ended);
    await expect(kept.deleteThread("t")).rejects.toMatchObject(ended);
  });

  it("is independent of a batch around it, and of a concurrent one", async () => {
    const [outer, inner, beside] = [newThread(), newThread(), newThread()];
    const failing = saver.batch(async (batch) => {
      await putInto(batch, threadConfig(outer), { a: ["outer"] });
      await saver.batch((nested) => putInto(nested, threadConfig(inner), { a: ["inner"] }));
      throw new Error("only the outer one");
    });
    await Promise.all([
      expect(failing).rejects.toThrow("only the outer one"),
      saver.batch((batch) => putInto(batch, threadConfig(beside), { a: ["beside"] })),
    ]);
    expect(await valuesAt(threadConfig(outer))).toBeUndefined();
    expect(await valuesAt(threadConfig(inner))).toEqual({ a: ["inner"] });
    expect(await valuesAt(threadConfig(beside))).toEqual({ a: ["beside"] });
  });

  it("gives two branches of one checkpoint their own values", async () => {
    const [root, left, right] = await saver.batch(async (batch) => {
      const first = await putInto(batch, threadConfig(newThread()), { messages: ["root"], kept: ["kept"] });
      return [
        first,
        await putInto(batch, first.config, { messages: ["left"] }, first.checkpoint),
        await putInto(batch, first.config, { messages: ["right"] }, first.checkpoint),
      ] as const;
    });
    const kept = ["kept"];
    expect(await valuesAt(root.config)).toEqual({ messages: ["root"], kept });
    expect(await valuesAt(left.config)).toEqual({ messages: ["left"], kept });
    expect(await valuesAt(right.config)).toEqual({ messages: ["right"], kept });
    expect((await saver.getTuple(right.config))?.parentConfig).toEqual(root.config);
  });

  it("keeps Python's spelling of unchanged numbers, also across checkpoints that it stores itself", async () => {
    const thread = newThread();
    const stored = await putValues(saver, threadConfig(thread), { whole: 3, changed: 3 });
    await database.query(
      `update checkpoints set checkpoint = jsonb_set(checkpoint, '{channel_values}', '{"whole": 3.0, "changed": 3.0}')
       where thread_id = $1`,
      [thread],
    );
    const grandchild = await saver.batch(async (batch) => {
      const child = checkpointOf(saver, { changed: 3 }, stored.checkpoint);
      const newVersions = allVersions(child);
      child.channel_values = { whole: 3, changed: 3 };
      const config = await batch.put(stored.config, child, metadataOf(1), newVersions);
      const next = { ...checkpointOf(saver, {}, child), channel_values: child.channel_values };
      return batch.put(config, next, metadataOf(2), {});
    });
    const [row] = await database.query<{ whole: string; changed: string }>(
      `select v ->> 'whole' as whole, v ->> 'changed' as changed
       from checkpoints, lateral (select checkpoint -> 'channel_values' as v) as header
       where thread_id = $1 and checkpoint_id = $2`,
      [thread, grandchild.configurable?.checkpoint_id],
    );
    expect(row).toEqual({ whole: "3.0", changed: "3" });
  });

  it("commits together with the application's own rows in a transaction that was passed in", async () => {
    const db = database.kysely<CheckpointDatabase>();
    const [thread, old] = [newThread(), newThread()];
    await putValues(saver, threadConfig(old), { a: ["old"] });
    const run = async (fail: boolean) =>
      db.transaction().execute(async (transaction) => {
        await new PostgresSaver(transaction).batch(async (batch) => {
          await batch.deleteThread(old);
          await putInto(batch, threadConfig(thread), { a: [1] });
        });
        if (fail) throw new Error("out of stock");
      });
    await expect(run(true)).rejects.toThrow("out of stock");
    expect(await valuesAt(threadConfig(thread))).toBeUndefined();
    expect(await valuesAt(threadConfig(old))).toEqual({ a: ["old"] });
    await run(false);
    expect(await valuesAt(threadConfig(thread))).toEqual({ a: [1] });
    expect(await valuesAt(threadConfig(old))).toBeUndefined();
  });
});
