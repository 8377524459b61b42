import { afterAll, afterEach, beforeAll, expect, it } from "@jest/globals";
import pg from "pg";
import type { Kysely, Transaction } from "kysely";
import { createCheckpoint, PostgresCheckpointStore } from "../../src/checkpoint-store/index.js";
import type { CheckpointStoreDatabase } from "../../src/db/checkpoint-database.js";
import { untilItWaits, untilOneWaits } from "../../test-support/held-locks.js";
import { observedPool } from "../../test-support/round-trips.js";
import { describeEachTarget, describeServer, type TestDatabase } from "../../test-support/targets.js";

/** The checkpoint of execution `e` at a millisecond. */
function at(milliseconds: number, fields: { id?: string; executionId?: string } = {}) {
  const timestamp = new Date(milliseconds);
  return createCheckpoint({ executionId: "e", nodeName: "n", state: milliseconds, timestamp, ...fields });
}

describeEachTarget("a PostgresCheckpointStore", (target) => {
  let database: TestDatabase;
  let store: PostgresCheckpointStore;
  beforeAll(async () => {
    database = await target.createDatabase();
    store = new PostgresCheckpointStore(database.source);
    await store.setup();
  });
  afterEach(() => database.exec("delete from checkpoint_store"));
  afterAll(() => store.end());

  it("leaves a Kysely open that is passed in, and is part of a transaction", async () => {
    const kysely = database.kysely<CheckpointStoreDatabase>();
    const onKysely = new PostgresCheckpointStore(kysely);
    await onKysely.save(at(1, { id: "c1" }), { keepLast: 1 });
    await onKysely.end();
    const stored = await kysely.selectFrom("checkpoint_store").select("id").execute();
    expect(stored).toEqual([{ id: "c1" }]);
    const saving = kysely.transaction().execute(async (transaction) => {
      const within = new PostgresCheckpointStore(transaction, { concurrency: "optimistic" });
      await within.save(at(2, { id: "c2" }), { keepLast: 1 });
      const stale = { ...at(3, { id: "c2" }), version: 0 };
      await expect(within.save(stale, { keepLast: 1 })).rejects.toMatchObject({ storedVersion: 1 });
      expect((await within.list("e")).map(({ id }) => id)).toEqual(["c2"]);
      throw new Error("undone");
    });
    await expect(saving).rejects.toThrow("undone");
    expect((await store.list("e")).map(({ id }) => id)).toEqual(["c1"]);
  });

  it("takes any name of a table as a name", async () => {
    const names = [`a"; drop table checkpoint_store; --`, "select", "Ü 🚀"];
    for (const table of names) {
      await using named = new PostgresCheckpointStore(database.source, { table });
      await named.setup();
      await named.save(at(1, { id: table }), { keepLast: 1 });
      expect((await named.list("e")).map(({ id }) => id)).toEqual([table]);
    }
    expect(await store.backend.count({})).toBe(0);
  });

  it("fails a save that a trigger of somebody else suppresses", async () => {
    await using refusing = new PostgresCheckpointStore(database.source, { table: "suppressed" });
    await refusing.setup();
    await database.exec(`
      create function suppress() returns trigger language plpgsql as 'begin return null; end';
      create trigger suppress before insert on suppressed for each row execute function suppress()`);
    const saved = { ...at(1), id: "kept out" };
    for (const call of [
      () => refusing.save(saved),
      () => refusing.save(saved, { keepLast: 1 }),
      () => refusing.saveMany([saved]),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: "DATABASE_ERROR", checkpointId: "kept out" });
    }
  });

  it("asks for setup() where the table is missing", async () => {
    await using missing = new PostgresCheckpointStore(database.source, { table: "missing" });
    await expect(missing.load("c1")).rejects.toMatchObject({ code: "MIGRATION_REQUIRED" });
    await expect(missing.save(at(1), { keepLast: 1 })).rejects.toMatchObject({ code: "MIGRATION_REQUIRED" });
    const { ok, schema, error } = await missing.health();
    expect({ ok, schema }).toEqual({
      ok: false,
      schema: { upToDate: false, pending: ["checkpoint-store-0001-create-checkpoint-store"] },
    });
    expect(error?.message).toContain(
      "migrate --schema public --with checkpoint-store --checkpoint-table missing",
    );
  });

  it("cuts the microseconds of a program of Go, and sorts by them", async () => {
    for (const [id, time] of [
      ["c1", "2026-01-01 12:00:00.0009+08"],
      ["c2", "2026-01-01 12:00:00.000999+08"],
      ["c3", "1969-12-31 23:59:59.9985+00"],
    ]) {
      await database.query(
        "insert into checkpoint_store values ($1, 'e', '', 'n', '1', 'null', $2::timestamptz, 1)",
        [id, time],
      );
    }
    const listed = await store.list("e");
    expect(listed.map(({ id }) => id)).toEqual(["c3", "c1", "c2"]);
    expect(listed[0]?.timestamp.getTime()).toBe(-2);
    expect(listed[1]?.timestamp).toEqual(new Date("2026-01-01T04:00:00.000Z"));
    expect(listed[1]?.metadata).toBeNull();
  });
});

describeServer("a PostgresCheckpointStore on a server", (target) => {
  let database: TestDatabase<string>;
  let store: PostgresCheckpointStore;
  beforeAll(async () => {
    database = await target.createDatabase();
    store = new PostgresCheckpointStore(database.source);
    await store.setup();
  });
  afterEach(() => database.exec("delete from checkpoint_store"));
  afterAll(() => store.end());

  /** Runs a function in a transaction beside the store, and commits. */
  function inTransaction(run: (transaction: Transaction<CheckpointStoreDatabase>) => Promise<void>) {
    const kysely: Kysely<CheckpointStoreDatabase> = database.kysely<CheckpointStoreDatabase>();
    return kysely.transaction().execute(run);
  }

  it("takes one round trip for a call, and leaves the pool open", async () => {
    const { pool, sent } = observedPool(database.source, 1);
    const onPool = new PostgresCheckpointStore(pool);
    await onPool.load("none").catch(() => undefined);
    sent.length = 0;
    await onPool.save(at(1, { id: "c1" }));
    await onPool.save(at(2, { id: "c2" }), { keepLast: 1 });
    await onPool.load("c2");
    await onPool.list("e");
    await onPool.latest("e");
    await onPool.delete("c2");
    await onPool.clear("e");
    expect(sent).toHaveLength(7);
    await onPool.end();
    expect(pool.ended).toBe(false);
    await pool.end();
  });

  it("does not depend on how a pool parses types", async () => {
    const types = { getTypeParser: () => (text: string) => (/^\d+$/.test(text) ? BigInt(text) : text) };
    const pool = new pg.Pool({ connectionString: database.source, types });
    const onPool = new PostgresCheckpointStore(pool);
    const checkpoint = { ...at(1_700_000_000_123, { id: "c1" }), state: { n: 1, list: ["a", null] } };
    await onPool.save(checkpoint);
    expect(await onPool.load("c1")).toEqual(checkpoint);
    expect(await onPool.clear("e")).toBe(1);
    await pool.end();
  });

  it("keeps exactly n where two save with keepLast n at the same time", async () => {
    let saving: Promise<void> | undefined;
    await store.save(at(1, { id: "c1" }));
    await inTransaction(async (transaction) => {
      await new PostgresCheckpointStore(transaction).save(at(2, { id: "c2" }), { keepLast: 2 });
      saving = store.save(at(3, { id: "c3" }), { keepLast: 2 });
      await untilItWaits(database, saving);
    });
    await saving;
    expect((await store.list("e")).map(({ id }) => id)).toEqual(["c2", "c3"]);
  });

  it("does not trim a checkpoint that another transaction makes newer, or moves", async () => {
    for (const id of ["old", "moved", "oldest"]) await store.save(at(1, { id }));
    let saving: Promise<void> | undefined;
    await inTransaction(async (transaction) => {
      const beside = new PostgresCheckpointStore(transaction);
      await beside.save(at(9, { id: "old" }));
      await beside.save(at(1, { id: "moved", executionId: "other" }));
      saving = store.save(at(5, { id: "new" }), { keepLast: 1 });
      await untilOneWaits(database);
    });
    await saving;
    expect((await store.list("e")).map(({ id }) => id)).toEqual(["new", "old"]);
    expect((await store.list("other")).map(({ id }) => id)).toEqual(["moved"]);
  });

  it("compares versions with what another transaction has stored meanwhile", async () => {
    const optimistic = new PostgresCheckpointStore(database.source, { concurrency: "optimistic" });
    await store.save({ ...at(1, { id: "c1" }), version: 1 });
    let saving: Promise<void> | undefined;
    await inTransaction(async (transaction) => {
      await new PostgresCheckpointStore(transaction).save({ ...at(1, { id: "c1" }), version: 7 });
      saving = optimistic.save({ ...at(2, { id: "c1" }), version: 3 });
      saving.catch(() => undefined);
      await untilOneWaits(database);
    });
    await expect(saving).rejects.toMatchObject({ code: "CHECKPOINT_VERSION", version: 3, storedVersion: 7 });
    await optimistic.end();
  });

  it("ends by its signal or its time limit while it waits, and stores nothing", async () => {
    const limited = new PostgresCheckpointStore(database.source, { statementTimeoutMs: 100 });
    await store.save(at(1, { id: "c1" }));
    await inTransaction(async (transaction) => {
      await new PostgresCheckpointStore(transaction).save(at(1, { id: "c1" }));
      for (const options of [{}, { keepLast: 1 }]) {
        const abort = new AbortController();
        const saving = store.save(at(2, { id: "c1" }), { ...options, signal: abort.signal });
        saving.catch(() => undefined);
        await untilOneWaits(database);
        abort.abort();
        await expect(saving).rejects.toMatchObject({ name: "AbortError" });
        await expect(limited.save(at(2, { id: "c1" }), options)).rejects.toMatchObject({
          code: "STATEMENT_TIMEOUT",
        });
      }
    });
    expect((await store.load("c1")).state).toBe(1);
    await limited.end();
  });

  it("finds the latest by the index, however many an execution has, and converts no other", async () => {
    await database.exec(`
      insert into checkpoint_store select 'c' || n, 'e' || n % 3, 't' || n % 3, 'n', '1', null, now() + n * interval '1 s', n
        from generate_series(1, 3000) as n;
      analyze checkpoint_store`);
    const { pool, sent } = observedPool(database.source, 1);
    const onPool = new PostgresCheckpointStore(pool);
    for (const [scope, index] of [
      [{ executionId: "e1" }, "checkpoint_store_execution_idx"],
      [{ threadId: "t1" }, "checkpoint_store_thread_idx"],
    ] as const) {
      sent.length = 0;
      expect((await onPool.latest(scope))?.id).toBe("c2998");
      const [statement = ""] = sent;
      const rows = await database.query<{ "QUERY PLAN": string }>(
        `explain (verbose, costs off) ${statement}`,
        ["executionId" in scope ? scope.executionId : scope.threadId],
      );
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      expect(plan).toContain(`Index Scan Backward using ${index}`);
      expect(plan).toContain("Presorted Key");
      const [after = "", upToLimit = ""] = plan.split("Limit");
      expect(after).toContain("state)::text");
      expect(upToLimit).not.toContain("state)::text");
    }
    await pool.end();
  });
});
