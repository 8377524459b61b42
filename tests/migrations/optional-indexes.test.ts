import { beforeEach, expect, it } from "@jest/globals";
import { sql } from "kysely";
import { openDatabase, type OpenedDatabase } from "../../src/db/index.js";
import type { CheckpointDatabase } from "../../src/index.js";
import {
  createOptionalIndexes,
  dropOptionalIndexes,
  migrateToLatest,
  type OptionalIndex,
  optionalIndexStatus,
  partitionTables,
} from "../../src/migrations/index.js";
import { cliOn } from "../cli/cli.js";
import { describeEachTarget, describeServer, type TestDatabase } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";

const BOTH: OptionalIndex[] = ["metadata-index", "run-index"];

async function planOf(database: TestDatabase, query: string): Promise<string> {
  const rows = await database.query<{ "QUERY PLAN": string }>(`explain ${query}`);
  return rows.map((row) => row["QUERY PLAN"]).join("\n");
}

/** Inserts enough rows for Postgres to use an index. */
async function fill(database: TestDatabase): Promise<void> {
  await database.exec(`
    insert into agents.checkpoints (thread_id, checkpoint_id, checkpoint, metadata)
    select n::text, n::text, '{}', jsonb_build_object('run_id', 'run ' || n, 'n', n)
    from generate_series(1, 5000) as n;
    analyze agents.checkpoints`);
}

describeEachTarget("optional indexes", (target) => {
  let database: TestDatabase;
  let opened: OpenedDatabase;

  beforeEach(async () => {
    database = await target.createDatabase();
    opened = openDatabase(database.source);
    await migrateToLatest(opened.kysely, { schema: "agents" });
  });

  it("can be created and dropped, and both can be repeated", async () => {
    const options = { schema: "agents", indexes: BOTH };
    expect(await optionalIndexStatus(opened.kysely, options)).toEqual({
      "time-index": "missing",
      "metadata-index": "missing",
      "run-index": "missing",
      "waiting-index": "missing",
      "text-index": "missing",
      "store-text-index": "missing",
    });
    for (let round = 0; round < 2; round++) {
      expect(await createOptionalIndexes(opened.kysely, options)).toEqual({
        "metadata-index": "ready",
        "run-index": "ready",
      });
    }
    await dropOptionalIndexes(opened.kysely, { schema: "agents", indexes: ["run-index"] });
    await dropOptionalIndexes(opened.kysely, { schema: "agents", indexes: ["run-index"] });
    expect(await optionalIndexStatus(opened.kysely, options)).toMatchObject({
      "metadata-index": "ready",
      "run-index": "missing",
    });
    await opened.close();
  });

  it("are missing until they are there in each of their tables, and are then completed", async () => {
    const options = { schema: "agents", indexes: ["text-index"] } as const;
    await createOptionalIndexes(opened.kysely, options);
    const built = () =>
      database.query(
        "select oid::int from pg_class where relname like 'checkpoint%text_idx' order by relname",
      );
    const [, , ofWrites] = await built();
    await database.exec("drop index agents.checkpoint_text_idx");
    expect(await optionalIndexStatus(opened.kysely, options)).toMatchObject({ "text-index": "missing" });
    expect(await createOptionalIndexes(opened.kysely, options)).toEqual({ "text-index": "ready" });
    // What was there was not built again.
    expect((await built())[2]).toEqual(ofWrites);
    await dropOptionalIndexes(opened.kysely, options);
    expect(await built()).toEqual([]);
    await opened.close();
  });

  it("are used by filters and by deleteForRuns", async () => {
    await fill(database);
    const byFilter = `select 1 from agents.checkpoints where metadata @> '{"n": 7}'::jsonb`;
    const byRun = `select 1 from agents.checkpoints where (metadata ->> 'run_id') = any ('{run 7}'::text[])`;
    expect(await planOf(database, byFilter)).not.toContain("checkpoint_metadata_idx");
    await createOptionalIndexes(opened.kysely, { schema: "agents", indexes: BOTH });
    expect(await planOf(database, byFilter)).toContain("checkpoint_metadata_idx");
    expect(await planOf(database, byRun)).toContain("checkpoint_run_idx");
    await opened.close();
  });

  it("can be created, dropped, planned and checked by the command line", async () => {
    const cli = cliOn(database);
    const migrate = ["migrate", "--schema", "agents"];
    const missing = await cli(...migrate, "--check", "--with", "run-index");
    expect(missing).toMatchObject({ code: 1, stderr: "" });
    expect(missing.stdout).toContain("missing run-index");
    const plan = await cli(...migrate, "--plan", "--with", "run-index");
    expect(plan.stdout).toContain(
      'create index concurrently if not exists "checkpoint_run_idx" on "agents"."checkpoints"',
    );
    const created = await cli(...migrate, "--with", "run-index", "--json");
    expect(JSON.parse(created.stdout)).toEqual({
      schema: "agents",
      applied: [],
      indexes: { "run-index": "ready" },
    });
    expect(await cli(...migrate, "--check", "--with", "run-index")).toMatchObject({ code: 0 });
    const status = await cli("migrate", "status", "--schema", "agents");
    expect(status.stdout).toMatch(/\nmetadata-index {4}missing\nrun-index {9}ready\n/);
    expect((await cli(...migrate, "--without", "run-index")).stdout).toContain("dropped run-index");
    expect(await cli(...migrate, "--check", "--with", "run-index")).toMatchObject({ code: 1 });
    expect(await cli(...migrate, "--with", "no-index")).toMatchObject({ code: 2 });
    await opened.close();
  });

  it("are created in a passed-in transaction, and rolled back with it", async () => {
    const failing = opened.kysely.transaction().execute(async (transaction) => {
      await createOptionalIndexes(transaction, { schema: "agents", indexes: ["run-index"] });
      throw new Error("rolled back by the caller");
    });
    await expect(failing).rejects.toThrow("rolled back by the caller");
    expect(await optionalIndexStatus(opened.kysely, { schema: "agents" })).toMatchObject({
      "run-index": "missing",
    });
    await opened.close();
  });

  it("must have a known name", async () => {
    const indexes = JSON.parse('["toString"]') as OptionalIndex[];
    await expect(createOptionalIndexes(opened.kysely, { schema: "agents", indexes })).rejects.toMatchObject({
      code: "INVALID_CONFIG",
    });
    await opened.close();
  });
});

describeServer("an optional index", (target) => {
  it("is rebuilt if an earlier attempt left it broken", async () => {
    const database = await target.createDatabase();
    const opened = openDatabase(database.source);
    await migrateToLatest(opened.kysely);
    await database.query(
      `insert into checkpoints (thread_id, checkpoint_id, checkpoint, metadata)
       values ('t', '1', '{}', '{"n": "no number"}')`,
    );
    // An index of the same name whose expression fails for a row.
    const failing = sql`create index concurrently checkpoint_run_idx on checkpoints (((metadata ->> 'n')::int))`;
    await expect(failing.execute(opened.kysely)).rejects.toMatchObject({ code: "22P02" });
    expect(await optionalIndexStatus(opened.kysely)).toMatchObject({ "run-index": "broken" });
    const status = await cliOn(database)("migrate", "status", "--json");
    expect(JSON.parse(status.stdout)).toMatchObject({ indexes: { "run-index": "broken" } });
    expect(await createOptionalIndexes(opened.kysely, { indexes: ["run-index"] })).toEqual({
      "run-index": "ready",
    });
    await opened.close();
  });

  it("covers partitions in another schema, and is dropped with them", async () => {
    const database = await target.migratedDatabase();
    const { kysely, close } = openDatabase(database.source);
    await partitionTables(kysely, { layout: "hash:2" });
    await database.exec("create schema parts; alter table checkpoints_hash2_0 set schema parts");
    const indexes: OptionalIndex[] = ["run-index"];
    expect(await createOptionalIndexes(kysely, { indexes })).toEqual({ "run-index": "ready" });
    const built = () =>
      database.query(
        "select schemaname as schema, tablename as table from pg_indexes where indexname ~ 'run_idx' order by 1, 2",
      );
    expect(await built()).toEqual([
      { schema: "parts", table: "checkpoints_hash2_0" },
      { schema: "public", table: "checkpoints" },
      { schema: "public", table: "checkpoints_hash2_1" },
    ]);
    await dropOptionalIndexes(kysely, { indexes });
    expect(await built()).toEqual([]);
    await close();
  });

  it("does not block writers while it is built", async () => {
    const database = await target.createDatabase();
    const opened = openDatabase(database.source);
    await migrateToLatest(opened.kysely);
    const db = database.kysely<CheckpointDatabase>();
    const built = await db.transaction().execute(async (transaction) => {
      // The build waits for this open transaction, whose writes must not wait for the build.
      const row = { thread_id: "t", checkpoint_id: "1", checkpoint: '{"v":4,"id":"1","ts":""}' };
      await transaction.insertInto("checkpoints").values(row).execute();
      const building = createOptionalIndexes(opened.kysely, { indexes: ["run-index"] });
      await until(async () => (await optionalIndexStatus(db))["run-index"] === "building");
      // Another process leaves it alone, and does not wait for it.
      const other = openDatabase(`${database.source}?options=-c%20lock_timeout%3D200ms`);
      expect(await createOptionalIndexes(other.kysely, { indexes: ["run-index"] })).toEqual({
        "run-index": "building",
      });
      await other.close();
      await transaction
        .insertInto("checkpoints")
        .values({ ...row, thread_id: "u" })
        .execute();
      return { building };
    });
    expect(await built.building).toEqual({ "run-index": "ready" });
    await opened.close();
  });
});
