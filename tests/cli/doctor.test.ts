import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { openDatabase } from "../../src/db/index.js";
import { ConnectionError, PostgresSaver } from "../../src/index.js";
import { diagnose, type DiagnoseOptions } from "../../src/saver/doctor/diagnose.js";
import type { Finding } from "../../src/saver/doctor/finding.js";
import { checkpointOf, metadataOf, putValues, threadConfig } from "../support/checkpoints.js";
import { type EmbeddedServer, startEmbeddedServer } from "../support/embedded-server.js";
import { freePort } from "../support/free-port.js";
import { OFFICIAL_MIGRATIONS } from "../support/official-migrations.js";
import { describeEachTarget, describeServer, type TestDatabase } from "../support/targets.js";
import { describePgBouncer } from "../poolers/describe-pgbouncer.js";
import { PgBouncer, type PgBouncerOptions } from "../poolers/pgbouncer.js";
import { cli, cliOn } from "./cli.js";

const NEVER: DiagnoseOptions = { schema: "public", limits: { connectionShare: 2 } };
const TO_COME = "3f1c5b3a-0000-6000-8000-000000000000";

async function examine(
  { source }: TestDatabase,
  options: Partial<DiagnoseOptions> = {},
  as = source,
): Promise<Finding[]> {
  const database = openDatabase(as);
  try {
    return await diagnose(database.kysely, { ...NEVER, ...options });
  } finally {
    await database.close();
  }
}

/** What one check has found, without what it finds to be well. */
function complaints(findings: readonly Finding[], check: string): Omit<Finding, "check">[] {
  return findings
    .filter((finding) => finding.check === check && finding.state !== "ok")
    .map(({ state, message, remedy }) => ({ state, message, ...(remedy !== undefined && { remedy }) }));
}

describeEachTarget("doctor", (target) => {
  let database: TestDatabase;
  let run: ReturnType<typeof cliOn>;

  beforeAll(async () => {
    database = await target.createDatabase();
    run = cliOn(database);
  });

  beforeEach(async () => {
    await database.reset();
    await using saver = new PostgresSaver(database.source);
    await saver.setup();
    await putValues(saver, threadConfig("42"), { plan: "A" });
  });

  async function found(check: string, options: Partial<DiagnoseOptions> = {}) {
    return complaints(await examine(database, options), check);
  }

  it("finds no error in a database that was just made", async () => {
    const { code, stdout, stderr } = await run("doctor");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^STATE +CHECK +WHAT\nok +connection +.*answers in [\d.]+ ms/);
    expect(stdout).not.toMatch(/^error|can't tell/m);
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

  it("says the same to programs, with whether there is an error", async () => {
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

  it("says where the tables are, when the schema that was named has none", async () => {
    await database.exec("create schema agents");
    const { code, stdout } = await run("doctor", "--schema", "agents");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^error +schema +schema "agents" has no checkpoint tables\n +→ name the schema/m);
    expect(stdout).toContain('there are some in "public"');
    expect(stdout).toContain("npx langgraph-checkpoint migrate --schema agents");
    expect(await found("schema", { schema: "none" })).toMatchObject([
      { state: "error", message: 'there is no schema "none"' },
    ]);
  });

  it("misses a table that somebody has dropped, and what it says brings it back", async () => {
    await database.exec("drop table checkpoint_writes");
    const [{ remedy = "" } = {}] = await found("schema");
    expect(await found("schema")).toMatchObject([
      { state: "error", message: 'table "checkpoint_writes" is gone, though its migration is on record' },
    ]);
    const [statement = ""] = /delete from [^,]+/.exec(remedy) ?? [];
    await database.exec(statement);
    expect((await run("migrate")).code).toBe(0);
    expect(await found("schema")).toEqual([]);
  });

  it("tells a database that is behind from one that is ahead", async () => {
    await run("migrate", "down");
    expect(await found("schema")).toMatchObject([
      { state: "error", message: expect.stringContaining("0005-create-tombstones pending") },
    ]);
    await run("migrate");
    await database.exec("insert into checkpoint_kysely_migration values ('9999-later', 'then')");
    expect(await found("schema")).toMatchObject([
      { state: "warning", message: expect.stringContaining("9999-later"), remedy: "upgrade the library" },
    ]);
  });

  it.each([
    [9, "warning"],
    [4, "error"],
  ] as const)("knows a database of an official saver, at version %i", async (version, state) => {
    await database.reset();
    for (const migration of OFFICIAL_MIGRATIONS.slice(0, version + 1)) await database.exec(migration);
    await database.exec(`insert into checkpoint_migrations select generate_series(0, ${version})`);
    expect(await found("schema")).toMatchObject([
      {
        state,
        message: expect.stringMatching(/not adopted yet, version \d of the official savers/),
        remedy: "npx langgraph-checkpoint migrate --schema public",
      },
    ]);
  });

  it("has the official savers' second indexes dropped, in a way that works", async () => {
    for (const migration of OFFICIAL_MIGRATIONS.slice(6, 9)) await database.exec(migration);
    const findings = await found("indexes");
    expect(findings.map(({ state, message }) => [state, message.split(" ")[0]])).toEqual([
      ["warning", '"checkpoint_blobs_thread_id_idx"'],
      ["warning", '"checkpoint_writes_thread_id_idx"'],
      ["warning", '"checkpoints_thread_id_idx"'],
    ]);
    for (const { remedy = "" } of findings) await database.exec(remedy);
    expect(await found("indexes")).toEqual([]);
  });

  it("misses a primary key, takes another unique index for one, and says how to make it", async () => {
    await database.exec("alter table checkpoints drop constraint checkpoints_pkey");
    const [{ state, remedy = "" } = {}] = await found("indexes");
    expect(state).toBe("error");
    await database.exec("create unique index on checkpoints (thread_id, checkpoint_ns, checkpoint_id)");
    expect(await found("indexes")).toEqual([]);
    await database.exec("drop index checkpoints_thread_id_checkpoint_ns_checkpoint_id_idx");
    await database.exec(remedy);
    expect(await found("indexes")).toEqual([]);
  });

  it("tells of indexes that are not valid", async () => {
    await database.exec(`
      create index checkpoint_run_idx on checkpoints ((metadata ->> 'run_id'));
      create index mine on checkpoints (checkpoint_id);
      update pg_index set indisvalid = false
      where indexrelid in ('checkpoint_run_idx'::regclass, 'mine'::regclass, 'checkpoint_blobs_pkey'::regclass)`);
    expect(await found("indexes")).toMatchObject([
      { state: "error", remedy: 'reindex index concurrently "public"."checkpoint_blobs_pkey"' },
      { state: "warning", remedy: expect.stringContaining('drop index concurrently "public"."mine"') },
      { state: "warning", remedy: "npx langgraph-checkpoint migrate --schema public --with run-index" },
    ]);
  });

  it("compares the clocks", async () => {
    expect(await found("clock", { now: () => Date.now() + 60_000 })).toMatchObject([
      { state: "warning", message: expect.stringMatching(/^this machine's is (60|59)\.\d s ahead of/) },
    ]);
    expect(await found("clock", { now: () => Date.now() - 60_000 })).toMatchObject([
      { message: expect.stringMatching(/ s behind the server's/) },
    ]);
  });

  it("finds checkpoints of a time to come, and none in ids that hold no time", async () => {
    await using saver = new PostgresSaver(database.source);
    for (const id of ["zzz", "ffffffff-ffff-4fff-8fff-ffffffffffff"]) {
      await saver.put(threadConfig("42"), { ...checkpointOf(saver, {}), id }, metadataOf(), {});
    }
    expect(await found("ids")).toEqual([]);
    await saver.put(
      threadConfig("\u001b[2Jx"),
      { ...checkpointOf(saver, {}), id: TO_COME },
      metadataOf(),
      {},
    );
    expect(await found("ids")).toMatchObject([
      {
        state: "warning",
        message: expect.stringMatching(/^1 checkpoint is of a time to come, the last of 2\d{3}-/),
      },
    ]);
    const { code, stdout } = await run("doctor");
    expect(code).toBe(0);
    expect(stdout).toContain(String.raw`in thread "\u001b[2Jx"`);
  });

  it("tells where row-level security is on, and where it was forgotten", async () => {
    await database.exec("alter table checkpoints enable row level security");
    expect(await found("row security")).toMatchObject([
      {
        state: "warning",
        message: expect.stringMatching(/^on for "checkpoints", and not for "checkpoint_blobs"/),
      },
    ]);
    for (const table of ["blobs", "writes", "tombstones"]) {
      await database.exec(`alter table checkpoint_${table} enable row level security`);
    }
    expect(await found("row security")).toEqual([]);
  });

  it("tells of dead rows, and of autovacuum that was switched off for a table", async () => {
    await database.exec(
      "alter table checkpoints set (autovacuum_enabled = off, toast.autovacuum_enabled = false)",
    );
    await database.exec(`
      insert into checkpoints (thread_id, checkpoint_id, checkpoint) select 'dead', n, '{}' from generate_series(1, 200) as n;
      delete from checkpoints where thread_id = 'dead'`);
    await database.query("select pg_stat_force_next_flush()");
    const findings = await found("bloat", { limits: { ...NEVER.limits, deadRows: 100 } });
    expect(findings).toMatchObject([
      { state: "warning", remedy: 'alter table "public"."checkpoints" reset (autovacuum_enabled)' },
      { state: "warning", remedy: 'alter table "public"."checkpoints" reset (toast.autovacuum_enabled)' },
      {
        state: "warning",
        message: expect.stringMatching(/200 dead rows beside 1 live ones; never vacuumed$/),
      },
    ]);
    await database.exec('alter table "public"."checkpoints" reset (autovacuum_enabled)');
    await database.exec('alter table "public"."checkpoints" reset (toast.autovacuum_enabled)');
    await database.exec('vacuum (analyze) "public"."checkpoints"');
    expect(await found("bloat", { limits: { ...NEVER.limits, deadRows: 100 } })).toEqual([]);
  });

  it("tells when transaction ids get old", async () => {
    expect(await found("vacuum", { limits: { transactionAge: 0 } })).toMatchObject([
      { state: "warning", message: expect.stringContaining("transactions old") },
    ]);
  });

  it("is for pglz where there is nothing else or somebody has chosen it, and else for LZ4", async () => {
    const [{ has } = { has: false }] = await database.query<{ has: boolean }>(
      "select 'lz4' = any (enumvals) as has from pg_settings where name = 'default_toast_compression'",
    );
    await database.exec("alter table checkpoint_blobs alter column blob set compression default");
    const advice = { state: "warning", remedy: expect.stringContaining("set compression lz4") };
    expect(await found("compression")).toMatchObject(has ? [advice] : []);
    await database.exec("alter table checkpoint_blobs alter column blob set compression pglz");
    expect(await found("compression")).toEqual([]);
  });

  it("ends when it is told to", async () => {
    const aborted = await cliOn(database, { signal: AbortSignal.abort() })("doctor");
    expect(aborted).toMatchObject({ code: 1, stderr: "error: interrupted\n" });
  });
});

describeServer("doctor of a server", (target) => {
  let database: TestDatabase<string>;
  const roles: string[] = [];

  beforeEach(async () => {
    database = await target.createDatabase();
    await using saver = new PostgresSaver(database.source);
    await saver.setup();
    await putValues(saver, threadConfig("42"), { plan: "A" });
  });
  afterEach(async () => {
    for (const role of roles.splice(0)) await database.exec(`drop owned by ${role}; drop role ${role}`);
  });

  async function newRole(): Promise<{ role: string; url: string }> {
    const role = `doctor_${randomBytes(8).toString("hex")}`;
    await database.exec(`create role ${role} login password 'secret'`);
    roles.push(role);
    const url = new URL(database.source);
    [url.username, url.password] = [role, "secret"];
    return { role, url: url.href };
  }

  /** Sets something for those who connect to the database from now on. */
  async function set(setting: string, value: string): Promise<void> {
    const name = new URL(database.source).pathname.slice(1);
    await database.exec(`alter database ${name} set ${setting} = '${value}'`);
  }

  async function found(check: string, options: Partial<DiagnoseOptions> = {}) {
    return complaints(await examine(database, options), check);
  }

  it("says which rights a role lacks, and its remedy gives them", async () => {
    const { role, url } = await newRole();
    const asRole = async (check: string) => complaints(await examine(database, {}, url), check);
    await database.exec("create schema agents");
    expect(complaints(await examine(database, { schema: "agents" }, url), "schema")).toMatchObject([
      { state: "error", remedy: `grant usage on schema "agents" to "${role}"` },
    ]);
    const grants = await cli(["migrate", "--print-grants", "--read-write", role, "--read-only", role]);
    await database.exec(grants.stdout);
    expect(await asRole("privileges")).toEqual([]);

    await database.exec(`revoke insert, delete on checkpoint_writes from ${role}`);
    await database.exec(`revoke select on checkpoint_kysely_migration from ${role}`);
    const findings = await asRole("privileges");
    expect(findings).toEqual([
      {
        state: "warning",
        message: 'can\'t see in "checkpoint_kysely_migration" what has been migrated',
        remedy: `grant select on "public"."checkpoint_kysely_migration" to "${role}"`,
      },
      {
        state: "error",
        message: `role "${role}" may not insert, delete in "checkpoint_writes"`,
        remedy: `grant insert, delete on "public"."checkpoint_writes" to "${role}"`,
      },
    ]);
    expect((await cli(["doctor", "--url", url])).code).toBe(1);
    for (const { remedy = "" } of findings) await database.exec(remedy);
    expect(await asRole("privileges")).toEqual([]);
  });

  it("lets a role that only reads be, and says what it can't tell", async () => {
    const { role, url } = await newRole();
    await database.exec(`grant select on all tables in schema public to ${role}`);
    const findings = await examine(database, {}, url);
    expect(complaints(findings, "privileges")).toMatchObject([
      { state: "warning", message: `role "${role}" may read threads and write none` },
    ]);
    await database.exec(`revoke all on checkpoints from ${role}`);
    const transaction = database.kysely().startTransaction();
    const open = await transaction.execute();
    const { code, stdout } = await cli(["doctor", "--url", url]);
    await open.rollback().execute();
    expect(code).toBe(1);
    expect(stdout).toMatch(/^can't tell +ids +"checkpoints" may not be read/m);
    expect(stdout).toMatch(/^can't tell +vacuum +what sessions of other roles do is hidden/m);
    expect(stdout).toContain("2 that can't be told");
  });

  it("says that tenants are kept apart for a role that is bound by policies", async () => {
    const { role, url } = await newRole();
    await database.exec(`grant select, insert, update, delete on all tables in schema public to ${role}`);
    for (const table of ["checkpoints", "checkpoint_blobs", "checkpoint_writes", "checkpoint_tombstones"]) {
      await database.exec(`alter table ${table} enable row level security`);
    }
    const of = (findings: Finding[]) => findings.find(({ check }) => check === "row security")?.message;
    expect(of(await examine(database, {}, url))).toMatch(/^active: /);
    expect(of(await examine(database))).toMatch(/^on, but .* is not bound by it/);
  });

  it("finds the session that does nothing in a transaction that has written", async () => {
    const writer = await database
      .kysely<{ checkpoint_migrations: { v: number } }>()
      .startTransaction()
      .execute();
    await writer.insertInto("checkpoint_migrations").values({ v: 99 }).execute();
    expect(await found("vacuum", { limits: { idleTransactionMs: -1 } })).toMatchObject([
      { state: "warning", remedy: expect.stringMatching(/^end it: select pg_terminate_backend\(\d+\)/) },
    ]);
    expect(await found("vacuum")).toEqual([]);
    await writer.rollback().execute();
    expect(await found("vacuum", { limits: { idleTransactionMs: -1 } })).toEqual([]);
  });

  it("leaves the session be that holds a thread's lock: it holds nothing back", async () => {
    await using saver = new PostgresSaver(database.source);
    await saver.withThreadLock("42", async () => {
      expect(await found("vacuum", { limits: { idleTransactionMs: -1 } })).toEqual([]);
    });
  });

  it.each([
    ["default_transaction_read_only", "on", "read-only", "error", /^transactions are read-only here$/],
    ["synchronous_commit", "off", "settings", "warning", /^synchronous_commit is off: what was acknowledged/],
    ["statement_timeout", "4s", "settings", "warning", /^statement_timeout is 4000 ms: /],
    [
      "idle_in_transaction_session_timeout",
      "500ms",
      "settings",
      "warning",
      /^idle_in_transaction_\w+ is 500 ms/,
    ],
  ])("tells of %s = %s", async (setting, value, check, state, message) => {
    await set(setting, value);
    expect(await found(check)).toContainEqual({
      state,
      message: expect.stringMatching(message),
      remedy: expect.anything(),
    });
  });

  it("sees no pooler where there is none, however long the database has been open", async () => {
    const findings = await examine(database, { limits: { ...NEVER.limits, poolerAgeMs: 0 } });
    expect(findings).toContainEqual({ check: "pooler", state: "ok", message: "none seen" });
  });

  it("tells when the sort order of an official saver's keys has changed under their indexes", async () => {
    await database.exec(`
      alter table checkpoint_blobs alter column thread_id type text collate "default";
      update pg_database set datcollversion = 'older' where datname = current_database()`);
    const [{ state, message, remedy = "" } = { state: "ok", message: "" }] = await found("collation");
    expect(state).toBe("warning");
    expect(message).toContain("rows may not be found");
    for (const statement of remedy.split("; ")) await database.exec(statement.replace(/^then /, ""));
    expect(await found("collation")).toEqual([]);
  });

  it("tells of a server that has few connections left", async () => {
    expect(await found("connections", { limits: { connectionShare: 0 } })).toMatchObject([
      { state: "warning", message: expect.stringMatching(/^\d+ of \d+ in use$/) },
    ]);
  });

  it("tells of a database that can't hold every text", async () => {
    const name = `doctor_${randomBytes(8).toString("hex")}`;
    await database.exec(`create database ${name} encoding 'LATIN1' locale 'C' template template0`);
    const url = new URL(database.source);
    url.pathname = `/${name}`;
    try {
      expect(complaints(await examine(database, {}, url.href), "encoding")).toMatchObject([
        { state: "error", message: expect.stringContaining("is encoded in LATIN1") },
      ]);
    } finally {
      await database.exec(`drop database ${name} with (force)`);
    }
  });

  it("waits behind no lock, and goes on", async () => {
    const holder = await database.kysely().startTransaction().execute();
    await sql`lock table checkpoints in access exclusive mode`.execute(holder);
    const findings = await examine(database, { limits: { ...NEVER.limits, checkMs: 50 } });
    await holder.rollback().execute();
    for (const check of ["ids", "bloat"]) {
      expect(complaints(findings, check)).toMatchObject([
        { state: "unknown", message: expect.stringMatching(/^not found out within 50 ms/) },
      ]);
    }
    expect(findings).toContainEqual(expect.objectContaining({ check: "clock", state: "ok" }));
    expect(findings).toContainEqual(expect.objectContaining({ check: "privileges", state: "ok" }));
  });

  it("is an error when the server goes away in the middle", async () => {
    const opened = openDatabase(database.source);
    const stopped = diagnose(opened.kysely, {
      ...NEVER,
      now: () => {
        void opened.close();
        return Date.now();
      },
    });
    await expect(stopped).rejects.toBeInstanceOf(ConnectionError);
    await opened.close();
  });
});

describe("doctor of a server of one's own", () => {
  let server: EmbeddedServer;

  beforeAll(async () => {
    server = await startEmbeddedServer();
    expect((await cli(["migrate", "--url", server.url])).code).toBe(0);
  });
  afterAll(() => server.remove());

  async function send(...statements: string[]): Promise<void> {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  }

  async function doctor(): Promise<{ code: number; findings: Finding[] }> {
    const { code, stdout } = await cli(["doctor", "--json", "--url", server.url]);
    return { code, findings: (JSON.parse(stdout) as { findings: Finding[] }).findings };
  }

  it("tells that nobody cleans up, and what to do about it", async () => {
    await send("alter system set autovacuum = off", "select pg_reload_conf()");
    await server.stop();
    await server.start();
    const remedy = "alter system set autovacuum = on; select pg_reload_conf()";
    const { code, findings } = await doctor();
    expect(code).toBe(0);
    expect(complaints(findings, "bloat")).toMatchObject([{ state: "warning", remedy }]);
    expect(complaints(findings, "settings").map(({ message }) => message.split(" ")[0])).toContain("fsync");
  });

  it("tells a standby, and looks at all else there too", async () => {
    await server.stop();
    await writeFile(join(server.folder, "data", "standby.signal"), "");
    await server.start();
    const { code, findings } = await doctor();
    expect(code).toBe(1);
    expect(findings.filter(({ state }) => state === "error")).toMatchObject([
      { check: "read-only", message: "the server is in recovery and takes no writes" },
    ]);
    expect(findings.filter(({ state }) => state === "unknown")).toEqual([]);
  });
});

describe("doctor without a connection", () => {
  it("says why there is none, and what to do", async () => {
    const argv = ["doctor", "--url", `postgres://app:secret@127.0.0.1:${await freePort()}/agents`];
    const { code, stdout, stderr } = await cli(argv);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(
      /^error: no connection to the database: .*ECONNREFUSED.*; start the server, or [^\n]+\n$/,
    );
    const failed = await cli([...argv, "--json"]);
    expect(JSON.parse(failed.stdout)).toMatchObject({ error: { code: "CONNECTION_FAILED" } });
  });

  it("names what the server refuses", async () => {
    const url = new URL(process.env.CHECKPOINT_TEST_SERVER ?? "");
    url.pathname = "/not_there";
    expect((await cli(["doctor", "--url", url.href])).stderr).toMatch(
      /; correct the database's name, or create it\n$/,
    );
  });
});

describePgBouncer("doctor", (target) => {
  let pooler: PgBouncer | undefined;

  afterEach(async () => {
    await pooler?.close();
    pooler = undefined;
  });

  async function through(options: PgBouncerOptions): Promise<Finding[]> {
    const database = await target.createDatabase();
    await using saver = new PostgresSaver(database.source);
    await saver.setup();
    pooler = await PgBouncer.open(database.source, options);
    // Leaves the pooler a connection that is older than the next client.
    await examine(database, {}, pooler.url);
    const limits = { ...NEVER.limits, poolerAgeMs: 0 };
    return (await examine(database, { limits }, pooler.url)).filter(({ check }) => check === "pooler");
  }

  it.each([1, 3])("says what savers need in transaction mode, over %i connections", async (poolSize) => {
    expect(await through({ mode: "transaction", poolSize })).toMatchObject([
      {
        state: "warning",
        message: expect.stringContaining("transaction mode"),
        remedy: expect.stringContaining("`prepare: false`"),
      },
    ]);
  });

  it("says that statement mode will not do", async () => {
    expect(await through({ mode: "statement" })).toMatchObject([
      { state: "error", message: expect.stringContaining("statement mode") },
    ]);
  });

  it("has nothing against session mode", async () => {
    expect(await through({ mode: "session" })).toMatchObject([
      { state: "ok", message: expect.stringMatching(/^a pooler in session mode/) },
    ]);
  });
});
