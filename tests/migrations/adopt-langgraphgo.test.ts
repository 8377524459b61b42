import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { Client } from "pg";
import { openDatabase } from "../../src/db/index.js";
import type { OpenedDatabase } from "../../src/db/opened-database.js";
import { checkpointStoreSet } from "../../src/migrations/checkpoint-store-set.js";
import { migrateToLatest, migrationStatus } from "../../src/migrations/index.js";
import { migrateSets } from "../../src/migrations/migrate.js";
import { countWaiting } from "../../test-support/held-locks.js";
import { firstGoTables, goRow, todaysGoTables } from "../../test-support/langgraphgo-tables.js";
import { dumpSchema } from "../../test-support/schema-dump.js";
import { describeEachTarget, describeServer, type TestDatabase } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";
import { cliOn } from "../cli/cli.js";
import { MIGRATION_NAMES } from "../../src/migrations/steps/saver-steps.js";

const STEP = "checkpoint-store-0001-create-checkpoint-store";

/** Each version by what it knows about Postgres. `tests/fixtures/langgraphgo` has the tables that it wrote. */
const VERSIONS = [
  ["v0.5.0", firstGoTables],
  ["v0.8.5", todaysGoTables],
] as const;

const FIXTURES = new URL("../fixtures/langgraphgo/", import.meta.url);

describeEachTarget("a table of langgraphgo", (target) => {
  let database: TestDatabase;
  let opened: OpenedDatabase;

  beforeAll(async () => {
    database = await target.createDatabase();
    opened = openDatabase(database.source);
  });

  afterAll(() => opened.close());

  beforeEach(() => database.reset());

  const adopt = (table: string) => migrateSets(opened.kysely, [checkpointStoreSet({ table })]);

  it.each(VERSIONS)("of %s is adopted with every row and its threads, once", async (version, tablesOf) => {
    await database.exec(await readFile(new URL(`postgres-${version}.sql`, FIXTURES), "utf8"));
    const columns = tablesOf("checkpoints").hasThreads ? "" : "- 'thread_id'";
    const rows = () => database.query(`select to_jsonb(t) ${columns} as row from checkpoints t order by id`);
    const before = await rows();
    expect(before.length).toBeGreaterThan(30);
    expect(await adopt("checkpoints")).toEqual([STEP]);
    expect(await rows()).toEqual(before);
    const threads = await database.query<{ stored: string; wanted: string }>(`
      select coalesce(thread_id, '') as stored, case when jsonb_typeof(metadata -> 'thread_id') = 'string'
        then metadata ->> 'thread_id' else '' end as wanted from checkpoints`);
    expect(threads.map(({ stored }) => stored)).toEqual(threads.map(({ wanted }) => wanted));
    expect(threads).toContainEqual({ stored: "thread-only", wanted: "thread-only" });
    const indexes = await database.query<{ name: string }>(
      "select indexname as name from pg_indexes where tablename = 'checkpoints' and indexname like 'checkpoints%' order by 1",
    );
    expect(indexes.map(({ name }) => name)).toEqual(
      ["execution_idx", "pkey", "thread_idx"].map((name) => `checkpoints_${name}`),
    );
    const adopted = await dumpSchema(database);
    expect(await adopt("checkpoints")).toEqual([]);
    expect(await dumpSchema(database)).toEqual(adopted);
  });

  it.each(VERSIONS)("of %s can still be set up, written and read by Go", async (_, tablesOf) => {
    const tables = tablesOf("go_runs");
    await database.exec(tables.schema);
    await database.query(tables.save, goRow(tables, "c1", { execution_id: "exec_1", thread_id: "user-7" }));
    await adopt("go_runs");
    const adopted = await dumpSchema(database);
    await database.exec(tables.schema);
    expect(await dumpSchema(database)).toEqual(adopted);
    const save = (id: string, thread_id?: string) =>
      database.query(tables.save, goRow(tables, id, { execution_id: "exec_9", thread_id }));
    await save("c1", "user-8");
    await save("c2", "user-8");
    await save("c3");
    await save("c2");
    expect(
      await database.query(
        "select id, nullif(thread_id, '') as thread from go_runs where execution_id = 'exec_9' order by timestamp, id",
      ),
    ).toEqual([
      { id: "c1", thread: "user-8" },
      { id: "c2", thread: null },
      { id: "c3", thread: null },
    ]);
  });

  it("fills in the threads of rows that Go stored before it knew threads", async () => {
    const first = firstGoTables("go_runs");
    await database.exec(first.schema);
    for (const thread_id of ["user-7", "", 7]) {
      await database.query(first.save, goRow(first, JSON.stringify(thread_id), { thread_id }));
    }
    await database.query(first.save, goRow(first, "none", null));
    // As its MigrateSchema does.
    await database.exec("alter table go_runs add column thread_id text");
    const today = todaysGoTables("go_runs");
    await database.query(today.save, goRow(today, "later", { thread_id: "user-8" }));
    await adopt("go_runs");
    expect(
      await database.query("select id, thread_id from go_runs where thread_id is not null order by id"),
    ).toEqual([
      { id: '"user-7"', thread_id: "user-7" },
      { id: "later", thread_id: "user-8" },
    ]);
  });

  it("may be called checkpoints, in a schema that has no savers", async () => {
    const run = cliOn(database);
    const tables = todaysGoTables("checkpoints");
    await database.exec(tables.schema);
    await database.query(tables.save, goRow(tables, "c1", null));
    const argv = ["migrate", "--with", "checkpoint-store", "--checkpoint-table", "checkpoints"];
    expect((await run(...argv, "--check")).stdout).toContain(`pending ${STEP}`);
    expect(await run(...argv)).toEqual({
      code: 0,
      stdout: `applied ${STEP}\nschema "public" is up to date\n`,
      stderr: "",
    });
    expect((await run("migrate")).stdout).toBe('schema "public" is up to date, nothing to do\n');
    expect(await migrationStatus(opened.kysely)).toMatchObject({ applied: [STEP], pending: [], unknown: [] });
    expect(await run("migrate", "down")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('table "checkpoints" holds checkpoints'),
    });
    const { stdout } = await run(...argv, "--print-grants");
    expect(stdout).toContain('"public"."checkpoints_kysely_migration"');
    expect(stdout).not.toContain("checkpoint_blobs");
  });

  it("is known beside one of this library, and each is undone on its own", async () => {
    await database.exec(firstGoTables("go_runs").schema);
    await adopt("go_runs");
    await migrateToLatest(opened.kysely, { with: ["checkpoint-store"] });
    const run = cliOn(database);
    expect(await migrationStatus(opened.kysely)).toMatchObject({
      applied: [...MIGRATION_NAMES, STEP, STEP],
      pending: [],
    });
    await run("migrate", "down");
    await run("migrate", "down");
    expect(await migrationStatus(opened.kysely)).toMatchObject({ applied: MIGRATION_NAMES });
    const left = await database.query(
      `select relname as name from pg_class where relname ~ 'go_runs|checkpoint_store'
       union all select proname from pg_proc where proname ~ 'go_runs'`,
    );
    expect(left).toEqual([]);
  });
});

describeServer("a table of langgraphgo beside a running program", (target) => {
  it("is adopted without a deadlock with a program that saves rows meanwhile", async () => {
    const database = await target.createDatabase();
    const tables = todaysGoTables("go_runs");
    await database.exec(tables.schema);
    const metadata = { execution_id: "exec_1", thread_id: "user-7" };
    for (const id of ["a", "b"]) await database.query(tables.save, goRow(tables, id, metadata));
    await database.exec("update go_runs set thread_id = null");
    const [slow, quick] = [new Client(database.source), new Client(database.source)];
    const opened = openDatabase(database.source);
    try {
      await Promise.all([slow.connect(), quick.connect()]);
      await slow.query("begin");
      await slow.query(tables.save, goRow(tables, "b", metadata));
      const adopted = migrateSets(opened.kysely, [checkpointStoreSet({ table: "go_runs" })]);
      await until(async () => (await countWaiting(database)) === 1);
      const saved = quick.query(tables.save, goRow(tables, "a", metadata));
      await until(async () => (await countWaiting(database)) === 2);
      await slow.query("commit");
      expect(await adopted).toEqual([STEP]);
      expect(await saved).toMatchObject({ rowCount: 1 });
      expect(await database.query("select id, thread_id from go_runs order by id")).toEqual(
        ["a", "b"].map((id) => ({ id, thread_id: "user-7" })),
      );
    } finally {
      await Promise.all([slow.end(), quick.end(), opened.close()]);
    }
  });
});
