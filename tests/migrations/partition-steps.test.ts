import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import pg from "pg";
import { openDatabase, type OpenedDatabase } from "../../src/db/index.js";
import {
  type PartitionLayout,
  partitionTables,
  planPartitions,
  type TableProgress,
} from "../../src/migrations/index.js";
import { untilOneWaits } from "../../test-support/held-locks.js";
import { describeServer, onOneServer, type TestDatabase } from "../../test-support/targets.js";
import { contentOf, convert, leftovers, stopAfter, TABLES } from "./converted-tables.js";

const ROWS = 130;

/** Stores checkpoints, writes and values of many threads. */
async function fillBySql(database: TestDatabase): Promise<void> {
  await database.exec(`
    insert into checkpoints (thread_id, checkpoint_id, checkpoint) select n, '1', '{}' from generate_series(1, ${ROWS}) n;
    insert into checkpoint_writes (thread_id, checkpoint_id, task_id, idx, channel, blob)
      select n, '1', 'task', 0, 'a', '' from generate_series(1, ${ROWS}) n;
    insert into checkpoint_blobs (thread_id, channel, version, type, blob)
      select n, 'a', '1', 'json', '1' from generate_series(1, ${ROWS}) n;
    analyze`);
}

onOneServer("its tables have shards", describeServer)("a conversion to partitions", (target) => {
  let database: TestDatabase<string>;
  let opened: OpenedDatabase;
  beforeEach(async () => {
    database = await target.migratedDatabase();
    await fillBySql(database);
    opened = openDatabase(database.source);
  });
  afterEach(() => opened.close());

  const layoutsOf = async (): Promise<unknown> =>
    (await planPartitions(opened.kysely, { layout: "hash:256" })).tables.map(({ from }) => from);

  it("copies and compares each table to its end, and tells how far it is", async () => {
    const before = await contentOf(database);
    const told: TableProgress[] = [];
    const report = await partitionTables(opened.kysely, {
      layout: "hash:2",
      onProgress: (progress) => told.push(progress),
    });
    expect(report.rows).toEqual({ checkpoints: ROWS, checkpoint_writes: ROWS, checkpoint_blobs: ROWS });
    expect(await contentOf(database)).toEqual(before);
    const phases = TABLES.flatMap((table) => [
      { table, phase: "copy" },
      { table, phase: "compare" },
    ]);
    const ofPhase = phases.map(({ table, phase }) =>
      told.filter((progress) => progress.table === table && progress.phase === phase),
    );
    expect(ofPhase.flat()).toEqual(told);
    for (const [n, steps] of ofPhase.entries()) {
      const ends = { ...phases[n], estimatedRows: ROWS };
      expect(steps[0]).toMatchObject({ ...ends, rows: 64 });
      expect(steps.at(-1)).toMatchObject({ ...ends, rows: ROWS });
    }
    // The first statements after it are planned with statistics.
    const statistics = await database.query(
      "select reltuples::int as rows from pg_class where relname = any ($1)",
      [TABLES],
    );
    expect(statistics).toEqual(TABLES.map(() => ({ rows: ROWS })));
  });

  it("replaces only tables that have another layout", async () => {
    await convert(database, "hash:2");
    await database.exec(`
      create table whole (like checkpoint_writes including all);
      insert into whole select * from checkpoint_writes;
      drop table checkpoint_writes;
      alter table whole rename to checkpoint_writes`);
    const plan = await planPartitions(opened.kysely, { layout: "hash:2" });
    expect(plan.tables).toMatchObject([{ table: "checkpoint_writes", from: "none" }]);
    expect(await convert(database, "hash:2")).toEqual({
      ...{ layout: "hash:2", isConverted: true },
      rows: { checkpoint_writes: ROWS },
    });
    expect(await layoutsOf()).toEqual(["hash:2", "hash:2", "hash:2"]);
  });

  it("is planned with the tables that a migration creates first", async () => {
    await database.exec("drop table checkpoint_writes");
    const { tables } = await planPartitions(opened.kysely, { layout: "hash:2" });
    expect(tables).toMatchObject([
      { table: "checkpoints", from: "none", rows: ROWS },
      { table: "checkpoint_blobs", from: "none", rows: ROWS },
      { table: "checkpoint_writes", from: "none", rows: 0, bytes: 0 },
    ]);
    expect(await planPartitions(opened.kysely, { layout: "none" })).toMatchObject({ tables: [], bytes: 0 });
    await expect(partitionTables(opened.kysely, { layout: "hash:2" })).rejects.toThrow(
      'schema "public" has no tables of a saver to convert',
    );
  });

  it("refuses a layout that is none, and a transaction", async () => {
    for (const layout of ["hash:1", "hash:257", "hash:02", "range"] as PartitionLayout[]) {
      const refusal = { field: "layout", code: "INVALID_CONFIG" };
      await expect(planPartitions(opened.kysely, { layout })).rejects.toMatchObject(refusal);
      await expect(partitionTables(opened.kysely, { layout })).rejects.toMatchObject(refusal);
    }
    for (const layout of ["hash:2", "hash:256"] as const)
      expect(await planPartitions(opened.kysely, { layout })).toMatchObject({ layout });
    const inTransaction = opened.kysely
      .transaction()
      .execute((db) => partitionTables(db, { layout: "hash:2" }));
    await expect(inTransaction).rejects.toMatchObject({ field: "db" });
  });

  it.each<[what: string, change: string, layout: PartitionLayout]>([
    ["another layout is wanted", "", "hash:3"],
    ["a replacement was dropped", "drop table checkpoint_blobs_next", "hash:2"],
    ["the first replacement was dropped", "drop table checkpoints_next", "hash:2"],
    [
      "a table has lost its trigger",
      "alter table checkpoint_writes disable trigger checkpoint_writes_mirror",
      "hash:2",
    ],
  ])("begins again where %s", async (_, change, layout) => {
    const before = await contentOf(database);
    await stopAfter("compare", database, "hash:2");
    await database.exec(change);
    expect(await planPartitions(opened.kysely, { layout })).toMatchObject({
      tables: TABLES.map((table) => ({ table })),
      underWay: "hash:2",
    });
    expect(await convert(database, layout)).toMatchObject({ isConverted: true });
    expect(await contentOf(database)).toEqual(before);
    expect(await leftovers(database)).toEqual([]);
  });

  it("does not know a table that its progress names", async () => {
    await stopAfter("copy", database, "hash:2");
    await database.exec("update checkpoint_conversion set name = 'other' where name = 'checkpoints'");
    await expect(convert(database, "hash:2")).rejects.toThrow(
      '"checkpoint_conversion" names the unknown table "other"',
    );
  });

  /** Converts to `hash:2`. Before the transaction of a step begins, `meanwhile` runs. */
  async function convertWhile(step: number, meanwhile: () => Promise<unknown>) {
    const pool = new pg.Pool({ connectionString: database.source });
    let begun = 0;
    pool.on("connect", (client) => {
      const query: (config: pg.QueryConfig) => Promise<unknown> = client.query.bind(client);
      Object.assign(client, {
        query: async (config: pg.QueryConfig) => {
          if (config.text.startsWith("start transaction") && ++begun === step) await meanwhile();
          return query(config);
        },
      });
    });
    const { kysely, close } = openDatabase(pool);
    try {
      return await partitionTables(kysely, { layout: "hash:2", lockTimeoutMs: 5_000 });
    } finally {
      await close();
      await pool.end();
    }
  }

  it.each([
    ["has begun", false, 2],
    ["has moved rows of one that was begun before", true, 2],
  ])("ends where another process wants another layout after it %s", async (_, isUnderWay, step) => {
    if (isUnderWay) await stopAfter("copy", database, "hash:2");
    const converting = convertWhile(step, () => stopAfter("copy", database, "hash:4"));
    await expect(converting).rejects.toThrow(
      "another process converts the tables to hash:4 at the same time. Its conversion was given up as well",
    );
    expect(await leftovers(database)).toEqual([]);
    expect(await layoutsOf()).toEqual(["none", "none", "none"]);
  });

  it("goes on where a table has changed after it has begun", async () => {
    const change = "create index later on checkpoints (parent_checkpoint_id)";
    expect(await convertWhile(2, () => database.exec(change))).toMatchObject({ isConverted: true });
    expect(await database.query("select from pg_indexes where indexname = 'later'")).toHaveLength(1);
  });

  async function inSession<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: database.source });
    await client.connect();
    try {
      return await use(client);
    } finally {
      await client.end();
    }
  }

  it("keeps what changes a table while the replacement waits for its lock", async () => {
    await stopAfter("compare", database, "hash:2");
    await inSession(async (client) => {
      await client.query("begin; create index later on checkpoints (parent_checkpoint_id)");
      const converting = convert(database, "hash:2");
      await untilOneWaits(database);
      await client.query("commit");
      expect(await converting).toMatchObject({ isConverted: true });
    });
    expect(await database.query("select from pg_indexes where indexname = 'later'")).toHaveLength(1);
  });

  it("replaces no table that something has begun to depend on", async () => {
    await stopAfter("compare", database, "hash:2");
    await database.exec("create publication everything for all tables");
    await expect(convert(database, "hash:2")).rejects.toThrow(
      'the conversion replaces table "checkpoints", on which others depend: publication everything. Nothing was changed.',
    );
  });

  it("ends its wait for a lock before Postgres ends a writer that waits for it", async () => {
    await inSession(async (client) => {
      await client.query(
        "begin; insert into checkpoint_writes values ('t', '', '1', 'task', 0, 'a', null, '')",
      );
      const converting = convert(database, "hash:2");
      await untilOneWaits(database);
      await client.query(
        "insert into checkpoints (thread_id, checkpoint_id, checkpoint) values ('t', '1', '{}')",
      );
      await client.query("commit");
      expect(await converting).toMatchObject({ rows: { checkpoints: ROWS + 1 } });
    });
  });

  it("says who keeps it waiting, or that nobody is known", async () => {
    const waits = { layout: "hash:2", lockTimeoutMs: 30 } as const;
    const next = "The conversion is not complete, and the tables work as before; run it again to continue";
    await inSession(async (client) => {
      const { rows } = await client.query<{ id: number }>("select pg_backend_pid() as id");
      await client.query("begin; lock table checkpoints in share mode");
      await expect(partitionTables(opened.kysely, waits)).rejects.toMatchObject({
        ...{ sqlState: "55P03", transient: true, holders: [{ processId: rows[0]?.id }] },
        message: expect.stringMatching(
          `^waited 30 ms for transactions that use the tables: process ${rows[0]?.id} \\(in a transaction since .*Z\\)[.] ${next}`,
        ),
      });
    });
    await database.exec(`
      create function fail() returns event_trigger language plpgsql as $$ begin raise 'busy' using errcode = '40001'; end $$;
      create event trigger fail on ddl_command_start when tag in ('CREATE TRIGGER') execute function fail()`);
    await expect(partitionTables(opened.kysely, waits)).rejects.toMatchObject({
      ...{ sqlState: "40001", transient: true, holders: [] },
      message: expect.stringMatching(`^waited 30 ms for transactions that use the tables[.] ${next}`),
    });
  });

  it("creates everything for the owner of the tables alone, where they are stored", async () => {
    const name = `partitions_${randomBytes(6).toString("hex")}`;
    await database.exec(`
      create role ${name}; grant create on schema public to ${name};
      alter default privileges grant all on tables to public, pg_monitor`);
    await inSession(async (client) => {
      await client.query("set allow_in_place_tablespaces = on");
      await client.query(`create tablespace ${name} location ''`);
    });
    try {
      await database.exec(`
        ${TABLES.map((table) => `alter table ${table} owner to ${name}`).join("; ")};
        alter table checkpoint_writes set tablespace ${name}`);
      await stopAfter("copy", database, "hash:10");
      const created = await database.query(`
        select count(*)::int as count, kind, owner, grants from (
          select 'table' as kind, relowner::regrole::text as owner, (select count(*) from aclexplode(relacl) where grantee <> relowner)::int as grants
          from pg_class where relkind in ('r', 'p') and relname ~ '_next$|_hash10_\\d$|^checkpoint_conversion$'
          union all
          select 'function', proowner::regrole::text, (select count(*) from aclexplode(proacl) where grantee <> proowner)::int
          from pg_proc where proname ~ '_mirror$') as created
        group by kind, owner, grants order by kind`);
      expect(created).toEqual([
        { count: 3, kind: "function", owner: name, grants: 0 },
        { count: 34, kind: "table", owner: name, grants: 0 },
      ]);
      const elsewhere = await database.query(`
        select count(*)::int as count, inhparent::regclass::text as table
        from pg_inherits join pg_class on oid = inhrelid where relkind = 'r' and reltablespace <> 0 group by 2`);
      expect(elsewhere).toEqual([{ count: 10, table: "checkpoint_writes_next" }]);
    } finally {
      await convert(database, "none");
      await database.exec("alter table checkpoint_writes set tablespace pg_default");
      await database.query(`drop tablespace ${name}`);
      await database.exec(
        `${TABLES.map((table) => `alter table ${table} owner to postgres`).join("; ")}; drop owned by ${name}; drop role ${name}`,
      );
    }
  });
});
