import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import type { RunnableConfig } from "@langchain/core/runnables";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import {
  type CheckpointDatabase,
  guardPool,
  PostgresSaver,
  type PostgresSaverOptions,
} from "../../src/index.js";
import { JsonSerializer, MsgpackSerializer } from "../../src/serde/index.js";
import { checkpointOf, metadataOf, newThread, putValues, threadConfig } from "../support/checkpoints.js";
import { untilOneWaits } from "../support/held-locks.js";
import { describeAnyTarget, describeServer, type TestDatabase } from "../support/targets.js";

const LAYOUTS = { msgpack: new MsgpackSerializer(), json: new JsonSerializer() };
const WAYS: Readonly<Record<string, PostgresSaverOptions>> = {
  "a plain saver": {},
  "a saver with rules": { concurrency: "unchecked", keepTombstones: true },
};

/** A checkpoint as LangGraph makes it after a step: one channel is new, the others are what they were. */
function successor(saver: PostgresSaver, previous: Checkpoint): Checkpoint {
  const next = checkpointOf(saver, { step: ["new"] }, previous);
  return { ...next, channel_values: { ...previous.channel_values, ...next.channel_values } };
}

const newOf = ({ channel_versions }: Checkpoint) => ({ step: channel_versions.step ?? 0 });

describeAnyTarget("a put whose parent is gone", (target) => {
  let database: TestDatabase;
  let thread: string;

  beforeAll(async () => {
    database = await target.createDatabase();
    await new PostgresSaver(database.source).setup();
  });
  beforeEach(() => {
    thread = newThread();
  });

  const removeAll = async (): Promise<void> => {
    await database.query("delete from checkpoints where thread_id = $1", [thread]);
    await database.query("delete from checkpoint_blobs where thread_id = $1", [thread]);
  };

  for (const [layout, serde] of Object.entries(LAYOUTS)) {
    for (const [name, options] of Object.entries(WAYS)) {
      describe(`of ${name}, ${layout}`, () => {
        let saver: PostgresSaver;
        let base: { config: RunnableConfig; checkpoint: Checkpoint };

        beforeEach(async () => {
          saver = new PostgresSaver(database.source, serde, options);
          base = await putValues(saver, threadConfig(thread), {
            step: ["old"],
            list: [1, 2],
            title: "t",
            n: 3,
          });
        });

        it("stores what did not change as well, so that all of it reads back", async () => {
          const next = successor(saver, base.checkpoint);
          await removeAll();
          const config = await saver.put(base.config, next, metadataOf(), newOf(next));
          const tuple = await saver.getTuple(config);
          expect(tuple?.checkpoint.channel_values).toEqual(next.channel_values);
          expect(tuple?.parentConfig).toEqual(base.config);
          await saver.end();
        });

        it("does so in a batch, also for what follows it there, and after the batch has deleted the thread", async () => {
          const next = successor(saver, base.checkpoint);
          const last = successor(saver, next);
          await saver.batch(async (batch) => {
            if (options.keepTombstones !== true) await batch.deleteThread(thread);
            const config = await batch.put(base.config, next, metadataOf(), newOf(next));
            await batch.put(config, last, metadataOf(), newOf(last));
          });
          for (const { id, channel_values } of [next, last]) {
            const tuple = await saver.getTuple(threadConfig(thread, { checkpoint_id: id }));
            expect(tuple?.checkpoint.channel_values).toEqual(channel_values);
          }
          await saver.end();
        });
      });
    }
  }

  it("says of a channel that has been emptied that it is empty, so that nothing is taken for missing", async () => {
    const saver = new PostgresSaver(database.source);
    const base = await putValues(saver, threadConfig(thread), { step: ["old"], once: [1] });
    const emptied = checkpointOf(saver, { step: ["next"], once: [2] }, base.checkpoint);
    const next = { ...emptied, channel_values: { step: ["next"] } };
    const config = await saver.put(base.config, next, metadataOf(), emptied.channel_versions);
    const last = successor(saver, next);
    await removeAll();
    await saver.put(config, last, metadataOf(), newOf(last));
    expect((await saver.verify(thread)).problems).toMatchObject([
      { kind: "missing-parent", severity: "notice" },
    ]);
    expect((await saver.getTuple(threadConfig(thread)))?.checkpoint.channel_values).toEqual({
      step: ["new"],
    });
    await saver.end();
  });

  it("leaves the value alone that another branch has at a version which is new here", async () => {
    const saver = new PostgresSaver(database.source);
    const base = await putValues(saver, threadConfig(thread), { step: ["old"], list: [1] });
    const next = successor(saver, base.checkpoint);
    const other = {
      ...next,
      id: `${next.id.slice(0, -1)}z`,
      channel_values: { ...next.channel_values, step: ["other"] },
    };
    await saver.put(base.config, next, metadataOf(), newOf(next));
    await database.query("delete from checkpoints where thread_id = $1 and checkpoint_id = $2", [
      thread,
      base.checkpoint.id,
    ]);
    await saver.put(base.config, other, metadataOf(), newOf(other));
    const tuple = await saver.getTuple(threadConfig(thread, { checkpoint_id: next.id }));
    expect(tuple?.checkpoint.channel_values).toEqual(next.channel_values);
    await saver.end();
  });
});

describeServer("a put that takes values over from its parent", (target) => {
  let database: TestDatabase<string>;
  let pool: pg.Pool;
  let db: Kysely<CheckpointDatabase>;

  beforeAll(async () => {
    database = await target.createDatabase();
    pool = guardPool(new pg.Pool({ connectionString: database.source }));
    db = new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
    await new PostgresSaver(pool).setup();
  });
  afterAll(() => db.destroy());

  /** Begins to store something while a transaction that has deleted the thread's checkpoints has not committed. */
  async function storedWhileDeleting(
    thread: string,
    store: () => Promise<RunnableConfig>,
    meanwhile: (stored: Promise<RunnableConfig>) => Promise<unknown>,
  ): Promise<RunnableConfig> {
    const { stored } = await db.transaction().execute(async (transaction) => {
      await transaction.deleteFrom("checkpoints").where("thread_id", "=", thread).execute();
      await transaction.deleteFrom("checkpoint_blobs").where("thread_id", "=", thread).execute();
      const storing = store();
      await meanwhile(storing);
      return { stored: storing };
    });
    return stored;
  }

  it("keeps it from being deleted until it has committed", async () => {
    const saver = new PostgresSaver(pool);
    const thread = newThread();
    const base = await putValues(saver, threadConfig(thread), { step: ["old"], list: [1] });
    const next = successor(saver, base.checkpoint);
    await db.transaction().execute(async (transaction) => {
      await new PostgresSaver(transaction).put(base.config, next, metadataOf(), newOf(next));
      const locking = db
        .selectFrom("checkpoints")
        .select("checkpoint_id")
        .where("thread_id", "=", thread)
        .forUpdate()
        .noWait()
        .execute();
      await expect(locking).rejects.toMatchObject({ code: "55P03" });
    });
  });

  it("waits for the parent's deletion, and then brings the values along", async () => {
    const saver = new PostgresSaver(pool);
    const thread = newThread();
    const base = await putValues(saver, threadConfig(thread), { step: ["old"], list: [1] });
    const next = successor(saver, base.checkpoint);
    const config = await storedWhileDeleting(
      thread,
      () => saver.put(base.config, next, metadataOf(), newOf(next)),
      () => untilOneWaits(database),
    );
    const tuple = await saver.getTuple(config);
    expect(tuple?.checkpoint.channel_values).toEqual(next.channel_values);
  });

  /** Puts a checkpoint of a graph whose only channel has changed, while the one before it is being deleted. */
  async function putMeanwhile(
    versionsOf: (versions: Checkpoint["channel_versions"]) => Checkpoint["channel_versions"],
    meanwhile: (stored: Promise<RunnableConfig>) => Promise<unknown>,
  ): Promise<string> {
    const saver = new PostgresSaver(pool);
    const thread = newThread();
    const values = { step: ["old"], __start__: "input", "branch:to:work": true };
    const base = await putValues(saver, threadConfig(thread), values);
    const { channel_values, ...rest } = successor(saver, base.checkpoint);
    const next = {
      ...rest,
      channel_values: { step: channel_values.step },
      channel_versions: versionsOf(rest.channel_versions),
    };
    const config = await storedWhileDeleting(
      thread,
      () => saver.put(base.config, next, metadataOf(), newOf(next)),
      meanwhile,
    );
    const tuple = await saver.getTuple(config);
    expect(tuple?.checkpoint.channel_values).toEqual(next.channel_values);
    expect((await saver.verify(thread)).problems).toMatchObject([
      { kind: "missing-parent", severity: "notice" },
    ]);
    return thread;
  }

  it("does not wait where all that did not change are empty triggers of nodes", async () => {
    await putMeanwhile(
      (versions) => versions,
      (stored) => stored,
    );
  });

  it("waits all the same at versions that are numbers, where a trigger without a row counts as missing", async () => {
    const thread = await putMeanwhile(
      (versions) => ({ ...versions, "branch:to:work": 2 }),
      () => untilOneWaits(database),
    );
    const kept = await database.query(
      "select type from checkpoint_blobs where thread_id = $1 and version = '2'",
      [thread],
    );
    expect(kept).toEqual([{ type: "empty" }]);
  });
});
