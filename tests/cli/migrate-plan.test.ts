import { beforeAll, beforeEach, expect, it } from "@jest/globals";
import { PostgresSaver as OfficialSaver } from "@langchain/langgraph-checkpoint-postgres";
import { openDatabase } from "../../src/db/index.js";
import {
  MIGRATION_NAMES,
  migrateDown,
  migrateToLatest,
  migrationStatus,
} from "../../src/migrations/index.js";
import { dumpSchema } from "../support/schema-dump.js";
import { describeEachTarget, describeServer, type TestDatabase } from "../support/targets.js";
import { cliOn } from "./cli.js";

const SCHEMAS = ["public", "my-schema", "a$1 'b' \"c\"", "two\nlines; drop schema public"];

describeEachTarget("migrate --plan", (target) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await target.createDatabase();
  });

  beforeEach(() => database.reset());

  it.each(SCHEMAS)("prints SQL that does by hand what migrating would have done: %j", async (schema) => {
    await database.exec(await plan(database, schema));
    await withKysely(database, async (kysely) => {
      expect(await migrationStatus(kysely, { schema })).toMatchObject({
        applied: MIGRATION_NAMES,
        pending: [],
        officialVersion: 9,
      });
      expect(await migrateToLatest(kysely, { schema })).toEqual([]);
    });
    const made = await dumpSchema(database, schema);
    expect(made).not.toEqual([]);
    await database.reset();
    await withKysely(database, (kysely) => migrateToLatest(kysely, { schema }));
    expect(made).toEqual(await dumpSchema(database, schema));
  });

  it("runs nothing", async () => {
    await plan(database, "public");
    await plan(database, "my-schema");
    expect(await dumpSchema(database)).toEqual([]);
    expect(await database.query(`select to_regnamespace('"my-schema"') as made`)).toEqual([{ made: null }]);
  });

  it("leaves a record that the next migration goes on from, in either direction", async () => {
    await database.exec(await plan(database, "public"));
    await withKysely(database, async (kysely) => {
      expect(await migrateDown(kysely)).toBe(MIGRATION_NAMES.at(-1));
      await database.exec(await plan(database, "public"));
      expect(await migrateToLatest(kysely)).toEqual([]);
      await migrateDown(kysely);
      expect(await migrateToLatest(kysely)).toEqual(MIGRATION_NAMES.slice(-1));
    });
  });

  it("names each step and plans only those that are pending", async () => {
    await withKysely(database, async (kysely) => {
      await migrateToLatest(kysely);
      for (let undone = ""; undone !== "0003-add-task-path";) undone = (await migrateDown(kysely)) ?? undone;
    });
    const sql = await plan(database, "public");
    expect(sql).toMatch(/^-- Brings schema "public" to the newest version\.\nbegin;\n[^]*\ncommit;\n$/);
    expect(sql).toContain("\n-- 0003-add-task-path\nalter table");
    expect(sql).not.toContain("0002");
    expect(sql).not.toContain(`create table if not exists "public"."checkpoints"`);
  });

  it("fails as a whole where another migration came first", async () => {
    const sql = await plan(database, "public");
    await withKysely(database, (kysely) => migrateToLatest(kysely));
    const before = await dumpSchema(database);
    await expect(database.exec(sql)).rejects.toThrow(/duplicate key/);
    await database.exec("rollback");
    expect(await dumpSchema(database)).toEqual(before);
  });

  it("says in a comment that there is nothing to do", async () => {
    await withKysely(database, (kysely) => migrateToLatest(kysely));
    const sql = await plan(database, "public");
    expect(sql).toBe('-- schema "public" is up to date, nothing to do\n');
  });

  it("does not plan for a record that has steps of a newer version and lacks one of this", async () => {
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

  it("carries the lock timeout that it was given", async () => {
    const { stdout } = await cliOn(database)("migrate", "--plan", "--lock-timeout", "1234");
    expect(stdout).toContain("set_config('lock_timeout', '1234ms', true)");
  });
});

describeServer("migrate --plan", (server) => {
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
