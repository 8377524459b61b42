import { expect, it } from "@jest/globals";
import { PostgresSaver as OfficialSaver } from "@langchain/langgraph-checkpoint-postgres";
import { PostgresSaver } from "../../src/index.js";
import { allVersions, checkpointOf, metadataOf, threadConfig } from "../../test-support/checkpoints.js";
import { OFFICIAL_MIGRATIONS } from "../../test-support/official-migrations.js";
import { dumpSchema } from "../../test-support/schema-dump.js";
import {
  describeEachTarget,
  describeServer,
  onOneServer,
  type TestDatabase,
} from "../../test-support/targets.js";

const TABLES = ["checkpoints", "checkpoint_blobs", "checkpoint_writes"];

const HEADER = JSON.stringify({
  v: 4,
  id: "1",
  ts: "then",
  channel_versions: { city: 1, note: 2 },
  versions_seen: {},
  channel_values: { city: "Paris" },
});

async function migrateOfficially(database: TestDatabase, version: number): Promise<void> {
  for (const migration of OFFICIAL_MIGRATIONS.slice(0, version + 1)) await database.exec(migration);
  await database.exec(`insert into checkpoint_migrations select generate_series(0, ${version})`);
}

/** Inserts a row into each of the tables that exist at a version. */
async function fill(database: TestDatabase, version: number): Promise<void> {
  const rows = [
    `insert into checkpoints (thread_id, checkpoint_id, checkpoint) values ('t', '1', '${HEADER}')`,
    `insert into checkpoint_blobs (thread_id, channel, version, type, blob) values ('t', 'note', '2', 'json', '{"a":1}')`,
    `insert into checkpoint_writes (thread_id, checkpoint_id, task_id, idx, channel, type, blob)
     values ('t', '1', 'task', 0, 'note', 'json', '[2]')`,
  ];
  for (const insert of rows.slice(0, Math.min(version, rows.length))) await database.exec(insert);
}

/** All rows with their physical place, which an UPDATE would change. */
async function rowsOf(database: TestDatabase): Promise<unknown[]> {
  const rows = [];
  for (const table of TABLES) {
    const [found] = await database.query<{ table: string | null }>("select to_regclass($1)::text as table", [
      table,
    ]);
    if (found?.table === null) continue;
    rows.push(
      await database.query(
        `select ctid::text as place, xmin::text as version, to_jsonb(t) - '{task_path,base,whole_bytes}'::text[] as row from ${table} t`,
      ),
    );
  }
  return rows;
}

const VERSIONS = OFFICIAL_MIGRATIONS.map((_, version) => version);

describeEachTarget("adopting a database of an official saver", (target) => {
  it.each(VERSIONS)("setup() adopts version %i without changing a row", async (version) => {
    const database = await target.createDatabase();
    await migrateOfficially(database, version);
    await fill(database, version);
    const before = await rowsOf(database);

    await using saver = new PostgresSaver(database.source);
    await saver.setup();
    expect((await rowsOf(database)).slice(0, before.length)).toEqual(before);

    if (version >= 3) {
      const tuple = await saver.getTuple(threadConfig("t"));
      expect(tuple?.checkpoint.channel_values).toEqual({ city: "Paris", note: { a: 1 } });
      expect(tuple?.pendingWrites).toEqual([["task", "note", [2]]]);
    }
    const emptied = { ...checkpointOf(saver, {}), channel_versions: { gone: 3 } };
    await saver.put(threadConfig("t"), emptied, metadataOf(), { gone: 3 });
    expect((await saver.getTuple(threadConfig("t")))?.checkpoint.channel_values).toEqual({});
  });

  it("setup() keeps the recorded versions of a newer official saver", async () => {
    const database = await target.createDatabase();
    await migrateOfficially(database, 9);
    await database.exec("insert into checkpoint_migrations values (10), (11)");
    await using saver = new PostgresSaver(database.source);
    await saver.setup();
    expect(await database.query("select max(v) as v, count(*)::int as n from checkpoint_migrations")).toEqual(
      [{ v: 11, n: 12 }],
    );
  });

  it("put stores nothing before the tables are adopted, where nothing could be read", async () => {
    const database = await target.createDatabase();
    await migrateOfficially(database, 4);
    await using saver = new PostgresSaver(database.source, undefined, { grouping: false });
    const first = checkpointOf(saver, { a: [1] });
    const at = threadConfig("t");
    const after = threadConfig("t", { checkpoint_id: first.id });
    const calls = [
      () => saver.put(at, first, metadataOf(), allVersions(first)),
      () => saver.put(after, checkpointOf(saver, {}, first), metadataOf(), {}),
      () => saver.batch((batch) => batch.put(at, first, metadataOf(), allVersions(first))),
      () => saver.getTuple(at),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "MIGRATION_REQUIRED" });
    expect(await database.query("select from checkpoints")).toEqual([]);
  });

  it("getTuple compares ids byte by byte, even if the columns have the collation of the database", async () => {
    const database = await target.createDatabase();
    await migrateOfficially(database, 4);
    await using saver = new PostgresSaver(database.source);
    await saver.setup();
    for (const id of ["a", "B"]) {
      await saver.put(threadConfig("t"), { ...checkpointOf(saver, {}), id }, metadataOf(), {});
    }
    expect((await saver.getTuple(threadConfig("t")))?.checkpoint.id).toBe("a");
  });
});

onOneServer("it refuses the official saver's statements", describeServer)(
  "sharing a database with the official JavaScript saver",
  (target) => {
    it("reads its checkpoints, and its setup() changes nothing", async () => {
      const database = await target.createDatabase();
      const official = OfficialSaver.fromConnString(database.source);
      await official.setup();
      const checkpoint = {
        ...checkpointOf(official, { list: [1, { a: new Set(["x"]) }], nothing: null }),
        v: 4,
      };
      const config = await official.put(
        threadConfig("t", { checkpoint_ns: "" }),
        checkpoint,
        metadataOf(),
        checkpoint.channel_versions,
      );
      await official.putWrites(config, [["list", new Map([[1, 2]])]], "task");

      await using saver = new PostgresSaver(database.source);
      await saver.setup();
      const tuple = await saver.getTuple(config);
      expect(tuple).toEqual(await official.getTuple(config));
      const after = await dumpSchema(database);
      await official.setup();
      expect(await dumpSchema(database)).toEqual(after);
      await official.end();
    });
  },
);
