import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import type { RunnableConfig } from "@langchain/core/runnables";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import {
  type CheckpointDatabase,
  handlePoolErrors,
  PostgresSaver,
  type PostgresSaverOptions,
} from "../../src/index.js";
import { JsonSerializer, MsgpackSerializer } from "../../src/serde/index.js";
import {
  checkpointOf,
  metadataOf,
  newThread,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { untilOneWaits } from "../../test-support/held-locks.js";
import { describeAnyTarget, describeServer, type TestDatabase } from "../../test-support/targets.js";

const LAYOUTS = { msgpack: new MsgpackSerializer(), json: new JsonSerializer() };
const WAYS: Readonly<Record<string, PostgresSaverOptions>> = {
  "a plain saver": {},
  "a saver with rules": { concurrency: "unchecked", keepTombstones: true },
};

/** The checkpoint that LangGraph makes after a super-step: one channel has a new version, the others are unchanged. */
function successor(saver: PostgresSaver, previous: Checkpoint): Checkpoint {
  const next = checkpointOf(saver, { step: ["new"] }, previous);
  return { ...next, channel_values: { ...previous.channel_values, ...next.channel_values } };
}

const newOf = ({ channel_versions }: Checkpoint) => ({ step: channel_versions.step ?? 0 });

describeAnyTarget("put after its parent was deleted", (target) => {
  let database: TestDatabase;
  let thread: string;

  beforeAll(async () => {
    database = await target.migratedDatabase();
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

        it("also stores the unchanged values, so that the checkpoint reads back whole (C3)", async () => {
          const next = successor(saver, base.checkpoint);
          await removeAll();
          const config = await saver.put(base.config, next, metadataOf(), newOf(next));
          const tuple = await saver.getTuple(config);
          expect(tuple?.checkpoint.channel_values).toEqual(next.channel_values);
          expect(tuple?.parentConfig).toEqual(base.config);
          await saver.end();
        });

        it("does the same in a batch, for later checkpoints of the batch, and after the batch deletes the thread", async () => {
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

  it("marks an emptied channel as empty, so that it doesn't count as missing", async () => {
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

  it("doesn't overwrite the value that another branch has at the same new version", async () => {
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

describeServer("put that carries values over from its parent (C3)", (target) => {
  let database: TestDatabase<string>;
  let pool: pg.Pool;
  let db: Kysely<CheckpointDatabase>;

  beforeAll(async () => {
    database = await target.migratedDatabase();
    pool = handlePoolErrors(new pg.Pool({ connectionString: database.source }));
    db = new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
  });
  afterAll(() => db.destroy());

  /** Starts a call while a transaction that has deleted the thread's checkpoints is open. */
  async function storedWhileDeleting(
    thread: string,
    store: () => Promise<RunnableConfig>,
    during: (stored: Promise<RunnableConfig>) => Promise<unknown>,
  ): Promise<RunnableConfig> {
    const { stored } = await db.transaction().execute(async (transaction) => {
      await transaction.deleteFrom("checkpoints").where("thread_id", "=", thread).execute();
      await transaction.deleteFrom("checkpoint_blobs").where("thread_id", "=", thread).execute();
      const storing = store();
      await during(storing);
      return { stored: storing };
    });
    return stored;
  }

  it.each<[string, (saver: PostgresSaver, config: RunnableConfig, next: Checkpoint) => Promise<unknown>]>([
    ["put", (saver, config, next) => saver.put(config, next, metadataOf(), newOf(next))],
    [
      "batch",
      (saver, config, next) => saver.batch((batch) => batch.put(config, next, metadataOf(), newOf(next))),
    ],
  ])("blocks the deletion of the parent until it commits, by %s", async (_, store) => {
    const saver = new PostgresSaver(pool);
    const thread = newThread();
    const base = await putValues(saver, threadConfig(thread), { step: ["old"], list: [1] });
    const next = successor(saver, base.checkpoint);
    await db.transaction().execute(async (transaction) => {
      await store(new PostgresSaver(transaction), base.config, next);
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

  it("waits for the parent's deletion, and then stores the unchanged values", async () => {
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

  /** Puts a checkpoint of a graph whose only channel has changed, while its parent is being deleted. */
  async function putMeanwhile(
    versionsOf: (versions: Checkpoint["channel_versions"]) => Checkpoint["channel_versions"],
    during: (stored: Promise<RunnableConfig>) => Promise<unknown>,
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
      during,
    );
    const tuple = await saver.getTuple(config);
    expect(tuple?.checkpoint.channel_values).toMatchObject(next.channel_values);
    expect((await saver.verify(thread)).problems).toMatchObject([
      { kind: "missing-parent", severity: "notice" },
    ]);
    return thread;
  }

  it("doesn't wait when only empty trigger channels of nodes are unchanged", async () => {
    await putMeanwhile(
      (versions) => versions,
      (stored) => stored,
    );
  });

  it("waits when versions are numbers, since a trigger channel without a row then counts as missing", async () => {
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
