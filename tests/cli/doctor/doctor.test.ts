import { beforeEach, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../../src/index.js";
import type { DiagnoseOptions } from "../../../src/doctor/diagnose.js";
import { checkpointOf, metadataOf, putValues, threadConfig } from "../../../test-support/checkpoints.js";
import { OFFICIAL_MIGRATIONS } from "../../../test-support/official-migrations.js";
import { describeEachTarget, type TestDatabase } from "../../../test-support/targets.js";
import { cliOn } from "../cli.js";
import { complaints, examine, OPTIONS } from "./examine.js";

const FUTURE_ID = "3f1c5b3a-0000-6000-8000-000000000000";

describeEachTarget("doctor", (target) => {
  let database: TestDatabase;
  let run: ReturnType<typeof cliOn>;

  beforeEach(async () => {
    database = await target.migratedDatabase();
    run = cliOn(database);
    await using saver = new PostgresSaver(database.source);
    await putValues(saver, threadConfig("42"), { plan: "A" });
  });

  async function found(check: string, options: Partial<DiagnoseOptions> = {}) {
    return complaints(await examine(database, options), check);
  }

  it("finds no error in a new database", async () => {
    const { code, stdout, stderr } = await run("doctor");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^STATE +CHECK +FINDING\nok +connection +.*answers in [\d.]+ ms/);
    expect(stdout).not.toMatch(/^error|^unknown/m);
    for (const check of ["version", "read-only", "encoding", "pooler", "schema", "privileges"]) {
      expect(stdout).toMatch(new RegExp(`^ok +${check} `, "m"));
    }
    for (const check of [
      "row security",
      "indexes",
      "collation",
      "clock",
      "ids",
      "bloat",
      "vacuum",
      "compression",
    ]) {
      expect(stdout).toMatch(new RegExp(`^ok +${check} `, "m"));
    }
  });

  it("prints the same findings as JSON, and whether there is an error", async () => {
    expect(JSON.parse((await run("doctor", "--json")).stdout)).toMatchObject({
      ok: true,
      schema: "public",
      findings: expect.arrayContaining([
        { check: "schema", state: "ok", message: expect.stringContaining("is up to date") },
      ]),
    });
    const { code, stdout } = await run("doctor", "--json", "--schema", "none");
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, schema: "none" });
  });

  it("names the schemas with checkpoint tables if the given one has none", async () => {
    await database.exec("create schema agents");
    const { code, stdout } = await run("doctor", "--schema", "agents");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^error +schema +schema "agents" has no checkpoint tables\n +→ pass the schema/m);
    expect(stdout).toContain('("public" has some)');
    expect(stdout).toContain("npx langgraph-checkpoint-kysely migrate --schema agents");
    expect(await found("schema", { schema: "none" })).toMatchObject([
      { state: "error", message: 'schema "none" does not exist' },
    ]);
  });

  it("reports a dropped table, with a remedy that restores it", async () => {
    await database.exec("drop table checkpoint_writes");
    const [{ remedy = "" } = {}] = await found("schema");
    expect(await found("schema")).toMatchObject([
      {
        state: "error",
        message: 'table "checkpoint_writes" does not exist, although its migration is recorded as applied',
      },
    ]);
    expect((await run("migrate", "status")).stdout).toContain('table "checkpoint_writes" does not exist');
    const [statement = ""] = /delete from [^,]+/.exec(remedy) ?? [];
    await database.exec(statement);
    expect((await run("migrate")).code).toBe(0);
    expect(await found("schema")).toEqual([]);
  });

  it("reports pending steps as an error, and unknown steps as a warning", async () => {
    await run("migrate", "down");
    expect(await found("schema")).toMatchObject([
      { state: "error", message: expect.stringContaining("0006-add-splice-base pending") },
    ]);
    await run("migrate");
    await database.exec("insert into checkpoint_kysely_migration values ('9999-later', 'then')");
    expect(await found("schema")).toMatchObject([
      {
        state: "warning",
        message: expect.stringContaining("9999-later"),
        remedy: "upgrade langgraph-checkpoint-kysely",
      },
    ]);
  });

  it.each([
    [9, "warning"],
    [4, "error"],
  ] as const)("recognizes the tables of an official saver at version %i", async (version, state) => {
    await database.reset();
    for (const migration of OFFICIAL_MIGRATIONS.slice(0, version + 1)) await database.exec(migration);
    await database.exec(`insert into checkpoint_migrations select generate_series(0, ${version})`);
    expect(await found("schema")).toMatchObject([
      {
        state,
        message: expect.stringMatching(/not adopted yet, version \d of the official savers/),
        remedy: "npx langgraph-checkpoint-kysely migrate --schema public",
      },
    ]);
  });

  it("reports the redundant indexes of the official savers, with remedies that drop them", async () => {
    for (const migration of OFFICIAL_MIGRATIONS.slice(6, 9)) await database.exec(migration);
    const findings = await found("indexes");
    expect(findings.map(({ state, message }) => [state, message.split(" ")[1]])).toEqual([
      ["warning", '"checkpoint_blobs_thread_id_idx"'],
      ["warning", '"checkpoint_writes_thread_id_idx"'],
      ["warning", '"checkpoints_thread_id_idx"'],
    ]);
    for (const { remedy = "" } of findings) await database.exec(remedy);
    expect(await found("indexes")).toEqual([]);
  });

  it("reports a missing primary key, unless a unique index replaces it, with a remedy that creates it", async () => {
    await database.exec("alter table checkpoints drop constraint checkpoints_pkey");
    const [{ state, remedy = "" } = {}] = await found("indexes");
    expect(state).toBe("error");
    await database.exec("create unique index on checkpoints (thread_id, checkpoint_ns, checkpoint_id)");
    expect(await found("indexes")).toEqual([]);
    await database.exec("drop index checkpoints_thread_id_checkpoint_ns_checkpoint_id_idx");
    await database.exec(remedy);
    expect(await found("indexes")).toEqual([]);
  });

  it("reports invalid indexes", async () => {
    await database.exec(`
      create index checkpoint_run_idx on checkpoints ((metadata ->> 'run_id'));
      create index mine on checkpoints (checkpoint_id);
      update pg_index set indisvalid = false
      where indexrelid in ('checkpoint_run_idx'::regclass, 'mine'::regclass, 'checkpoint_blobs_pkey'::regclass)`);
    expect(await found("indexes")).toMatchObject([
      { state: "error", remedy: 'reindex index concurrently "public"."checkpoint_blobs_pkey"' },
      { state: "warning", remedy: expect.stringContaining('drop index concurrently "public"."mine"') },
      {
        state: "warning",
        remedy: "npx langgraph-checkpoint-kysely migrate --schema public --with run-index",
      },
    ]);
  });

  it("warns if the clocks differ", async () => {
    expect(await found("clock", { now: () => Date.now() + 60_000 })).toMatchObject([
      { state: "warning", message: expect.stringMatching(/^this machine's clock is (60|59)\.\d s ahead of/) },
    ]);
    expect(await found("clock", { now: () => Date.now() - 60_000 })).toMatchObject([
      { message: expect.stringMatching(/ s behind the server's/) },
    ]);
  });

  it("reports checkpoint ids with a time in the future, and ignores ids without a time", async () => {
    await using saver = new PostgresSaver(database.source);
    for (const id of ["zzz", "ffffffff-ffff-4fff-8fff-ffffffffffff"]) {
      await saver.put(threadConfig("42"), { ...checkpointOf(saver, {}), id }, metadataOf(), {});
    }
    expect(await found("ids")).toEqual([]);
    await saver.put(
      threadConfig("\u001b[2Jx"),
      { ...checkpointOf(saver, {}), id: FUTURE_ID },
      metadataOf(),
      {},
    );
    expect(await found("ids")).toMatchObject([
      {
        state: "warning",
        message: expect.stringMatching(/^1 checkpoint id is in the future, the latest of 2\d{3}-/),
      },
    ]);
    const { code, stdout } = await run("doctor");
    expect(code).toBe(0);
    expect(stdout).toContain(String.raw`in thread "\u001b[2Jx"`);
  });

  it("warns if row-level security is on for some of the tables only", async () => {
    await database.exec("alter table checkpoints enable row level security");
    expect(await found("row security")).toMatchObject([
      {
        state: "warning",
        message: expect.stringMatching(/^on for "checkpoints", but off for "checkpoint_blobs"/),
      },
    ]);
    for (const table of ["blobs", "writes", "tombstones"]) {
      await database.exec(`alter table checkpoint_${table} enable row level security`);
    }
    expect(await found("row security")).toEqual([]);
  });

  it("warns about dead rows, and about tables with autovacuum off", async () => {
    await database.exec(
      "alter table checkpoints set (autovacuum_enabled = off, toast.autovacuum_enabled = false)",
    );
    await database.exec(`
      insert into checkpoints (thread_id, checkpoint_id, checkpoint) select 'dead', n, '{}' from generate_series(1, 200) as n;
      delete from checkpoints where thread_id = 'dead'`);
    await database.query("select pg_stat_force_next_flush()");
    const findings = await found("bloat", { limits: { ...OPTIONS.limits, deadRows: 100 } });
    expect(findings).toMatchObject([
      { state: "warning", remedy: 'alter table "public"."checkpoints" reset (autovacuum_enabled)' },
      { state: "warning", remedy: 'alter table "public"."checkpoints" reset (toast.autovacuum_enabled)' },
      {
        state: "warning",
        message: expect.stringMatching(/200 dead and 1 live rows; never vacuumed$/),
      },
    ]);
    await database.exec('alter table "public"."checkpoints" reset (autovacuum_enabled)');
    await database.exec('alter table "public"."checkpoints" reset (toast.autovacuum_enabled)');
    await database.exec('vacuum (analyze) "public"."checkpoints"');
    expect(await found("bloat", { limits: { ...OPTIONS.limits, deadRows: 100 } })).toEqual([]);
  });

  it("warns about old transaction ids", async () => {
    expect(await found("vacuum", { limits: { transactionAge: 0 } })).toMatchObject([
      { state: "warning", message: expect.stringContaining("transactions old") },
    ]);
  });

  it("recommends LZ4 if the server has it, unless pglz was chosen explicitly", async () => {
    const [{ has } = { has: false }] = await database.query<{ has: boolean }>(
      "select 'lz4' = any (enumvals) as has from pg_settings where name = 'default_toast_compression'",
    );
    await database.exec("alter table checkpoint_blobs alter column blob set compression default");
    const advice = { state: "warning", remedy: expect.stringContaining("set compression lz4") };
    expect(await found("compression")).toMatchObject(has ? [advice] : []);
    await database.exec("alter table checkpoint_blobs alter column blob set compression pglz");
    expect(await found("compression")).toEqual([]);
  });

  it("reports which part of the values are splices, once the table was analyzed", async () => {
    const splices = async () =>
      (await examine(database)).flatMap(({ check, state, message }) =>
        check === "splices" ? [[state, message]] : [],
      );
    await using saver = new PostgresSaver(database.source, undefined, { splices: true });
    const list = ["long ".repeat(1_000)];
    let put = await putValues(saver, threadConfig("chat"), { list });
    for (const added of ["a", "b", "c"]) {
      list.push(added);
      put = await putValues(saver, put.config, { list }, put.checkpoint);
    }
    expect(await splices()).toEqual([]);
    await database.exec("analyze checkpoint_blobs");
    expect(await splices()).toEqual([["ok", expect.stringMatching(/^about 75 % of the values are splices/)]]);
    await saver.expand();
    await database.exec("analyze checkpoint_blobs");
    expect(await splices()).toEqual([]);
  });

  it("stops when the signal aborts", async () => {
    const aborted = await cliOn(database, { signal: AbortSignal.abort() })("doctor");
    expect(aborted).toMatchObject({ code: 130, stderr: "error: interrupted\n" });
  });
});
