import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import { openDatabase } from "../../src/db/index.js";
import {
  type CheckpointDatabase,
  MigrationError,
  MigrationRequiredError,
  PostgresSaver,
  ThreadDeletedError,
} from "../../src/index.js";
import { migrateDown } from "../../src/migrations/index.js";
import { encodePut, parsePut } from "../../src/saver/codec/encode-call.js";
import { store } from "../../src/saver/storing/store.js";
import type { SaverCall } from "../../src/saver/call/saver-call.js";
import { allVersions, collect, metadataOf, newThread, threadConfig } from "../../test-support/checkpoints.js";
import { idOf, listCheckpoint, outcomesOf, putFrom } from "../../test-support/put-from.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { rowsOf } from "../../test-support/thread-rows.js";

const KEEPING = { keepTombstones: true, retry: false } as const;
const NO_ROWS = { checkpoints: 0, blobs: 0, writes: 0 };

describeAnyTarget("a saver that keeps tombstones", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;
  let thread: string;

  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source, undefined, KEEPING);
  });
  afterAll(() => saver.end());
  beforeEach(() => {
    thread = newThread();
  });

  interface Tombstone extends Record<string, unknown> {
    readonly deleted_at: Date;
    readonly age_ms: number;
  }

  async function tombstones(): Promise<Tombstone[]> {
    return database.query<Tombstone>(
      `select deleted_at, (extract(epoch from clock_timestamp() - deleted_at) * 1000)::float8 as age_ms
      from checkpoint_tombstones where thread_id = $1`,
      [thread],
    );
  }

  /** Expects that a late write fails with the thread and the date of its tombstone, and stores nothing. */
  async function expectThreadDeleted(write: Promise<unknown>): Promise<void> {
    const error = await write.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ThreadDeletedError);
    const [tombstone] = await tombstones();
    expect(error).toMatchObject({
      name: "ThreadDeletedError",
      code: "THREAD_DELETED",
      threadId: thread,
      deletedAt: tombstone?.deleted_at,
    });
    expect(await rowsOf(database, thread)).toEqual(NO_ROWS);
  }

  async function filledThread(): Promise<RunnableConfig> {
    const config = await putFrom(saver, "input", threadConfig(thread));
    await putFrom(saver, "input", threadConfig(thread, { checkpoint_ns: "child" }));
    await saver.putWrites(config, [["a", "written"]], "task");
    return config;
  }

  it("works as usual on threads that are not deleted", async () => {
    const config = await filledThread();
    expect((await saver.getTuple(config))?.pendingWrites).toEqual([["task", "a", "written"]]);
    expect(await rowsOf(database, thread)).toEqual({ checkpoints: 2, blobs: 2, writes: 1 });
    expect(await tombstones()).toEqual([]);
  });

  it("refuses every late write to a deleted thread, and stores nothing", async () => {
    const config = await filledThread();
    await saver.deleteThread(thread);
    expect(await rowsOf(database, thread)).toEqual(NO_ROWS);
    await expectThreadDeleted(putFrom(saver, "loop", config));
    await expectThreadDeleted(putFrom(saver, "fork", config));
    await expectThreadDeleted(putFrom(saver, "input", threadConfig(thread)));
    await expectThreadDeleted(putFrom(saver, "input", threadConfig(thread, { checkpoint_ns: "new" })));
    await expectThreadDeleted(saver.putWrites(config, [["a", "late"]], "late"));
  });

  it("refuses a batch that writes to a deleted thread, with its writes to other threads", async () => {
    const other = newThread();
    await saver.deleteThread(thread);
    await expectThreadDeleted(
      saver.batch(async (batch) => {
        const config = await putFrom(batch, "input", threadConfig(other));
        await batch.putWrites(
          { configurable: { ...config.configurable, thread_id: thread } },
          [["a", 1]],
          "task",
        );
      }),
    );
    expect(await rowsOf(database, other)).toEqual(NO_ROWS);
  });

  it("refuses a batch that writes to a thread after deleting it, and deletes nothing", async () => {
    const config = await filledThread();
    const batch = saver.batch(async (open) => {
      await open.deleteThread(thread);
      await putFrom(open, "input", threadConfig(thread));
    });
    await expect(batch).rejects.toBeInstanceOf(ThreadDeletedError);
    expect(await saver.getTuple(config)).toBeDefined();
    expect(await tombstones()).toEqual([]);
  });

  it("keeps a tombstone of a thread that a batch writes to and then deletes", async () => {
    await saver.batch(async (batch) => {
      await putFrom(batch, "input", threadConfig(thread));
      await batch.deleteThread(thread);
    });
    expect(await tombstones()).toHaveLength(1);
    await expectThreadDeleted(putFrom(saver, "input", threadConfig(thread)));
  });

  it("keeps the date of the first deletion, by the clock of the database", async () => {
    await filledThread();
    await saver.deleteThread(thread);
    const [first] = await tombstones();
    expect(first?.age_ms).toBeGreaterThanOrEqual(0);
    expect(first?.age_ms).toBeLessThan(60_000);
    await saver.deleteThread(thread);
    await saver.batch(async (batch) => {
      await batch.deleteThread(thread);
      await batch.deleteThread(thread);
    });
    expect((await tombstones()).map(({ deleted_at }) => deleted_at)).toEqual([first?.deleted_at]);
  });

  it("keeps a tombstone of an unknown thread, whose first put may come late", async () => {
    await saver.deleteThread(thread);
    expect(await tombstones()).toHaveLength(1);
    await expectThreadDeleted(putFrom(saver, "input", threadConfig(thread)));
  });

  it("reads deleted threads like other savers", async () => {
    const config = await filledThread();
    await saver.deleteThread(thread);
    expect(await saver.getTuple(config)).toBeUndefined();
    expect(await saver.getTuple(threadConfig(thread))).toBeUndefined();
    expect(await collect(saver.list(threadConfig(thread)))).toEqual([]);
    expect(await saver.getChannelValues({ threadIds: [thread], channel: "a" })).toEqual(new Map());
  });

  it("refuses a checkpoint whose values take several statements", async () => {
    const opened = openDatabase(database.source);
    const call: SaverCall = {
      database: opened,
      schema: "public",
      policy: { retry: false, limits: { pieceBytes: 64, statementBytes: 256 }, keepTombstones: true },
    };
    const checkpoint = listCheckpoint(["x".repeat(2_000)]);
    const request = parsePut({}, threadConfig(thread), checkpoint, metadataOf(), allVersions(checkpoint));
    const encoded = await encodePut({ serde: saver.serde }, request);
    await saver.deleteThread(thread);
    await expectThreadDeleted(store(call, [{ kind: "put", checkpoint: encoded }]));
    await opened.close();
  });

  it("commits or rolls back with a passed-in transaction", async () => {
    const kysely = database.kysely<CheckpointDatabase>();
    const config = await filledThread();
    const rolledBack = kysely.transaction().execute(async (transaction) => {
      const transactional = new PostgresSaver(transaction, undefined, KEEPING);
      await transactional.deleteThread(thread);
      await expect(putFrom(transactional, "loop", config)).rejects.toBeInstanceOf(ThreadDeletedError);
      throw new Error("rolled back");
    });
    await expect(rolledBack).rejects.toThrow("rolled back");
    expect(await saver.getTuple(config)).toBeDefined();
    expect(await tombstones()).toEqual([]);
    await kysely
      .transaction()
      .execute((transaction) => new PostgresSaver(transaction, undefined, KEEPING).deleteThread(thread));
    await expectThreadDeleted(putFrom(saver, "loop", config));
  });

  it("stores concurrent writes before the deletion or not at all (C5)", async () => {
    const config = await filledThread();
    const writes = Array.from({ length: 6 }, (_, nth) =>
      nth % 2 === 0 ? putFrom(saver, "loop", config) : saver.putWrites(config, [["a", nth]], `task ${nth}`),
    );
    const { errors } = await outcomesOf([...writes, saver.deleteThread(thread)]);
    for (const error of errors) expect(error).toBeInstanceOf(ThreadDeletedError);
    expect(await rowsOf(database, thread)).toEqual(NO_ROWS);
  });

  it("enforces concurrency and keepTombstones together", async () => {
    await using strict = new PostgresSaver(database.source, undefined, {
      ...KEEPING,
      concurrency: "optimistic",
    });
    const first = await putFrom(strict, "input", threadConfig(thread));
    const head = await putFrom(strict, "loop", first);
    await expect(putFrom(strict, "loop", first)).rejects.toMatchObject({ headCheckpointId: idOf(head) });
    await strict.deleteThread(thread);
    await expectThreadDeleted(putFrom(strict, "loop", head));
  });
});

describeAnyTarget("a saver that keeps no tombstones", (target) => {
  it("can write to a thread again, also with tombstones of other savers", async () => {
    const { source } = await target.migratedDatabase();
    await using saver = new PostgresSaver(source);
    await using keeping = new PostgresSaver(source, undefined, KEEPING);
    await keeping.deleteThread("t");
    const config = await putFrom(saver, "input", threadConfig("t"));
    expect(await saver.getTuple(config)).toBeDefined();
  });

  it("lists tombstones in pages, and lifts them", async () => {
    const database = await target.migratedDatabase();
    await using keeping = new PostgresSaver(database.source, undefined, KEEPING);
    expect(await keeping.listTombstones()).toEqual([]);
    for (const id of ["b", "a", "C"]) await keeping.deleteThread(id);
    const dates = await database.query<{ thread_id: string; deleted_at: Date }>(
      'select thread_id, deleted_at from checkpoint_tombstones order by thread_id collate "C"',
    );
    const all = dates.map((row) => ({ threadId: row.thread_id, deletedAt: row.deleted_at }));
    expect(all.map(({ threadId }) => threadId)).toEqual(["C", "a", "b"]);
    expect(await keeping.listTombstones()).toEqual(all);
    expect(await keeping.listTombstones({ limit: 1 })).toEqual(all.slice(0, 1));
    expect(await keeping.listTombstones({ after: "C", limit: 1 })).toEqual(all.slice(1, 2));
    expect(await keeping.listTombstones({ limit: 0 })).toEqual([]);

    expect(await keeping.liftTombstones([])).toEqual([]);
    expect(await keeping.liftTombstones(["b", "none", "C", "b"])).toEqual(["b", "C"]);
    expect(await keeping.listTombstones()).toEqual(all.slice(1, 2));
    await putFrom(keeping, "input", threadConfig("b"));
    await expect(putFrom(keeping, "input", threadConfig("a"))).rejects.toThrow(ThreadDeletedError);
  });

  it("works without the table, where a saver that keeps tombstones fails with the command to run", async () => {
    const database = await target.migratedDatabase();
    await using saver = new PostgresSaver(database.source, undefined, { concurrency: "optimistic" });
    await database.exec("drop table checkpoint_tombstones");
    const config = await putFrom(saver, "input", threadConfig("t"));
    await saver.putWrites(config, [["a", 1]], "task");
    await saver.batch(async (batch) => {
      await putFrom(batch, "loop", config);
      await batch.deleteThread("t2");
    });
    await saver.deleteThread("t");
    expect(await saver.getTuple(config)).toBeUndefined();

    await using keeping = new PostgresSaver(database.source, undefined, KEEPING);
    await expect(putFrom(keeping, "input", threadConfig("t"))).rejects.toBeInstanceOf(MigrationRequiredError);
    await expect(keeping.deleteThread("t")).rejects.toBeInstanceOf(MigrationRequiredError);
    await expect(keeping.listTombstones()).rejects.toBeInstanceOf(MigrationRequiredError);
    await expect(keeping.liftTombstones(["t"])).rejects.toBeInstanceOf(MigrationRequiredError);
  });
});

describeAnyTarget("the migration of tombstones", (target) => {
  describe("down", () => {
    it("is refused while there is a tombstone, and drops an empty table", async () => {
      const database = await target.migratedDatabase();
      await using saver = new PostgresSaver(database.source, undefined, KEEPING);
      await saver.deleteThread("t");
      const opened = openDatabase(database.source);
      expect(await migrateDown(opened.kysely)).toBe("0006-add-splice-base");
      await expect(migrateDown(opened.kysely)).rejects.toBeInstanceOf(MigrationError);
      await expect(putFrom(saver, "input", threadConfig("t"))).rejects.toBeInstanceOf(ThreadDeletedError);
      await database.exec("delete from checkpoint_tombstones");
      await migrateDown(opened.kysely);
      expect(await database.query("select to_regclass('checkpoint_tombstones') as name")).toEqual([
        { name: null },
      ]);
      await saver.setup();
      await saver.deleteThread("t");
      await opened.close();
    });
  });
});
