import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { Client } from "pg";
import { openDatabase } from "../../src/db/index.js";
import type { OpenedDatabase } from "../../src/db/opened-database.js";
import { checkpointStoreSet } from "../../src/migrations/checkpoint-store-set.js";
import { MIGRATION_NAMES, migrateToLatest, migrationStatus } from "../../src/migrations/index.js";
import { migrateSets } from "../../src/migrations/migrate.js";
import { countWaiting } from "../../test-support/held-locks.js";
import {
  firstGoTables,
  type GoTables,
  goRow,
  todaysGoTables,
} from "../../test-support/langgraphgo-tables.js";
import { dumpSchema } from "../../test-support/schema-dump.js";
import { describeEachTarget, describeServer, type TestDatabase } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";
import { cliOn } from "../cli/cli.js";

const STEP = "checkpoint-store-0001-create-checkpoint-store";

/** The thread that a row belongs to after the adoption, by the metadata that Go has stored. */
const METADATA: Readonly<Record<string, Readonly<Record<string, unknown>> | null>> = {
  both: { execution_id: "exec_1", thread_id: "user-7", event: "step" },
  execution: { execution_id: "exec_1" },
  "no text": { execution_id: "exec_2", thread_id: 7 },
  empty: { execution_id: "exec_2", thread_id: "" },
  none: null,
};
const THREADS = { both: "user-7", execution: null, "no text": null, empty: null, none: null };

const LAYOUTS = [
  ["v0.5.0", firstGoTables],
  ["today", todaysGoTables],
] as const;

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

  async function fill(tables: GoTables): Promise<void> {
    await database.exec(tables.schema);
    for (const [id, metadata] of Object.entries(METADATA)) {
      await database.query(tables.save, goRow(tables, id, metadata));
    }
  }

  const rowsOf = (table: string, hasThreads: boolean) =>
    database.query(
      `select to_jsonb(t) ${hasThreads ? "" : "- 'thread_id'"} as row from ${table} t order by id`,
    );

  it.each(LAYOUTS)("of %s is adopted with every row and its threads, once", async (_, tablesOf) => {
    const tables = tablesOf("go_runs");
    await fill(tables);
    const before = await rowsOf("go_runs", tables.hasThreads);
    expect(await adopt("go_runs")).toEqual([STEP]);
    expect(await rowsOf("go_runs", tables.hasThreads)).toEqual(before);
    const threads = await database.query<{ id: string; thread_id: string | null }>(
      "select id, nullif(thread_id, '') as thread_id from go_runs",
    );
    expect(Object.fromEntries(threads.map((row) => [row.id, row.thread_id]))).toEqual(THREADS);
    const indexes = await database.query<{ name: string }>(
      "select indexname as name from pg_indexes where tablename = 'go_runs' and indexname like 'go_runs%' order by 1",
    );
    expect(indexes.map(({ name }) => name)).toEqual([
      "go_runs_execution_idx",
      "go_runs_pkey",
      "go_runs_thread_idx",
    ]);
    const adopted = await dumpSchema(database);
    expect(await adopt("go_runs")).toEqual([]);
    expect(await dumpSchema(database)).toEqual(adopted);
  });

  it.each(LAYOUTS)("of %s can still be set up, written and read by Go", async (_, tablesOf) => {
    const tables = tablesOf("go_runs");
    await fill(tables);
    await adopt("go_runs");
    const adopted = await dumpSchema(database);
    await database.exec(tables.schema);
    expect(await dumpSchema(database)).toEqual(adopted);
    await database.query(tables.save, goRow(tables, "both", { execution_id: "exec_9" }));
    await database.query(tables.save, goRow(tables, "new", { execution_id: "exec_9" }));
    expect(
      await database.query("select id from go_runs where execution_id = 'exec_9' order by timestamp, id"),
    ).toEqual([{ id: "both" }, { id: "new" }]);
  });

  it("fills in the threads of rows that Go stored before it knew threads", async () => {
    const first = firstGoTables("go_runs");
    await fill(first);
    // As its MigrateSchema does.
    await database.exec("alter table go_runs add column thread_id text");
    const today = todaysGoTables("go_runs");
    await database.query(today.save, goRow(today, "later", { thread_id: "user-8" }));
    await adopt("go_runs");
    expect(
      await database.query("select id, thread_id from go_runs where thread_id <> '' order by id"),
    ).toEqual([
      { id: "both", thread_id: "user-7" },
      { id: "later", thread_id: "user-8" },
    ]);
  });

  it("may be called checkpoints, in a schema that has no savers", async () => {
    const run = cliOn(database);
    await fill(todaysGoTables("checkpoints"));
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
    const left = await database.query("select from pg_class where relname ~ 'go_runs|checkpoint_store'");
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
