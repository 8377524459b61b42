import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { openDatabase } from "../../src/db/index.js";
import { PostgresCheckpointStore } from "../../src/checkpoint-store/index.js";
import { InvalidConfigError, MigrationRequiredError, PostgresSaver } from "../../src/index.js";
import { checkpointStoreSet } from "../../src/migrations/checkpoint-store-set.js";
import { MAX_CHECKPOINT_TABLE_BYTES } from "../../src/migrations/checkpoint-table.js";
import { planMigrations } from "../../src/migrations/index.js";
import { migrateSets } from "../../src/migrations/migrate.js";
import type { OpenedDatabase } from "../../src/db/opened-database.js";
import { firstGoTables } from "../../test-support/langgraphgo-tables.js";
import { dumpSchema } from "../../test-support/schema-dump.js";
import { describeEachTarget, describePglite, type TestDatabase } from "../../test-support/targets.js";
import { cli, cliOn } from "../cli/cli.js";
import { MIGRATION_NAMES } from "../../src/migrations/steps/saver-steps.js";

const STEP = "checkpoint-store-0001-create-checkpoint-store";
const WITH = ["--with", "checkpoint-store"];

const LAYOUT = [
  ["id", 'text collate "C"', "not null"],
  ["execution_id", 'text collate "C"', "not null"],
  ["thread_id", 'text collate "C"', ""],
  ["node_name", "text", "not null"],
  ["state", "jsonb", "not null"],
  ["metadata", "jsonb", ""],
  ["timestamp", "timestamp with time zone", "not null"],
  ["version", "integer", "not null"],
].map(([name, type, nullable]) => ({ name, type, nullable }));

const COLUMNS = `
  select attname as name, case when attnotnull then 'not null' else '' end as nullable,
    format_type(atttypid, null) || case when collname = 'C' then ' collate "C"' else '' end as type
  from pg_attribute left join pg_collation on pg_collation.oid = attcollation
  where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`;

const TRIGGERS =
  "select tgname, prosrc from pg_trigger join pg_proc on pg_proc.oid = tgfoid where not tgisinternal";

const ROW = "insert into checkpoint_store values ('c1', 'e', null, 'fetch', '{}', null, now(), 1)";

describeEachTarget("migrate --with checkpoint-store", (target) => {
  let database: TestDatabase;
  let run: ReturnType<typeof cliOn>;

  beforeAll(async () => {
    database = await target.createDatabase();
    run = cliOn(database);
  });

  beforeEach(() => database.reset());

  it("creates the table and its indexes, which later commands know without the option", async () => {
    expect(await run("migrate", ...WITH, "--check")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`pending ${STEP}`),
    });
    expect((await run("migrate", ...WITH)).stdout).toBe(
      [...MIGRATION_NAMES, STEP].map((name) => `applied ${name}\n`).join("") +
        'schema "public" is up to date\n',
    );
    expect(await database.query(COLUMNS, ["checkpoint_store"])).toEqual(LAYOUT);
    expect(
      await database.query(
        `select indexdef from pg_indexes where tablename = 'checkpoint_store' order by indexname`,
      ),
    ).toEqual(
      [
        'INDEX checkpoint_store_execution_idx ON public.checkpoint_store USING btree (execution_id, "timestamp")',
        "UNIQUE INDEX checkpoint_store_pkey ON public.checkpoint_store USING btree (id)",
        'INDEX checkpoint_store_thread_idx ON public.checkpoint_store USING btree (thread_id, "timestamp") WHERE (thread_id IS NOT NULL)',
      ].map((definition) => ({ indexdef: `CREATE ${definition}` })),
    );
    expect((await run("migrate")).stdout).toBe('schema "public" is up to date, nothing to do\n');
    expect((await run("migrate", "status")).stdout).toMatch(new RegExp(`\n${STEP} +applied\n`));
  });

  it("is undone while the table is empty, and refused while it holds checkpoints", async () => {
    await run("migrate");
    const before = await dumpSchema(database);
    await run("migrate", ...WITH);
    await database.exec(ROW);
    expect(await run("migrate", "down")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('table "checkpoint_store" holds checkpoints'),
    });
    await database.exec("delete from checkpoint_store");
    expect((await run("migrate", "down")).stdout).toContain(STEP);
    expect((await run("migrate")).stdout).toBe('schema "public" is up to date, nothing to do\n');
    expect(await dumpSchema(database)).toEqual(before);
  });

  it("is undone with all that was added to an adopted table", async () => {
    await database.exec(firstGoTables("checkpoint_store").schema);
    await run("migrate", ...WITH);
    expect(await database.query(TRIGGERS)).toHaveLength(1);
    expect((await run("migrate", "down")).stdout).toContain(STEP);
    const left = await database.query("select proname from pg_proc where proname like 'checkpoint%'");
    expect(left).toEqual([]);
  });

  it("makes the SQL of --plan, which has the same result, also for an adopted table", async () => {
    const { schema } = firstGoTables("go_runs");
    for (const argv of [WITH, [...WITH, "--checkpoint-table", "go_runs"]]) {
      await database.reset();
      await database.exec(schema);
      await database.exec((await run("migrate", ...argv, "--plan")).stdout);
      const planned = [...(await dumpSchema(database)), ...(await database.query(TRIGGERS))];
      expect((await run("migrate", ...argv)).stdout).toContain("nothing to do");
      await database.reset();
      await database.exec(schema);
      await run("migrate", ...argv);
      expect(planned).toEqual([...(await dumpSchema(database)), ...(await database.query(TRIGGERS))]);
    }
  });
});

describePglite("a table of checkpoints with another name", (target) => {
  let database: TestDatabase;
  let opened: OpenedDatabase;

  beforeAll(async () => {
    database = await target.createDatabase();
    opened = openDatabase(database.source);
  });

  afterAll(() => opened.close());

  beforeEach(() => database.reset());

  const setUp = (table: string, schema = "public") =>
    migrateSets(opened.kysely, [checkpointStoreSet({ table })], { schema });

  it.each([
    `x"; drop table precious; --`,
    "x'; drop table precious; --",
    "$1",
    "ünïcode",
    "UPPER case",
    "c".repeat(MAX_CHECKPOINT_TABLE_BYTES),
  ])("is quoted as one identifier: %s", async (table) => {
    await database.exec("create table precious ()");
    expect(await setUp(table)).toEqual([STEP]);
    expect(await setUp(table)).toEqual([]);
    const found = await database.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace
       and relname !~ '^checkpoint_kysely_migration_lock|_pkey$'`,
    );
    const suffixes = ["", "_execution_idx", "_kysely_migration", "_thread_idx"];
    expect(found.map(({ name }) => name).sort()).toEqual(
      ["precious", ...suffixes.map((suffix) => `${table}${suffix}`)].sort(),
    );
    expect(
      await planMigrations(opened.kysely, { with: ["checkpoint-store"], checkpointTable: table }),
    ).toMatchObject({
      steps: MIGRATION_NAMES.map((name) => ({ name })),
    });
  });

  it.each([
    ["", /must not be empty/],
    ["c".repeat(MAX_CHECKPOINT_TABLE_BYTES + 1), /must not be longer than 46 bytes/],
    ["ü".repeat(24), /must not be longer than 46 bytes/],
    ["a\0b", /U\+0000/],
    ["\ud800", /lone surrogate/],
    ["go.checkpoints", /must not contain a period: a schema is not part of it/],
    ["checkpoint_store as c", /must not contain " as "/],
    ["checkpoint", /"checkpoint_kysely_migration" records the steps of other tables/],
    ["store", /"store_kysely_migration" records/],
    ["store_vectors", /"store_vectors_kysely_migration" records/],
    ["cache", /"cache_kysely_migration" records/],
  ])("can't be %j", async (table, problem) => {
    expect(() => checkpointStoreSet({ table })).toThrow(InvalidConfigError);
    expect(() => checkpointStoreSet({ table })).toThrow(problem);
    const open = () => {
      throw new Error("a database was opened");
    };
    const argv = ["migrate", ...WITH, "--url", "memory://", "--checkpoint-table", table];
    expect(await cli(argv, { open })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(new RegExp(`--checkpoint-table: .*${problem.source}`)),
    });
  });

  it.each([
    "checkpoints",
    "checkpoint_blobs",
    "checkpoint_writes",
    "checkpoint_tombstones",
    "checkpoint_migrations",
    "checkpoint_kysely_migration",
    "checkpoint_store_kysely_migration",
    "cache_entries",
    "store_migrations",
  ])("is refused as %s, whose saver or store could not be set up any more", async (table) => {
    const refused: unknown = await setUp(table).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(InvalidConfigError);
    expect(refused).toMatchObject({ field: "table", message: expect.stringMatching(/Choose another name/) });
    const { code, stderr } = await cliOn(database)("migrate", ...WITH, "--checkpoint-table", table);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`must not be "${table}"`) });
    expect(await dumpSchema(database)).toEqual([]);
  });

  it("is refused where it belongs to LangGraph's saver, and nothing is changed", async () => {
    await using saver = new PostgresSaver(database.source);
    await saver.setup();
    const before = await dumpSchema(database);
    await expect(setUp("checkpoints")).rejects.toThrow(
      /"checkpoints" of schema "public" is a table of LangGraph's savers, with other columns. Choose another name/,
    );
    expect(await dumpSchema(database)).toEqual(before);
  });

  it("is missing until the command runs that a call names, or setup()", async () => {
    const table = "go runs";
    await using store = new PostgresCheckpointStore(database.source, { table, schema: "mine" });
    const missing: unknown = await store.list("exec_1").catch((error: unknown) => error);
    expect(missing).toBeInstanceOf(MigrationRequiredError);
    expect(String(missing)).toContain(
      'the tables of the checkpoint store in schema "mine" are missing or older than this library: call setup() of the checkpoint store, or run ' +
        "`npx langgraph-checkpoint-kysely migrate --schema mine --with checkpoint-store --checkpoint-table 'go runs'`",
    );
    const argv = ["--schema", "mine", ...WITH, "--checkpoint-table", table];
    expect(await cliOn(database)("migrate", ...argv)).toMatchObject({ code: 0 });
    expect(await store.list("exec_1")).toEqual([]);
    await store.setup();
  });

  it("is refused where it has other columns, and nothing is changed", async () => {
    await database.exec("create table runs (id text, state jsonb)");
    const before = await dumpSchema(database);
    const refused: unknown = await setUp("runs").catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(InvalidConfigError);
    expect(String(refused)).toMatch(
      /"runs" of schema "public" lacks the columns "execution_id", "node_name"/,
    );
    expect(await dumpSchema(database)).toEqual(before);
  });
});
