import { expect, it } from "@jest/globals";
import type { Kysely } from "kysely";
import { openDatabase } from "../../src/db/index.js";
import { type CheckpointDatabase, MigrationRequiredError, PostgresSaver } from "../../src/index.js";
import { migrateDown, migrateToLatest, planMigrations } from "../../src/migrations/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { OFFICIAL_MIGRATIONS } from "../../test-support/official-migrations.js";
import {
  describeEachTarget,
  describeServer,
  onOneServer,
  type TestDatabase,
} from "../../test-support/targets.js";

const STEP = "0004-compress-by-lz4";
const TABLES = ["checkpoint_blobs", "checkpoint_writes"];
/** Long enough for Postgres to compress it. */
const LONG = "The same words over and over. ".repeat(500);

/** Whether the server was built with LZ4. Servers of distributions are; PGlite and the server from npm are not. */
async function hasLz4(database: TestDatabase): Promise<boolean> {
  const rows = await database.query(
    "select from pg_settings where name = 'default_toast_compression' and 'lz4' = any(enumvals)",
  );
  return rows.length > 0;
}

/** The compression of the columns, as the catalog stores it: `l` is LZ4, `p` is pglz, `""` is the default of the server. */
async function settingsOf(database: TestDatabase, schema = "public"): Promise<unknown[]> {
  const rows = await database.query<{ compression: string }>(
    `select attcompression as compression from pg_attribute
     join pg_class on pg_class.oid = attrelid
     where relnamespace = to_regnamespace(quote_ident($1)) and relname = any($2) and attname = 'blob'
     order by relname`,
    [schema, TABLES],
  );
  return rows.map(({ compression }) => compression);
}

/** The compression of every stored blob, and its physical place, which an UPDATE would change. */
async function blobsOf(database: TestDatabase, schema = "public"): Promise<Record<string, unknown>[]> {
  const selects = TABLES.map(
    (table) =>
      `select '${table}' as table, ctid::text as place, xmin::text as version, pg_column_compression(blob) as by
       from "${schema.replaceAll('"', '""')}".${table}`,
  );
  return database.query(selects.join(" union all "));
}

/** Stores a channel's value and a pending write that Postgres compresses, and reads both back. */
async function putAndRead(saver: PostgresSaver, thread: string): Promise<void> {
  const { config } = await putValues(saver, threadConfig(thread), { text: [LONG] });
  await saver.putWrites(config, [["text", LONG]], "task");
  await expectToRead(saver, thread);
}

async function expectToRead(saver: PostgresSaver, thread: string): Promise<void> {
  const tuple = await saver.getTuple(threadConfig(thread));
  expect(tuple?.checkpoint.channel_values).toEqual({ text: [LONG] });
  expect(tuple?.pendingWrites).toEqual([["task", "text", LONG]]);
}

/** Reverts the steps down to and including the one under test. */
async function revert(kysely: Kysely<CheckpointDatabase>): Promise<void> {
  let reverted: string | undefined;
  while (reverted !== STEP) reverted = await migrateDown(kysely);
}

describeEachTarget("the compression of stored values", (target) => {
  it.each(["public", 'with "quotes"'])(
    "is LZ4 in the schema %p if the server has it, else the default of the server",
    async (schema) => {
      const database = await target.createDatabase();
      const lz4 = await hasLz4(database);
      await using saver = new PostgresSaver(database.source, undefined, { schema });
      await saver.setup();
      expect(await settingsOf(database, schema)).toEqual(lz4 ? ["l", "l"] : ["", ""]);
      await putAndRead(saver, "t");
      const by = lz4 ? "lz4" : "pglz";
      expect(await blobsOf(database, schema)).toMatchObject(TABLES.map((table) => ({ table, by })));
    },
  );

  it("does not change for stored values, which stay readable", async () => {
    const database = await target.createDatabase();
    const { kysely, close } = openDatabase(database.source);
    await using saver = new PostgresSaver(database.source);
    await saver.setup();
    await revert(kysely);
    await putAndRead(saver, "old");
    const before = await blobsOf(database);
    expect(before).toMatchObject([{ by: "pglz" }, { by: "pglz" }]);

    expect(await migrateToLatest(kysely)).toContain(STEP);
    expect(await blobsOf(database)).toEqual(before);
    await expectToRead(saver, "old");
    await putAndRead(saver, "new");

    await revert(kysely);
    expect(await settingsOf(database)).toEqual(["", ""]);
    await expectToRead(saver, "new");
    await close();
  });

  it("does not change for a column with a method of its own, neither when migrating nor when reverting", async () => {
    const database = await target.createDatabase();
    for (const migration of OFFICIAL_MIGRATIONS) await database.exec(migration);
    await database.exec("alter table checkpoint_blobs alter column blob set compression pglz");
    const { kysely, close } = openDatabase(database.source);
    await migrateToLatest(kysely);
    const method = (await hasLz4(database)) ? "l" : "";
    expect(await settingsOf(database)).toEqual(["p", method]);
    await migrateToLatest(kysely, { schema: "another" });
    expect(await settingsOf(database, "another")).toEqual([method, method]);
    await revert(kysely);
    expect(await settingsOf(database)).toEqual(["p", ""]);
    await close();
  });

  it("is planned for the connected server, even before the tables exist", async () => {
    const database = await target.createDatabase();
    const { kysely, close } = openDatabase(database.source);
    const { steps } = await planMigrations(kysely, { schema: 'with "quotes"' });
    const statements = steps.find(({ name }) => name === STEP)?.statements ?? [];
    const changes = TABLES.map(
      (table) => `alter table "with ""quotes"""."${table}" alter column "blob" set compression lz4`,
    );
    const lz4 = await hasLz4(database);
    expect(statements).toEqual([...(lz4 ? changes : []), expect.stringMatching(/^insert into .*0004/)]);
    await close();
  });
});

onOneServer("roles belong to all databases of its nodes", describeServer)(
  "the compression of stored values, for a role that only reads and writes rows",
  (target) => {
    it("may be missing for reads and writes; setup() throws if it can read that the step is pending", async () => {
      const database = await target.createDatabase();
      const { kysely, close } = openDatabase(database.source);
      await migrateToLatest(kysely);
      await revert(kysely);
      await close();
      const { role, url, drop } = await createWriter(database);
      const saver = new PostgresSaver(url);
      await saver.setup();
      await putAndRead(saver, "t");

      await database.exec(`grant select on checkpoint_kysely_migration to "${role}"`);
      const error = await saver.setup().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(MigrationRequiredError);
      expect(error).toMatchObject({ pending: expect.arrayContaining([STEP]) as unknown, sqlState: "42501" });
      await putAndRead(saver, "u");
      await saver.end();
      await drop();
    });

    it("is set only by the owner of an official saver's tables; setup() succeeds for both", async () => {
      const database = await target.createDatabase();
      for (const migration of OFFICIAL_MIGRATIONS) await database.exec(migration);
      const { role, url, drop } = await createWriter(database);
      // Before PostgreSQL 15, every role may create tables in "public", whoever owns the checkpoint tables.
      await database.exec(`grant create on schema public to "${role}"`);
      const writer = new PostgresSaver(url);
      await writer.setup();
      await putAndRead(writer, "t");
      expect(await settingsOf(database)).toEqual(["", ""]);

      await using owner = new PostgresSaver(database.source);
      await owner.setup();
      const method = (await hasLz4(database)) ? "l" : "";
      expect(await settingsOf(database)).toEqual([method, method]);
      await writer.setup();
      await putAndRead(writer, "u");
      await writer.end();
      await drop();
    });
  },
);

/** Creates a role that may only read and write rows of the existing tables. */
async function createWriter(
  database: TestDatabase<string>,
): Promise<{ role: string; url: string; drop: () => Promise<void> }> {
  const role = `writer_${database.source.split("_").at(-1) ?? ""}`;
  await database.exec(
    `create role "${role}" login password 'secret';
     grant select, insert, update, delete on checkpoints, checkpoint_blobs, checkpoint_writes to "${role}"`,
  );
  const url = new URL(database.source);
  url.username = role;
  url.password = "secret";
  return { role, url: url.href, drop: () => database.exec(`drop owned by "${role}"; drop role "${role}"`) };
}
