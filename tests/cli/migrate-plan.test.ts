import { beforeAll, beforeEach, expect, it } from "@jest/globals";
import { PostgresSaver as OfficialSaver } from "@langchain/langgraph-checkpoint-postgres";
import { openDatabase } from "../../src/db/index.js";
import { migrateDown, migrateToLatest, migrationStatus } from "../../src/migrations/index.js";
import { dumpSchema } from "../../test-support/schema-dump.js";
import {
  describeEachTarget,
  describeServer,
  onOneServer,
  type TestDatabase,
} from "../../test-support/targets.js";
import { cliOn } from "./cli.js";
import { MIGRATION_NAMES } from "../../src/migrations/steps/saver-steps.js";

const SCHEMAS = ["public", "my-schema", "a$1 'b' \"c\"", "two\nlines; drop schema public"];

describeEachTarget("migrate --plan", (target) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await target.createDatabase();
  });

  beforeEach(() => database.reset());

  it.each(SCHEMAS)("prints SQL with the same result as a migration: %j", async (schema) => {
    await database.exec(await plan(database, schema));
    await withKysely(database, async (kysely) => {
      expect(await migrationStatus(kysely, { schema })).toMatchObject({
        applied: MIGRATION_NAMES,
        pending: [],
        officialVersion: 9,
      });
      expect(await migrateToLatest(kysely, { schema })).toEqual([]);
    });
    const planned = await dumpSchema(database, schema);
    expect(planned).not.toEqual([]);
    await database.reset();
    await withKysely(database, (kysely) => migrateToLatest(kysely, { schema }));
    expect(planned).toEqual(await dumpSchema(database, schema));
  });

  it("runs nothing", async () => {
    await plan(database, "public");
    await plan(database, "my-schema");
    expect(await dumpSchema(database)).toEqual([]);
    expect(await database.query(`select to_regnamespace('"my-schema"') as made`)).toEqual([{ made: null }]);
  });

  it("prints SQL that records the steps, so that later migrations continue from there", async () => {
    await database.exec(await plan(database, "public"));
    await withKysely(database, async (kysely) => {
      expect(await migrateDown(kysely)).toBe(MIGRATION_NAMES.at(-1));
      await database.exec(await plan(database, "public"));
      expect(await migrateToLatest(kysely)).toEqual([]);
      await migrateDown(kysely);
      expect(await migrateToLatest(kysely)).toEqual(MIGRATION_NAMES.slice(-1));
    });
  });

  it("plans only the pending steps, and names each", async () => {
    await withKysely(database, async (kysely) => {
      await migrateToLatest(kysely);
      for (let reverted = ""; reverted !== "0003-add-task-path";)
        reverted = (await migrateDown(kysely)) ?? reverted;
    });
    const sql = await plan(database, "public");
    expect(sql).toMatch(/^-- Migrates schema "public" to the newest version\.\nbegin;\n[^]*\ncommit;\n$/);
    expect(sql).toContain("\n-- 0003-add-task-path\nalter table");
    expect(sql).not.toContain("0002");
    expect(sql).not.toContain(`create table if not exists "public"."checkpoints"`);
  });

  it("prints SQL that fails as a whole if another migration ran first", async () => {
    const sql = await plan(database, "public");
    await withKysely(database, (kysely) => migrateToLatest(kysely));
    const before = await dumpSchema(database);
    await expect(database.exec(sql)).rejects.toThrow(/duplicate key/);
    await database.exec("rollback");
    expect(await dumpSchema(database)).toEqual(before);
  });

  it("prints a comment if no step is pending", async () => {
    await withKysely(database, (kysely) => migrateToLatest(kysely));
    const sql = await plan(database, "public");
    expect(sql).toBe('-- schema "public" is up to date, nothing to do\n');
  });

  it("fails if the schema has a newer step, but lacks one of this version", async () => {
    await withKysely(database, async (kysely) => {
      await migrateToLatest(kysely);
      await migrateDown(kysely);
    });
    await database.exec("insert into checkpoint_kysely_migration values ('9999-future', '2030-01-01')");
    expect(await cliOn(database)("migrate", "--plan")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: the migration can't be planned: .*9999-future.*\n$/),
    });
  });

  it("prints SQL with the lock timeout of --lock-timeout", async () => {
    const { stdout } = await cliOn(database)("migrate", "--plan", "--lock-timeout", "1234");
    expect(stdout).toContain("set_config('lock_timeout', '1234ms', true)");
  });
});

onOneServer("it refuses several commands in one message", describeServer)("migrate --plan", (server) => {
  it("plans the adoption of an official saver's tables", async () => {
    const database = await server.createDatabase();
    const official = OfficialSaver.fromConnString(database.source);
    await official.setup();
    await official.end();
    await database.exec(await plan(database, "public"));
    await withKysely(database, async (kysely) => {
      expect(await migrateToLatest(kysely)).toEqual([]);
      expect(await migrationStatus(kysely)).toMatchObject({ pending: [], officialVersion: 9 });
    });
  });
});

async function plan(database: TestDatabase, schema: string): Promise<string> {
  const { code, stdout, stderr } = await cliOn(database)("migrate", "--plan", "--schema", schema);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

type Database = ReturnType<typeof openDatabase>["kysely"];

async function withKysely(
  { source }: TestDatabase,
  use: (kysely: Database) => Promise<unknown>,
): Promise<void> {
  const { kysely, close } = openDatabase(source);
  try {
    await use(kysely);
  } finally {
    await close();
  }
}
