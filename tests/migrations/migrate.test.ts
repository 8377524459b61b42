import { expect, it } from "@jest/globals";
import { PostgresSaver as OfficialSaver } from "@langchain/langgraph-checkpoint-postgres";
import { sql } from "kysely";
import { Migrator } from "kysely/migration";
import { MigrationError, MigrationRequiredError, PostgresSaver } from "../../src/index.js";
import { openDatabase } from "../../src/db/index.js";
import { migrateDown, migrateToLatest, migrationStatus, planMigrations } from "../../src/migrations/index.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { dumpSchema } from "../../test-support/schema-dump.js";
import { describeEachTarget, describeServer } from "../../test-support/targets.js";
import { MIGRATION_NAMES } from "../../src/migrations/steps/saver-steps.js";

const SCHEMAS = ["public", "my-schema", 'with "quotes" and spaces', "Über"];

describeEachTarget("a migration", (target) => {
  it.each(SCHEMAS)("creates the tables only in the schema %p", async (schema) => {
    const database = await target.createDatabase();
    const saver = new PostgresSaver(database.source, undefined, { schema });
    await saver.setup();
    const { config } = await putValues(saver, threadConfig("t"), { a: [1] });
    expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({ a: [1] });
    const tables = await database.query(
      "select distinct table_schema from information_schema.tables where table_name like 'checkpoint%'",
    );
    expect(tables).toEqual([{ table_schema: schema }]);
    await saver.end();
  });

  it("changes the status of the schema from pending to applied", async () => {
    const { source } = await target.createDatabase();
    const { kysely, close } = openDatabase(source);
    expect(await migrationStatus(kysely)).toEqual({
      schema: "public",
      applied: [],
      pending: MIGRATION_NAMES,
      unknown: [],
      missing: [],
      officialVersion: null,
    });
    expect(await migrateToLatest(kysely)).toEqual(MIGRATION_NAMES);
    expect(await migrateToLatest(kysely)).toEqual([]);
    expect(await migrationStatus(kysely)).toMatchObject({ pending: [], officialVersion: 9 });
    expect(await planMigrations(kysely)).toMatchObject({ steps: [] });
    await close();
  });

  it("reports steps of a newer version of this library as unknown", async () => {
    const database = await target.createDatabase();
    const { kysely, close } = openDatabase(database.source);
    await migrateToLatest(kysely);
    await database.exec("insert into checkpoint_kysely_migration values ('9999-future', '2030-01-01')");
    expect(await migrationStatus(kysely)).toMatchObject({ pending: [], unknown: ["9999-future"] });
    expect(await migrateToLatest(kysely)).toEqual([]);
    await close();
  });

  it("can be reverted step by step if no data would be lost", async () => {
    const database = await target.createDatabase();
    const before = await dumpSchema(database);
    const { kysely, close } = openDatabase(database.source);
    await migrateToLatest(kysely);
    const reverted = [];
    for (let step = await migrateDown(kysely); step !== undefined; step = await migrateDown(kysely))
      reverted.push(step);
    expect(reverted).toEqual([...MIGRATION_NAMES].reverse());
    const isRecord = ({ table_name, indexname }: Record<string, unknown>) =>
      String(table_name ?? indexname).startsWith("checkpoint_kysely_migration");
    const remaining = await dumpSchema(database);
    expect(remaining.filter((row) => !isRecord(row))).toEqual(before);
    expect(new Set(remaining.filter(isRecord).flatMap(({ table_name }) => table_name ?? []))).toEqual(
      new Set(["checkpoint_kysely_migration", "checkpoint_kysely_migration_lock"]),
    );
    expect(await migrateToLatest(kysely)).toEqual(MIGRATION_NAMES);
    await close();
  });

  it("refuses to revert a step if data would be lost, and changes nothing", async () => {
    const database = await target.createDatabase();
    const saver = new PostgresSaver(database.source);
    await saver.setup();
    const { kysely, close } = openDatabase(database.source);
    await putValues(saver, threadConfig("spliced"), { a: [1] });
    await database.exec("update checkpoint_blobs set base = 'earlier'");
    await expect(migrateDown(kysely)).rejects.toMatchObject({
      step: "0006-add-splice-base",
      message:
        'step 0006-add-splice-base failed, nothing was changed: thread "spliced" has values that are stored as splices, ' +
        "which the older schema can't store: expand it first",
    });
    await saver.deleteThread("spliced");
    expect(await migrateDown(kysely)).toBe("0006-add-splice-base");
    await database.exec("insert into checkpoint_tombstones (thread_id) values ('gone')");
    await expect(migrateDown(kysely)).rejects.toMatchObject({ step: "0005-create-tombstones" });
    await database.exec("delete from checkpoint_tombstones");
    expect(await migrateDown(kysely)).toBe("0005-create-tombstones");
    expect(await migrateDown(kysely)).toBe("0004-compress-by-lz4");
    const thread = newThread();
    const { config } = await putValues(saver, threadConfig(thread), { a: [1] });
    await saver.putWrites(config, [["a", 1]], "task", "~path");
    const refusal = async () => migrateDown(kysely).catch((reason: unknown) => reason);

    const before = await dumpSchema(database);
    expect(await refusal()).toBeInstanceOf(MigrationError);
    expect(await refusal()).toMatchObject({ step: "0003-add-task-path" });
    expect(await dumpSchema(database)).toEqual(before);
    await database.exec(
      "update checkpoint_writes set task_path = ''; insert into checkpoint_migrations values (10)",
    );
    expect(await refusal()).toMatchObject({
      message: expect.stringContaining(
        'an official library has migrated this database to version 10 of "checkpoint_migrations", which builds on version 9',
      ),
    });
    await database.exec("delete from checkpoint_migrations where v = 10");

    await database.exec("update checkpoint_blobs set blob = null");
    expect(await migrateDown(kysely)).toBe("0003-add-task-path");
    expect(await refusal()).toMatchObject({ step: "0002-allow-empty-blobs" });
    await database.exec("update checkpoint_blobs set blob = ''");
    expect(await migrateDown(kysely)).toBe("0002-allow-empty-blobs");
    expect(await refusal()).toMatchObject({ step: "0001-create-tables" });
    expect(await database.query("select thread_id from checkpoints")).toEqual([{ thread_id: thread }]);
    await close();
    await saver.end();
  });

  it("has each statement of its plan once", async () => {
    const { source } = await target.createDatabase();
    const { kysely, close } = openDatabase(source);
    const { preparation, steps } = await planMigrations(kysely, { with: ["store", "cache"] });
    const planned = [...preparation, ...steps.flatMap(({ statements }) => statements)];
    expect(planned).toEqual([...new Set(planned)]);
    await close();
  });

  it("leaves the settings and savepoints of a passed-in transaction as they were", async () => {
    const database = await target.createDatabase();
    const { kysely, close } = openDatabase(database.source);
    const settings = async (db: typeof kysely) =>
      (
        await sql<{ wait: string; policies: string }>`
          select current_setting('lock_timeout') as wait, current_setting('row_security') as policies`.execute(
          db,
        )
      ).rows[0];
    await migrateToLatest(kysely);
    for (const policies of ["on", "off"]) {
      const undone = kysely.transaction().execute(async (transaction) => {
        await sql`select set_config('lock_timeout', '7s', true), set_config('row_security', ${policies}, true)`.execute(
          transaction,
        );
        expect(await migrateToLatest(transaction)).toEqual([]);
        expect(await settings(transaction)).toEqual({ wait: "7s", policies });
        await migrateDown(transaction);
        expect(await settings(transaction)).toMatchObject({ policies });
        await sql`release savepoint langgraph_migration_lock`.execute(transaction);
      });
      await expect(undone).rejects.toMatchObject({ code: "3B001" });
    }
    await close();
  });

  it("fails as a whole where a recorded step is gone that a newer version builds on", async () => {
    const database = await target.createDatabase();
    const { kysely, close } = openDatabase(database.source);
    await migrateToLatest(kysely);
    await database.exec(
      "update checkpoint_kysely_migration set name = '9999-future' where name = '0006-add-splice-base'",
    );
    await expect(migrateToLatest(kysely)).rejects.toMatchObject({
      step: undefined,
      message: expect.stringMatching(/^the migration failed, nothing was changed: /),
    });
    await close();
  });

  it("can be run by 20 callers at the same time", async () => {
    const { source } = await target.createDatabase();
    const savers = Array.from(
      { length: 20 },
      () => new PostgresSaver(source, undefined, { schema: "my-schema" }),
    );
    await Promise.all(savers.map((saver) => saver.setup()));
    await Promise.all(savers.map((saver) => saver.end()));
  });

  it("runs inside a transaction of the caller, who commits it or rolls it back", async () => {
    const database = await target.createDatabase();
    const { kysely, close } = openDatabase(database.source);
    const setUp = (fail: boolean) =>
      kysely.transaction().execute(async (transaction) => {
        await new PostgresSaver(transaction).setup();
        if (fail) throw new Error("rolled back by the caller");
      });
    await expect(setUp(true)).rejects.toThrow("rolled back by the caller");
    expect(await dumpSchema(database)).toEqual([]);
    await setUp(false);
    expect(await migrationStatus(kysely)).toMatchObject({ pending: [] });
    await close();
  });
});

describeServer("a migration on a server", (target) => {
  it("leaves nothing to do for setup() of the official saver", async () => {
    const database = await target.createDatabase();
    const saver = new PostgresSaver(database.source);
    await saver.setup();
    const before = await dumpSchema(database);
    const official = OfficialSaver.fromConnString(database.source);
    await official.setup();
    await official.end();
    expect(await dumpSchema(database)).toEqual(before);
    expect(await database.query("select v from checkpoint_migrations order by v")).toHaveLength(10);
    await saver.end();
  });

  it("runs during an application's own Kysely migrations, in their transaction or on another connection", async () => {
    const database = await target.createDatabase();
    const app = database.kysely();
    const migrator = new Migrator({
      db: app,
      provider: {
        getMigrations: () =>
          Promise.resolve({
            "1-inside": {
              up: async (db) => {
                await new PostgresSaver(db, undefined, { schema: "inside" }).setup();
              },
            },
            "2-beside": {
              up: async () => {
                await using saver = new PostgresSaver(database.source, undefined, { schema: "beside" });
                await saver.setup();
              },
            },
          }),
      },
    });
    const { error, results } = await migrator.migrateToLatest();
    expect(error).toBeUndefined();
    expect(results?.map(({ status }) => status)).toEqual(["Success", "Success"]);
    await app.destroy();
  });

  it("needs a privileged role only if steps are pending, and names the command to run", async () => {
    const database = await target.createDatabase();
    const role = `writer_${database.source.split("_").at(-1) ?? ""}`;
    await database.exec(
      `create role "${role}" login password 'secret'; revoke create on schema public from public`,
    );
    const url = new URL(database.source);
    url.username = role;
    url.password = "secret";

    const writer = new PostgresSaver(url.href);
    const error = await writer.setup().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(MigrationRequiredError);
    expect(error).toMatchObject({ schema: "public", pending: MIGRATION_NAMES, sqlState: "42501" });
    expect(String(error)).toContain("npx langgraph-checkpoint-kysely migrate --schema public");

    await using owner = new PostgresSaver(database.source);
    await owner.setup();
    await database.exec(
      `grant select, insert, update, delete on checkpoints, checkpoint_blobs, checkpoint_writes to "${role}"`,
    );
    await writer.setup();
    const { config } = await putValues(writer, threadConfig("t"), { a: 1 });
    expect((await writer.getTuple(config))?.checkpoint.channel_values).toEqual({ a: 1 });
    await writer.end();
    await database.exec(`drop owned by "${role}"; drop role "${role}"`);
  });

  it("fails after the lock timeout while a query locks a table, and changes nothing", async () => {
    const database = await target.createDatabase();
    const { kysely, close } = openDatabase(database.source);
    await migrateToLatest(kysely);
    await database.exec("delete from checkpoint_kysely_migration where name >= '0003'");
    const before = await dumpSchema(database);
    const another = openDatabase(database.source);
    await kysely.transaction().execute(async (transaction) => {
      await sql`lock table checkpoint_writes in access share mode`.execute(transaction);
      const error = await migrateToLatest(another.kysely, { lockTimeoutMs: 50 }).catch(
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(MigrationError);
      expect(error).toMatchObject({ sqlState: "55P03" });
    });
    expect(await dumpSchema(database)).toEqual(before);
    expect(await migrateToLatest(kysely)).toEqual(MIGRATION_NAMES.slice(2));
    await another.close();
    await close();
  });
});
