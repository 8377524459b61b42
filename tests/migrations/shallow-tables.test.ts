import { beforeAll, beforeEach, expect, it } from "@jest/globals";
import { sql } from "kysely";
import { openDatabase } from "../../src/db/index.js";
import { IncompatibleTablesError, PostgresSaver } from "../../src/index.js";
import { convertShallowTables, migrateToLatest } from "../../src/migrations/index.js";
import { threadConfig } from "../../test-support/checkpoints.js";
import { untilOneWaits } from "../../test-support/held-locks.js";
import { dumpSchema } from "../../test-support/schema-dump.js";
import { SHALLOW_MIGRATIONS } from "../../test-support/shallow-migrations.js";
import { describeEachTarget, describeServer, type TestDatabase } from "../../test-support/targets.js";
import { cliOn } from "../cli/cli.js";
import { complaints, examine } from "../cli/doctor/examine.js";
import { MIGRATION_NAMES } from "../../src/migrations/steps/saver-steps.js";

const MESSAGE = /tables of Python's ShallowPostgresSaver/;
const HINT = "npx langgraph-checkpoint-kysely migrate --schema public --convert-shallow";

/** @param migrations - How many migrations of the shallow saver to run. */
async function makeShallowTables(
  database: TestDatabase,
  migrations = SHALLOW_MIGRATIONS.length,
): Promise<void> {
  for (const migration of SHALLOW_MIGRATIONS.slice(0, migrations)) await database.exec(migration);
  await database.exec(`insert into checkpoint_migrations select generate_series(0, ${migrations - 1})`);
}

describeEachTarget("tables of Python's shallow saver", (target) => {
  let database: TestDatabase;
  let run: ReturnType<typeof cliOn>;

  beforeAll(async () => {
    database = await target.createDatabase();
    run = cliOn(database);
  });

  beforeEach(() => database.reset());

  const makeTables = (migrations?: number): Promise<void> => makeShallowTables(database, migrations);

  async function putRows(thread: string, header: object): Promise<void> {
    await database.query("insert into checkpoints (thread_id, checkpoint) values ($1, $2)", [
      thread,
      JSON.stringify({ v: 4, ts: "2024-01-01T00:00:00+00:00", versions_seen: {}, ...header }),
    ]);
  }

  function putBlob(thread: string, channel: string, value: string): Promise<unknown> {
    return database.query(
      "insert into checkpoint_blobs (thread_id, channel, type, blob) values ($1, $2, 'json', $3::text::bytea)",
      [thread, channel, value],
    );
  }

  function putWrite(thread: string, checkpointId: string, channel: string, value: string): Promise<unknown> {
    return database.query(
      `insert into checkpoint_writes (thread_id, checkpoint_id, task_id, idx, channel, type, blob)
       values ($1, $2, 'task', 0, $3, 'json', $4::text::bytea)`,
      [thread, checkpointId, channel, value],
    );
  }

  it.each([2, 3, 5])(
    "are refused after %i of its migrations, before anything is changed",
    async (migrations) => {
      await makeTables(migrations);
      const before = await dumpSchema(database);
      const saver = new PostgresSaver(database.source);
      const refused = await saver.setup().catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(IncompatibleTablesError);
      expect(refused).toMatchObject({
        code: "INCOMPATIBLE_TABLES",
        schema: "public",
        layout: "python-shallow",
      });
      expect(String(refused)).toMatch(MESSAGE);
      expect(String(refused)).toContain(HINT);
      expect((await saver.health()).error).toBeInstanceOf(IncompatibleTablesError);
      await saver.end();

      for (const argv of [[], ["--check"], ["--plan"]]) {
        const { code, stdout, stderr } = await run("migrate", ...argv);
        expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
        expect(stderr).toMatch(MESSAGE);
      }
      expect(complaints(await examine(database), "schema")).toEqual([
        { state: "error", message: expect.stringMatching(MESSAGE), remedy: HINT },
      ]);
      expect(await dumpSchema(database)).toEqual(before);
    },
  );

  it("are refused even if an older version of this library has recorded its steps", async () => {
    await makeTables();
    await database.exec("create table checkpoint_kysely_migration (name text primary key, timestamp text)");
    for (const name of MIGRATION_NAMES)
      await database.query("insert into checkpoint_kysely_migration values ($1, '2024')", [name]);
    await using saver = new PostgresSaver(database.source);
    await expect(saver.setup()).rejects.toThrow(IncompatibleTablesError);
  });

  it("are distinguished from tables of other software, which are refused and not changed", async () => {
    await database.exec("create table checkpoints (id int primary key, station text)");
    await using saver = new PostgresSaver(database.source);
    const refused = await saver.setup().catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "INCOMPATIBLE_TABLES", layout: "unknown" });
    expect(String(refused)).toMatch(/table "checkpoints" .* lacks .*"thread_id"/);
    expect(await run("migrate", "--convert-shallow")).toMatchObject({ code: 1 });
    expect(complaints(await examine(database), "schema")).toMatchObject([
      { state: "error", message: expect.stringMatching(/"thread_id"/) },
    ]);
  });

  it("are converted with every row, and can be read afterwards", async () => {
    await makeTables();
    await putRows("t", { id: "2", channel_versions: { a: "02.x", gone: "01.y" } });
    await putBlob("t", "a", '{"b":1}');
    await putWrite("t", "2", "a", "[2]");
    await putWrite("t", "1", "a", "[1]");
    await putRows("old", { id: "2", v: 3, channel_versions: { a: "01.z" } });
    await putWrite("old", "1", "__pregel_tasks", '{"lg_name":"Send","node":"n","args":1}');
    await putBlob("old", "a", '{"b":2}');
    await putBlob("nobody", "a", '{"b":3}');

    const { code, stdout, stderr } = await run("migrate", "--convert-shallow");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(
      "converted 2 checkpoints, 2 values and 3 writes of Python's ShallowPostgresSaver; " +
        "deleted 1 value that no checkpoint references\n" +
        `${MIGRATION_NAMES.map((name) => `applied ${name}\n`).join("")}schema "public" is up to date\n`,
    );
    await using saver = new PostgresSaver(database.source);
    expect(await saver.getTuple(threadConfig("t"))).toMatchObject({
      checkpoint: { id: "2", channel_values: { a: { b: 1 } } },
      pendingWrites: [["task", "a", [2]]],
    });
    expect((await saver.getTuple(threadConfig("t")))?.parentConfig).toBeUndefined();
    const old = await saver.getTuple(threadConfig("old"));
    expect(old?.checkpoint.channel_values).toMatchObject({ a: { b: 2 }, __pregel_tasks: [{ node: "n" }] });
    expect(await run("migrate", "--check")).toMatchObject({ code: 0 });
    expect(complaints(await examine(database), "indexes")).toEqual([]);
    expect(await run("migrate", "--convert-shallow")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no tables of Python's ShallowPostgresSaver/),
    });
  });

  it("are converted so that each checkpoint has the values and sends of its own thread and namespace", async () => {
    await makeTables();
    const places = ["t", "other"].flatMap((thread) => ["", "child"].map((ns) => [thread, ns] as const));
    for (const [n, [thread, ns]] of places.entries()) {
      const header = { id: "5", v: n === 3 ? 4 : 3, channel_versions: { list: `version ${n}` } };
      await database.query(
        "insert into checkpoints (thread_id, checkpoint_ns, checkpoint) values ($1, $2, $3)",
        [thread, ns, JSON.stringify({ ts: "2024-01-01T00:00:00+00:00", versions_seen: {}, ...header })],
      );
      await database.query(
        "insert into checkpoint_blobs (thread_id, checkpoint_ns, channel, type) values ($1, $2, 'list', 'json')",
        [thread, ns],
      );
      // The newest send of another checkpoint is from its parent. Checkpoint 9 has written something else.
      for (const [id, channel] of [
        ["0", "__pregel_tasks"],
        [String(n + 1), "__pregel_tasks"],
        ["5", "__pregel_tasks"],
        ["9", "list"],
      ]) {
        await database.query(
          `insert into checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, blob)
            values ($1, $2, $3, 'task', 0, $4, '')`,
          [thread, ns, id, channel],
        );
      }
    }
    const { kysely, close } = openDatabase(database.source);
    await convertShallowTables(kysely);
    await close();
    const converted = await database.query(
      `select thread_id as thread, checkpoint_ns as ns, parent_checkpoint_id as parent, version
        from checkpoints join checkpoint_blobs using (thread_id, checkpoint_ns) order by version`,
    );
    expect(converted).toEqual([
      { thread: "t", ns: "", parent: "1", version: "version 0" },
      { thread: "t", ns: "child", parent: "2", version: "version 1" },
      { thread: "other", ns: "", parent: "3", version: "version 2" },
      { thread: "other", ns: "child", parent: null, version: "version 3" },
    ]);
  });

  it.each([2, 3])("are converted where its setup() has failed after %d migrations", async (migrations) => {
    await makeTables(migrations);
    await putRows("t", { id: "2", channel_versions: { a: "02.x" } });
    if (migrations > 2) await putBlob("t", "a", '{"b":1}');
    const { kysely, close } = openDatabase(database.source);
    expect(await convertShallowTables(kysely)).toEqual({
      ...{ checkpoints: 1, writes: 0, blobs: migrations - 2, unreferencedBlobs: 0 },
      applied: MIGRATION_NAMES,
    });
    await close();
  });

  it("are not converted where a trigger of the application deletes rows meanwhile", async () => {
    await makeTables();
    await putRows("t", { id: "2", channel_versions: {} });
    await putWrite("t", "2", "a", "[2]");
    await database.exec(`
      create function remove() returns trigger language plpgsql as $$ begin delete from checkpoint_writes; return null; end $$;
      create trigger removes after update on checkpoints execute function remove()`);
    const { kysely, close } = openDatabase(database.source);
    await expect(convertShallowTables(kysely)).rejects.toThrow(
      'table "checkpoint_writes" had 1 rows before the conversion, and has 0 after it',
    );
    await close();
  });

  it("are not changed if the conversion fails", async () => {
    await makeTables();
    await putRows("t", { channel_versions: {} });
    const before = await dumpSchema(database);
    const { kysely, close } = openDatabase(database.source);
    await expect(convertShallowTables(kysely)).rejects.toMatchObject({ code: "MIGRATION_FAILED" });
    expect(await dumpSchema(database)).toEqual(before);
    await expect(migrateToLatest(kysely)).rejects.toThrow(IncompatibleTablesError);
    await close();
  });
});

describeServer("the conversion of tables of Python's shallow saver", (target) => {
  it.each([
    ["checkpoints", ["checkpoint_writes", "checkpoint_blobs"]],
    ["checkpoint_writes", ["checkpoint_blobs"]],
  ])("locks %s before %j, as every writer does (C2)", async (first, later) => {
    const database = await target.createDatabase();
    await makeShallowTables(database);
    const { kysely, close } = openDatabase(database.source);
    const { converting } = await database
      .kysely()
      .transaction()
      .execute(async (transaction) => {
        const lock = (table: string) => sql`lock table ${sql.id(table)} in row exclusive mode nowait`;
        await lock(first).execute(transaction);
        const waiting = convertShallowTables(kysely, { lockTimeoutMs: 60_000 });
        await untilOneWaits(database);
        for (const table of later) await lock(table).execute(transaction);
        return { converting: waiting };
      });
    expect(await converting).toMatchObject({ checkpoints: 0, writes: 0, blobs: 0 });
    await close();
  });
});
