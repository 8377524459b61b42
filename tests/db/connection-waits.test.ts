import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, expect, it } from "@jest/globals";
import type { PGlite } from "@electric-sql/pglite";
import { Kysely, PGliteDialect, PostgresDialect } from "kysely";
import pg from "pg";
import { PostgresCache } from "../../src/cache/index.js";
import { createCheckpoint, PostgresCheckpointStore } from "../../src/checkpoint-store/index.js";
import {
  type CheckpointDatabase,
  type DatabaseSource,
  handlePoolErrors,
  PostgresSaver,
} from "../../src/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { ManualTime } from "../../test-support/manual-time.js";
import { describePglite, describeServer } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";

const THREAD = threadConfig("t");
const SHORT = { statementTimeoutMs: 20 };
const DEFAULT_LIMIT_MS = 60_000;
/** That of a PGlite. */
const PGLITE_LIMIT_MS = 15_000;
/** What every call of this kind ends with. */
const NO_CONNECTION = { code: "CONNECTION_FAILED", transient: false };
const OF_PGLITE = { ...NO_CONNECTION, message: expect.stringContaining("make the call after it") };

type Call = (source: PGlite) => Promise<unknown>;

const saverOn = (source: DatabaseSource) => new PostgresSaver(source, undefined, SHORT);
const storeOn = (source: PGlite) => new PostgresStore(source, { ...SHORT, ensureTables: false });

const CALLS: Readonly<Record<string, Call>> = {
  put: (source) => putValues(saverOn(source), THREAD, { a: 1 }),
  putWrites: (source) =>
    saverOn(source).putWrites(
      { configurable: { ...THREAD.configurable, checkpoint_id: "1" } },
      [["a", 1]],
      "task",
    ),
  getTuple: (source) => saverOn(source).getTuple(THREAD),
  list: (source) => saverOn(source).list(THREAD).next(),
  deleteThread: (source) => saverOn(source).deleteThread("t"),
  prune: (source) => saverOn(source).prune({ keepLast: 1 }),
  "a batch": (source) => saverOn(source).batch((batch) => batch.deleteThread("t")),
  "an optimistic put": (source) =>
    putValues(new PostgresSaver(source, undefined, { ...SHORT, concurrency: "optimistic" }), THREAD, {
      a: 1,
    }),
  setup: (source) => saverOn(source).setup(),
  "put of a store": (source) => storeOn(source).put(["a"], "b", { c: 1 }),
  "setup of a store": (source) => new PostgresStore(source, SHORT).setup(),
  "get of a cache": (source) => new PostgresCache(source, { ...SHORT, onError: "throw" }).get([[["a"], "b"]]),
  "save of a checkpoint store": (source) =>
    new PostgresCheckpointStore(source, SHORT).save(
      createCheckpoint({ executionId: "e", nodeName: "n", state: {} }),
    ),
};

const time = new ManualTime();
afterEach(() => {
  time.stop();
});

/** Calls within a callback, and returns what happened to the call. */
async function inside(
  transaction: (run: () => Promise<void>) => Promise<unknown>,
  call: () => Promise<unknown>,
) {
  let outcome: PromiseSettledResult<unknown>[] = [];
  await transaction(async () => {
    outcome = await Promise.allSettled([call()]);
  });
  return outcome[0];
}

describePglite("a call inside of a transaction() of the PGlite that its saver has", (pglite) => {
  it.each(Object.entries(CALLS))(
    "ends after statementTimeoutMs with an error that says what to do: %s",
    async (_, call) => {
      const { source } = await pglite.sharedDatabase();
      await saverOn(source).getTuple(THREAD);
      const outcome = await inside(
        (run) => source.transaction(run),
        () => call(source),
      );
      expect(outcome).toMatchObject({ status: "rejected", reason: OF_PGLITE });
    },
  );

  it("stores nothing later", async () => {
    const { source } = await pglite.sharedDatabase();
    const saver = saverOn(source);
    await inside(
      (run) => source.transaction(run),
      () => Promise.all([putValues(saver, THREAD, { a: 1 }), putValues(saver, threadConfig("u"), { a: 1 })]),
    );
    for await (const tuple of saver.list({})) expect(tuple).toBeUndefined();
  });

  it("ends after 15 seconds by default", async () => {
    const { source } = await pglite.sharedDatabase();
    const saver = new PostgresSaver(source);
    time.start();
    await saver.getTuple(THREAD);
    const outcome = await inside(
      (run) => source.transaction(run),
      async () => {
        const settled = Promise.allSettled([saver.getTuple(THREAD)]);
        // The other timer looks for calls that wait too long.
        await until(() => time.timers.some((due) => due < PGLITE_LIMIT_MS));
        time.pass(PGLITE_LIMIT_MS);
        const [ended] = await settled;
        return ended;
      },
    );
    expect(outcome).toMatchObject({ value: { reason: OF_PGLITE } });
  });

  it("ends with its signal, and stores nothing later", async () => {
    const { source } = await pglite.sharedDatabase();
    const saver = new PostgresSaver(source);
    const run = new AbortController();
    const outcome = await inside(
      (callback) => source.transaction(callback),
      () => {
        setImmediate(() => {
          run.abort();
        });
        return saver.deleteThread("t", { signal: run.signal });
      },
    );
    expect(outcome).toMatchObject({ reason: { code: "ABORTED" } });
    expect(await saver.getTuple(THREAD)).toBeUndefined();
  });

  it("is served where it only waits for the end of the transaction", async () => {
    const { source } = await pglite.sharedDatabase();
    const saver = new PostgresSaver(source);
    const calls = await source.transaction(() =>
      Promise.resolve({ put: putValues(saver, THREAD, { a: 1 }), setup: saver.setup() }),
    );
    await calls.put;
    await calls.setup;
    expect((await saver.getTuple(THREAD))?.checkpoint.channel_values).toEqual({ a: 1 });
  });

  it("is a part of a transaction that the application has begun by a statement", async () => {
    const { source } = await pglite.sharedDatabase();
    const saver = new PostgresSaver(source);
    await source.exec("begin");
    await putValues(saver, THREAD, { a: 1 });
    await source.exec("rollback");
    expect(await saver.getTuple(THREAD)).toBeUndefined();
  });
});

describePglite("a call on a Kysely on a PGlite", (pglite) => {
  it("ends inside of a transaction of that Kysely, or of the PGlite", async () => {
    const { source } = await pglite.sharedDatabase();
    const db = new Kysely<CheckpointDatabase>({ dialect: new PGliteDialect({ pglite: source }) });
    const saver = saverOn(db);
    await saver.getTuple(THREAD);
    const transactions = [
      (run: () => Promise<void>) => db.transaction().execute(run),
      (run: () => Promise<void>) => source.transaction(run),
    ];
    for (const transaction of transactions) {
      for (const call of [
        () => saver.getTuple(THREAD),
        () => saver.setup(),
        () => saver.batch((batch) => batch.deleteThread("t")),
      ])
        expect(await inside(transaction, call)).toMatchObject({ reason: OF_PGLITE });
    }
    expect(await saver.getTuple(THREAD)).toBeUndefined();
  });
});

describeServer("a call while the application holds the last connection", (server) => {
  it("ends after a minute in which the pool got none back, and works afterwards", async () => {
    const { source } = await server.sharedDatabase();
    const pool = new pg.Pool({ connectionString: source, max: 1 });
    const saver = new PostgresSaver(pool);
    const held = await pool.connect();
    time.start();
    const [first, second] = [saver.getTuple(THREAD), saver.setup()];
    const settled = Promise.allSettled([first, second]);
    await until(() => pool.waitingCount === 2);
    time.pass(DEFAULT_LIMIT_MS);
    const problem = expect.stringMatching(/waited 60000 ms for a connection of the pool.*: 1 of 1 are open/);
    for (const outcome of await settled)
      expect(outcome).toMatchObject({ reason: { ...NO_CONNECTION, message: problem } });
    time.stop();
    held.release();
    expect(await saver.getTuple(THREAD)).toBeUndefined();
    await pool.end();
  });

  it("goes on waiting while connections come back", async () => {
    const { source } = await server.sharedDatabase();
    const pool = new pg.Pool({ connectionString: source, max: 1 });
    const saver = new PostgresSaver(pool);
    const held = await pool.connect();
    const others = pool.connect();
    time.start();
    const read = saver.getTuple(THREAD);
    await until(() => pool.waitingCount === 2);
    time.pass(DEFAULT_LIMIT_MS - 1);
    held.release();
    const heldByOthers = await others;
    time.pass(DEFAULT_LIMIT_MS - 1);
    // A call that gives up does so in the next turn of the event loop.
    await nextTurn();
    heldByOthers.release();
    expect(await read).toBeUndefined();
    time.stop();
    await pool.end();
  });

  it("ends inside of a transaction of its Kysely, whose pool has no other connection", async () => {
    const { source } = await server.sharedDatabase();
    const pool = handlePoolErrors(new pg.Pool({ connectionString: source, max: 1 }));
    const db = new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
    const saver = new PostgresSaver(db);
    for (const call of [
      () => saver.getTuple(THREAD),
      () => saver.setup(),
      () => saver.batch((batch) => batch.deleteThread("t")),
    ]) {
      const outcome = await inside(
        (run) => db.transaction().execute(run),
        async () => {
          time.start();
          const settled = Promise.allSettled([call()]);
          await until(() => pool.waitingCount === 1);
          time.pass(DEFAULT_LIMIT_MS);
          const [ended] = await settled;
          time.stop();
          return ended;
        },
      );
      const problem = expect.stringContaining("pass the saver that Transaction");
      expect(outcome).toMatchObject({ value: { reason: { ...NO_CONNECTION, message: problem } } });
    }
    expect(await saver.getTuple(THREAD)).toBeUndefined();
    await db.destroy();
  });
});
