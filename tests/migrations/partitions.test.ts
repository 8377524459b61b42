import { beforeEach, expect, it } from "@jest/globals";
import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { openDatabase } from "../../src/db/index.js";
import { type CheckpointDatabase, PostgresSaver } from "../../src/index.js";
import {
  createOptionalIndexes,
  type PartitionLayout,
  partitionTables,
  planPartitions,
} from "../../src/migrations/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { dumpSchema } from "../../test-support/schema-dump.js";
import { describeServer, onOneServer, type TestDatabase } from "../../test-support/targets.js";
import { contentOf, convert, fill, leftovers, stopAfter, TABLES } from "./converted-tables.js";

async function settingsOf(database: TestDatabase): Promise<unknown> {
  const names = TABLES.map((name) => `'${name}'`).join();
  const read = (sql: string) => database.query(sql.replace("$TABLES", `array[${names}]`));
  return {
    tables: await read(
      `select relname, relrowsecurity, relforcerowsecurity, relacl::text, pg_get_userbyid(relowner) as owner,
        obj_description(oid) as comment
       from pg_class where relname = any ($TABLES) order by relname`,
    ),
    columns: await read(
      `select relname, attname, format_type(atttypid, atttypmod), attnotnull, attstorage, attcompression, attcollation,
        attstattarget, attacl::text, pg_get_expr(adbin, adrelid)
       from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
       left join pg_attrdef on adrelid = attrelid and adnum = attnum
       where relname = any ($TABLES) order by relname, attnum`,
    ),
    indexes: await read(
      `select indexname, replace(indexdef, 'ON ONLY', 'ON') from pg_indexes where tablename = any ($TABLES) order by 1`,
    ),
    policies: await read("select * from pg_policies where tablename = any ($TABLES) order by tablename"),
    triggers: await read(
      `select pg_get_triggerdef(oid), tgenabled from pg_trigger
       where tgrelid::regclass::text = any ($TABLES) and not tgisinternal order by 1`,
    ),
    functions: await read(
      "select proname from pg_proc where pronamespace = 'public'::regnamespace order by 1",
    ),
  };
}

function layoutsOf(database: TestDatabase): Promise<Record<string, unknown>[]> {
  return database.query(
    `select inhparent::regclass::text as name, count(*)::int as partitions from pg_inherits
     where inhparent in (select oid from pg_class where relkind = 'p') group by 1 order by 1`,
  );
}

/** The storage settings of the partitions of `checkpoint_writes`. */
function storageOfPartitions(database: TestDatabase): Promise<Record<string, unknown>[]> {
  return database.query(
    `select bool_and(own.attcompression = parent.attcompression) as "isCompressedAlike",
       json_agg(distinct to_json(part.reloptions)::jsonb) as options,
       json_agg(distinct to_json(long.reloptions)::jsonb) as "toastOptions"
     from pg_inherits join pg_class as part on part.oid = inhrelid join pg_class as long on long.oid = part.reltoastrelid
     join pg_attribute as own on own.attrelid = part.oid and own.attname = 'blob'
     join pg_attribute as parent on parent.attrelid = inhparent and parent.attname = 'blob'
     where inhparent = 'checkpoint_writes'::regclass`,
  );
}

const PARTITIONED = [
  { name: "checkpoint_blobs", partitions: 4 },
  { name: "checkpoint_writes", partitions: 4 },
  { name: "checkpoints", partitions: 4 },
];

onOneServer("its tables have shards", describeServer)("tables of savers", (target) => {
  let database: TestDatabase<string>;

  beforeEach(async () => {
    database = await target.createDatabase();
  });

  it("are converted to partitions and back, with all rows and everything that belongs to the tables", async () => {
    await using saver = new PostgresSaver(database.source);
    await saver.setup();
    await fill(saver, 5);
    const { kysely, close } = openDatabase(database.source);
    await createOptionalIndexes(kysely, { indexes: ["metadata-index", "run-index"] });
    await close();
    await database.exec(`
      create function count_rows() returns trigger language plpgsql as 'begin return null; end';
      create trigger counted after insert on checkpoints for each row execute function count_rows();
      create trigger off after insert on checkpoints for each row execute function count_rows();
      alter table checkpoints disable trigger off;
      create role "a reader";
      grant select, update on checkpoints to "a reader" with grant option;
      grant select (thread_id) on checkpoint_blobs to public;
      create policy own on checkpoints as restrictive for select to "a reader" using (thread_id in (select thread_id from checkpoint_writes));
      create policy written on checkpoint_writes with check (idx >= 0);
      alter table checkpoints enable row level security;
      alter table checkpoint_writes set (fillfactor = 70, toast.autovacuum_enabled = false);
      alter table checkpoints alter column thread_id set statistics 500;
      comment on table checkpoints is 'it''s ours'`);
    const [rows, settings, schema] = [
      await contentOf(database),
      await settingsOf(database),
      await dumpSchema(database),
    ];

    expect(await convert(database, "hash:4")).toEqual({
      layout: "hash:4",
      isConverted: true,
      rows: { checkpoints: 15, checkpoint_writes: 15, checkpoint_blobs: 15 },
    });
    expect(await layoutsOf(database)).toMatchObject(expect.arrayContaining(PARTITIONED));
    expect(await contentOf(database)).toEqual(rows);
    expect(await settingsOf(database)).toEqual(settings);
    expect(await storageOfPartitions(database)).toEqual([
      {
        isCompressedAlike: true,
        options: [["fillfactor=70"]],
        toastOptions: [["autovacuum_enabled=false"]],
      },
    ]);
    expect(await convert(database, "hash:4")).toMatchObject({ isConverted: false });
    await convert(database, "hash:2");
    await convert(database, "none");
    expect(await contentOf(database)).toEqual(rows);
    expect(await settingsOf(database)).toEqual(settings);
    expect(await dumpSchema(database)).toEqual(schema);
    await database.exec('drop owned by "a reader"; drop role "a reader"');
  });

  it("are converted beside writers, however often the conversion is killed (C15)", async () => {
    await using saver = new PostgresSaver(database.source);
    await saver.setup();
    await fill(saver, 6);
    const stop = new AbortController();
    const writing = [1, 2].map((nth) => keepWriting(database, `busy ${nth}`, stop.signal));
    let kills = 0;
    // Each attempt is killed some statements later than the one before, and continues what it has left.
    for (let statements = 1; await isKilledAfter(database, statements, "hash:4"); statements += 5) kills++;
    stop.abort();
    const counts = await Promise.all(writing);
    expect(kills).toBeGreaterThan(10);
    expect(await layoutsOf(database)).toMatchObject(expect.arrayContaining(PARTITIONED));
    expect(await leftovers(database)).toEqual([]);
    for (const [nth, written] of counts.entries()) {
      const tuple = await saver.getTuple(threadConfig(`busy ${nth + 1}`));
      expect(tuple?.checkpoint.channel_values).toEqual({ count: [written] });
    }
    // A pruned parent is no problem.
    const problems = (await saver.verify()).problems.filter(({ kind }) => kind !== "missing-parent");
    expect(problems).toEqual([]);
    // The mirror has missed nothing: no row of a deleted thread has come back.
    expect(await database.query("select from checkpoints where thread_id like 'deleted%'")).toEqual([]);
  });

  it("lose no deletion of a transaction that has one snapshot (C15)", async () => {
    await using saver = new PostgresSaver(database.source);
    await saver.setup();
    await fill(saver, 3);
    const old = new pg.Client({ connectionString: database.source });
    await old.connect();
    await old.query("begin isolation level repeatable read; select from checkpoints");
    let outcome = "";
    // The rows are copied, and the transaction does not see the copies.
    await stopAfter("compare", database, "hash:4");
    await old.query("delete from checkpoints").catch((error: unknown) => {
      outcome = String((error as pg.DatabaseError).code);
    });
    await old.end();
    expect(outcome).toBe("40001");
    await convert(database, "hash:4");
    expect(await database.query("select from checkpoints")).toHaveLength(9);
  });

  it("stay as they are if the conversion is given up, and nothing of it remains", async () => {
    await using saver = new PostgresSaver(database.source);
    await saver.setup();
    await fill(saver, 3);
    const [schema, rows] = [await dumpSchema(database), await contentOf(database)];
    await stopAfter("compare", database, "hash:4");
    expect(await leftovers(database)).not.toEqual([]);
    const { kysely, close } = openDatabase(database.source);
    expect(await planPartitions(kysely, { layout: "none" })).toMatchObject({
      tables: [],
      underWay: "hash:4",
    });
    expect(await convert(database, "none")).toMatchObject({ isConverted: false });
    await close();
    expect(await leftovers(database)).toEqual([]);
    expect([await dumpSchema(database), await contentOf(database)]).toEqual([schema, rows]);
  });

  it("are not replaced where rows differ from their copies", async () => {
    await using saver = new PostgresSaver(database.source);
    await saver.setup();
    await fill(saver, 3);
    await stopAfter("copy", database, "hash:4");
    await database.exec("delete from checkpoints_next");
    await expect(convert(database, "hash:4")).rejects.toThrow(
      /rows of table "checkpoints" differ from their copies/,
    );
    expect(await saver.listThreads()).toHaveLength(3);
  });

  const depends = (what: string) =>
    `the conversion replaces table "checkpoints", on which others depend: ${what}. Nothing was changed.`;
  const taken = (name: string) =>
    `the conversion needs names that schema "public" has already: ${name}. Nothing was changed.`;

  it.each([
    [
      "a view",
      "create view of_checkpoints as select 1 as n from checkpoints",
      depends("rule _RETURN on view of_checkpoints"),
    ],
    [
      "a publication of all tables",
      "create publication everything for all tables",
      depends("publication everything"),
    ],
    ["a table with the name of a replacement", "create table checkpoints_next ()", taken("checkpoints_next")],
    [
      "a table with the name of a partition",
      "create table checkpoint_blobs_hash4_2 ()",
      taken("checkpoint_blobs_hash4_2"),
    ],
    [
      "a table with the name of the progress",
      "create table checkpoint_conversion ()",
      taken("checkpoint_conversion"),
    ],
  ])("are neither converted nor planned beside %s, which stays", async (_what, statement, reason) => {
    await using saver = new PostgresSaver(database.source);
    await saver.setup();
    await database.exec(statement);
    const schema = await dumpSchema(database);
    await expect(convert(database, "hash:4")).rejects.toThrow(reason);
    const { kysely, close } = openDatabase(database.source);
    await expect(planPartitions(kysely, { layout: "hash:4" })).rejects.toThrow(reason);
    expect(await planPartitions(kysely, { layout: "none" })).toMatchObject({ tables: [] });
    await close();
    expect(await dumpSchema(database)).toEqual(schema);
  });

  it("are planned with the disk that their copies need", async () => {
    await using saver = new PostgresSaver(database.source);
    await saver.setup();
    await fill(saver, 3);
    await database.exec("analyze");
    const { kysely, close } = openDatabase(database.source);
    const [size] = await database.query<{ bytes: number }>(`
      select (pg_total_relation_size('checkpoints') + pg_total_relation_size('checkpoint_writes')
        + pg_total_relation_size('checkpoint_blobs'))::float8 as bytes`);
    expect(await planPartitions(kysely, { layout: "hash:4" })).toMatchObject({
      ...{ bytes: size?.bytes, underWay: undefined },
      tables: TABLES.map((table) => ({ table, from: "none", rows: 9 })),
    });
    await close();
  });
});

/** Puts checkpoints of a thread, and deletes other threads, until the signal aborts. Returns how many it has put. */
async function keepWriting(
  database: TestDatabase<string>,
  thread: string,
  stop: AbortSignal,
): Promise<number> {
  await using saver = new PostgresSaver(database.source);
  let [config, previous, count] = [threadConfig(thread), undefined as Checkpoint | undefined, 0];
  while (!stop.aborted || count === 0) {
    const stored = await putValues(saver, config, { count: [++count] }, previous);
    [config, previous] = [stored.config, stored.checkpoint];
    await saver.putWrites(config, [["count", count]], "task");
    const other = `deleted ${thread}`;
    await putValues(saver, threadConfig(other), { list: [count] });
    if (count % 4 === 0) await saver.prune([thread]);
    await saver.deleteThread(other);
  }
  return count;
}

/** Converts, and ends the connection after so many statements. Returns whether that was before the end. */
async function isKilledAfter(
  database: TestDatabase<string>,
  statements: number,
  layout: PartitionLayout,
): Promise<boolean> {
  const pool = new pg.Pool({ connectionString: database.source, max: 1 });
  let sent = 0;
  pool.on("error", () => undefined);
  pool.on("connect", (client) => {
    client.on("error", () => undefined);
    const query: (...given: unknown[]) => unknown = client.query.bind(client);
    Object.assign(client, {
      query: (...given: unknown[]) => {
        const answer = query(...given);
        if (++sent === statements) void client.end().catch(() => undefined);
        return answer;
      },
    });
  });
  const kysely = new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
  try {
    await partitionTables(kysely, { layout, lockTimeoutMs: 5_000 });
    return false;
  } catch (error) {
    if (sent < statements) throw error;
    return true;
  } finally {
    await pool.end();
  }
}
