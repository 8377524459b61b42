import { afterEach, beforeEach, expect, it } from "@jest/globals";
import pg from "pg";
import { openDatabase, type OpenedDatabase } from "../../src/db/index.js";
import { PostgresSaver } from "../../src/index.js";
import {
  createOptionalIndexes,
  dropOptionalIndexes,
  migrateDown,
  type OptionalIndex,
  optionalIndexStatus,
} from "../../src/migrations/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import {
  describePartitioned,
  describeServer,
  onOneServer,
  type TestDatabase,
} from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";
import { complaints, examine } from "../cli/doctor/examine.js";
import { MIGRATION_NAMES } from "../../src/migrations/steps/saver-steps.js";

/** The name of the sessions that savers open. */
const SAVERS = "langgraph-checkpoint-kysely";

const TABLES = ["checkpoints", "checkpoint_writes", "checkpoint_blobs"] as const;
const THREADS = ["a", "b", "c", "m", "x", "z"];

/** Stores two checkpoints with a value and a write in each thread. */
async function fill(saver: PostgresSaver): Promise<void> {
  for (const thread of THREADS) {
    const first = await putValues(saver, threadConfig(thread), { list: [thread] });
    const next = { list: [thread, "x".repeat(3_000)] };
    const { config } = await putValues(saver, first.config, next, first.checkpoint);
    await saver.putWrites(config, [["list", thread]], "task");
  }
}

onOneServer("its tables have shards", describeServer)("tables that a DBA has partitioned", (target) => {
  let database: TestDatabase<string>;
  let opened: OpenedDatabase;

  beforeEach(async () => {
    database = await target.createDatabase();
    opened = openDatabase(database.source);
  });
  afterEach(() => opened.close());

  /** Creates the tables of an official saver with these partitions. */
  async function partition(by: string, bounds: readonly string[], key = "thread_id"): Promise<void> {
    const columns = `thread_id text not null, checkpoint_ns text not null default '', type text`;
    const long = `${columns}, blob bytea not null, channel text not null`;
    await database.exec(`
      create table checkpoints (${columns}, checkpoint_id text not null, parent_checkpoint_id text,
        checkpoint jsonb not null, metadata jsonb not null default '{}',
        primary key (thread_id, checkpoint_ns, checkpoint_id)) partition by ${by} (${key});
      create table checkpoint_blobs (${long}, version text not null,
        primary key (thread_id, checkpoint_ns, channel, version)) partition by ${by} (thread_id);
      create table checkpoint_writes (${long}, checkpoint_id text not null, task_id text not null, idx integer not null,
        primary key (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)) partition by ${by} (thread_id)`);
    for (const table of TABLES) {
      for (const [nth, bound] of bounds.entries()) {
        await database.exec(`create table "${table} part ${nth}" partition of ${table} ${bound}`);
      }
    }
  }

  it.each([
    ["hash", [0, 1, 2].map((part) => `for values with (modulus 3, remainder ${part})`)],
    ["list", ["for values in ('a', 'b', 'c')", "default"]],
    ["range", ["for values from (minvalue) to ('m')", "default partition by hash (thread_id)"]],
  ])("by %s of thread_id are adopted, serve calls, and are migrated down", async (by, bounds) => {
    await partition(by, bounds);
    if (by === "range") {
      for (const table of TABLES) {
        await database.exec(`create table "${table} rest" partition of "${table} part 1"
          for values with (modulus 1, remainder 0)`);
      }
    }
    await using saver = new PostgresSaver(database.source);
    await saver.setup();
    expect(await saver.health()).toMatchObject({ ok: true, schema: { upToDate: true } });
    await fill(saver);
    for (const thread of THREADS) {
      expect(await saver.getTuple(threadConfig(thread))).toMatchObject({
        checkpoint: { channel_values: { list: [thread, expect.any(String)] } },
        pendingWrites: [["task", "list", thread]],
      });
    }
    expect((await saver.listThreads()).length).toBe(THREADS.length);
    const findings = await examine(database);
    expect(complaints(findings, "partitions")).toEqual([]);
    expect(complaints(findings, "indexes")).toEqual([]);
    expect(findings.filter(({ check }) => check === "bloat").map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^checkpoints .+ in \d partitions \(/),
    );
    for (const thread of THREADS) await saver.deleteThread(thread);
    await saver.end();
    for (const name of MIGRATION_NAMES.toReversed()) expect(await migrateDown(opened.kysely)).toBe(name);
    expect(await database.query("select from pg_class where relname ~ '^checkpoint.* part'")).toEqual([]);
  });

  it("by another key are refused, with the reason", async () => {
    const bounds = ["for values from (minvalue) to (maxvalue)"];
    await partition("range", bounds, "checkpoint_id");
    await using saver = new PostgresSaver(database.source);
    const reason = /"checkpoints" by RANGE \(checkpoint_id\).*Partition the tables by thread_id alone/;
    await expect(saver.setup()).rejects.toMatchObject({ code: "INCOMPATIBLE_TABLES", layout: "partitions" });
    await expect(saver.setup()).rejects.toThrow(reason);
    expect(await saver.health()).toMatchObject({ ok: false, error: { code: "INCOMPATIBLE_TABLES" } });
    expect(complaints(await examine(database), "schema")).toMatchObject([
      { state: "error", message: expect.stringMatching(reason) },
    ]);
  });

  it("make doctor complain where a thread has no partition", async () => {
    await partition("hash", ["for values with (modulus 3, remainder 0)"]);
    await using saver = new PostgresSaver(database.source);
    await saver.setup();
    expect(complaints(await examine(database), "partitions")).toMatchObject([
      { state: "error", message: expect.stringContaining('"checkpoints" are missing') },
      { state: "error" },
      { state: "error" },
    ]);
    await database.exec("drop table checkpoints, checkpoint_writes, checkpoint_blobs");
    await partition("list", ["for values in ('a')"]);
    expect(complaints(await examine(database), "partitions")).toHaveLength(TABLES.length);
  });
});

describePartitioned("on partitions", (target) => {
  let database: TestDatabase<string>;
  let opened: OpenedDatabase;

  beforeEach(async () => {
    database = await target.sharedDatabase();
    opened = openDatabase(database.source);
  });
  afterEach(() => opened.close());

  it("sizes are those of all partitions", async () => {
    await using saver = new PostgresSaver(database.source);
    await fill(saver);
    const { tables } = await new InspectorCalls(saver).read("tables", {});
    const sizes = await database.query<{ name: string; bytes: number }>(`
      select name, sum(pg_table_size(relid))::float8 as bytes
      from unnest(array['checkpoints', 'checkpoint_blobs', 'checkpoint_writes']) as name, pg_partition_tree(name::regclass)
      where isleaf group by name`);
    for (const { name, bytes } of sizes) {
      expect(tables.find(({ table }) => table === name)).toMatchObject({ tableBytes: bytes });
      expect(bytes).toBeGreaterThan(0);
    }
  });

  it("optional indexes are created for each partition beside writers, completed after an interruption, and dropped", async () => {
    const indexes: OptionalIndex[] = ["metadata-index", "run-index"];
    const { kysely } = opened;
    // What an interruption leaves: the index of the table, and that of one partition.
    await database.exec(`
      create index checkpoint_run_idx on only checkpoints ((metadata ->> 'run_id')) where (metadata ->> 'run_id') is not null`);
    expect(await optionalIndexStatus(kysely)).toMatchObject({ "run-index": "broken" });
    expect(await createOptionalIndexes(kysely, { indexes })).toEqual({
      "metadata-index": "ready",
      "run-index": "ready",
    });
    const ofPartitions = `select from pg_inherits where inhparent in ('checkpoint_run_idx'::regclass, 'checkpoint_metadata_idx'::regclass)`;
    expect(await database.query(ofPartitions)).toHaveLength(8);
    expect(await createOptionalIndexes(kysely, { indexes })).toMatchObject({ "run-index": "ready" });
    expect(complaints(await examine(database), "indexes")).toEqual([]);
    await dropOptionalIndexes(kysely, { indexes });
    expect(await database.query("select from pg_class where relname ~ 'run_idx|metadata_idx'")).toEqual([]);
  });

  it.each(["auto", "force_custom_plan", "force_generic_plan"])(
    "calls of a thread scan only its partitions (plan_cache_mode %s)",
    async (mode) => {
      const filling = new PostgresSaver(database.source);
      await fill(filling);
      await filling.end();
      await database.exec("analyze");
      const pool = new pg.Pool({
        connectionString: database.source,
        application_name: SAVERS,
        max: 1,
        options: `-c plan_cache_mode=${mode}`,
      });
      const saver = new PostgresSaver(pool);
      await untilEnded(database);
      const before = await scans(database);
      // A session plans a statement five times before it may choose a generic plan.
      for (let round = 0; round < 8; round++) {
        const tuple = await saver.getTuple(threadConfig("a"));
        const config = tuple?.config ?? threadConfig("a");
        const stored = await putValues(saver, config, { list: [round] }, tuple?.checkpoint);
        await saver.putWrites(stored.config, [["list", 1]], "other");
        await saver.deleteThread("a");
      }
      await pool.end();
      await untilEnded(database);
      const after = await scans(database);
      const used = Object.keys(after).filter((name) => (after[name] ?? 0) > (before[name] ?? 0));
      expect(used.length).toBeGreaterThanOrEqual(TABLES.length);
      const parts = new Set(used.map((name) => name.replace(/^.*_hash4_/, "")));
      expect({ used, parts: parts.size }).toEqual({ used, parts: 1 });
    },
  );

  it("EXPLAIN shows that getTuple and put execute scans of one partition of each table", async () => {
    await using filling = new PostgresSaver(database.source);
    await fill(filling);
    const { pool, sent } = recordingPool(database.source);
    const saver = new PostgresSaver(pool);
    const tuple = await saver.getTuple(threadConfig("a"));
    if (tuple === undefined) throw new Error("no checkpoint");
    await putValues(saver, tuple.config, { list: [1] }, tuple.checkpoint);
    await pool.end();
    // The first call also asks which process of the server it has, and whether Citus distributes the tables.
    const ofCalls = sent.filter(({ text }) => !/pg_stat_get_activity|pg_dist_partition/.test(text));
    expect(ofCalls).toHaveLength(2);
    for (const { text, values } of ofCalls) {
      const rows = await database.query<{ "QUERY PLAN": string }>(`explain (analyze, costs off) ${text}`, [
        ...values,
      ]);
      const plan = rows.map((row) => row["QUERY PLAN"]);
      // Pending writes are found by the thread of the checkpoint, so their other partitions are in the plan, but never executed.
      const executed = plan.filter((line) => !line.includes("never executed")).join("\n");
      const parts = new Set([...executed.matchAll(/_hash4_(\d+)/g)].map(([, part]) => part));
      expect({ executed, isOne: parts.size <= 1 }).toEqual({ executed, isOne: true });
    }
  });
});

/** Waits until the sessions of savers have ended: each one reports its statistics before. */
async function untilEnded(database: TestDatabase): Promise<void> {
  await until(async () => {
    const sessions = await database.query(
      `select from pg_stat_activity where datname = current_database() and application_name = '${SAVERS}'`,
    );
    return sessions.length === 0;
  });
}

/** The number of scans of each partition, as the statistics count them. */
async function scans(database: TestDatabase): Promise<Record<string, number>> {
  // This session emptied the tables after the test before, and may report that much later.
  await database.exec(`
    do $$ begin
      if current_setting('server_version_num')::integer >= 150000 then perform pg_stat_force_next_flush(); end if;
    end $$`);
  await database.query("select pg_stat_clear_snapshot()");
  const rows = await database.query<{ name: string; scans: number }>(`
    select relname as name, (coalesce(idx_scan, 0) + seq_scan)::float8 as scans
    from pg_stat_user_tables where relname ~ '_hash4_'`);
  return Object.fromEntries(rows.map(({ name, scans: count }) => [name, count]));
}

interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A pool that records the statements with parameters. */
function recordingPool(connectionString: string): { pool: pg.Pool; sent: SentStatement[] } {
  const sent: SentStatement[] = [];
  const pool = new pg.Pool({ connectionString });
  pool.on("connect", (client) => {
    const query: (config: string | pg.QueryConfig) => Promise<pg.QueryResult> = client.query.bind(client);
    Object.assign(client, {
      query: (config: string | pg.QueryConfig) => {
        if (typeof config === "object") sent.push({ text: config.text, values: config.values ?? [] });
        return query(config);
      },
    });
  });
  return { pool, sent };
}
