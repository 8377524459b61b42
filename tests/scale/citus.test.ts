import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { PostgresConversations } from "../../src/conversations/index.js";
import { openDatabase, type OpenedDatabase } from "../../src/db/index.js";
import { PostgresSaver } from "../../src/index.js";
import {
  distributeTables,
  distributionStatus,
  migrateDown,
  migrateToLatest,
  planDistribution,
  undistributeTables,
} from "../../src/migrations/index.js";
import { collect, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { memoryArchive } from "../../test-support/memory-archive.js";
import { OFFICIAL_MIGRATIONS } from "../../test-support/official-migrations.js";
import { recordStatements, type SentStatement } from "../../test-support/recorded-statements.js";
import { dumpSchema } from "../../test-support/schema-dump.js";
import { describeCitus, describePglite, type TestDatabase } from "../../test-support/targets.js";
import { cliOn } from "../cli/cli.js";
import { MIGRATION_NAMES } from "../../src/migrations/steps/saver-steps.js";

const THREADS = ["a", "b", "c", "d", "e", "f", "g", "h"];
const TABLES = ["checkpoint_tombstones", "checkpoints", "checkpoint_writes", "checkpoint_blobs"];
const CONVERSATIONS = "checkpoint_conversations";

/** Stores a checkpoint with a value and a write in each thread. */
async function fill(database: TestDatabase): Promise<void> {
  await using saver = new PostgresSaver(database.source);
  await saver.setup();
  for (const thread of THREADS) {
    const { config } = await putValues(saver, threadConfig(thread), { list: [thread] });
    await saver.putWrites(config, [["list", thread]], "task");
  }
}

describeCitus("migrate --distribute", (target) => {
  let database: TestDatabase<string>;
  let opened: OpenedDatabase;

  beforeEach(async () => {
    database = await target.createDatabase();
    opened = openDatabase(database.source);
  });
  afterEach(() => opened.close());

  it("moves the rows of each thread to one node, leaves nothing behind, and does nothing again", async () => {
    await fill(database);
    const { kysely: db } = opened;
    expect(await distributeTables(db, { shards: 6 })).toEqual([...TABLES, "checkpoint_migrations"]);
    expect(await distributeTables(db)).toEqual([]);
    const { tables } = await distributionStatus(db);
    const [{ colocation } = { colocation: 0 }] = tables;
    expect(tables.filter(({ placement }) => placement !== "reference")).toMatchObject(
      [...TABLES].sort().map((table) => ({ table, placement: "distributed", shards: 6, colocation })),
    );
    // Each thread is on one node, and the nodes share the threads.
    const nodes = await database.query<{ nodes: number }>(`
      select count(distinct nodeport)::integer as nodes from pg_dist_placement
      join pg_dist_node using (groupid) join pg_dist_shard using (shardid)
      where logicalrelid = 'checkpoints'::regclass`);
    expect(nodes).toEqual([{ nodes: 2 }]);
    await using saver = new PostgresSaver(database.source);
    for (const thread of THREADS) {
      expect(await saver.getTuple(threadConfig(thread))).toMatchObject({
        checkpoint: { channel_values: { list: [thread] } },
        pendingWrites: [["task", "list", thread]],
      });
    }
  });

  it("leaves tables that a migration changes in the same transaction in which it creates the tables of a store", async () => {
    await fill(database);
    const { kysely: db } = opened;
    await distributeTables(db);
    const reverted = await migrateDown(db);
    expect(await migrateToLatest(db, { with: ["store"] })).toContain(reverted);
  });

  it("is undone by --undistribute, with the same tables and rows", async () => {
    await fill(database);
    const { kysely: db } = opened;
    const rows = "select * from checkpoint_blobs order by thread_id, channel";
    const before = [await dumpSchema(database), await database.query(rows)];
    await distributeTables(db);
    expect(await undistributeTables(db)).toEqual([...TABLES, "checkpoint_migrations"]);
    expect([await dumpSchema(database), await database.query(rows)]).toEqual(before);
    expect(await undistributeTables(db)).toEqual([]);
  });

  it("is the SQL of its plan", async () => {
    await migrateToLatest(opened.kysely);
    const plan = await planDistribution(opened.kysely, { shards: 3 });
    await database.exec(["begin", ...plan, "commit"].join(";"));
    expect(await planDistribution(opened.kysely, { shards: 3 })).toEqual([]);
  });

  it("takes the tables of official savers, whose keys have another collation than our table", async () => {
    for (const migration of OFFICIAL_MIGRATIONS) await database.query(migration.replace("CONCURRENTLY", ""));
    await fill(database);
    await distributeTables(opened.kysely);
    const { tables } = await distributionStatus(opened.kysely);
    expect(
      new Set(tables.map(({ placement, colocation }) => placement === "distributed" && colocation)).size,
    ).toBe(2);
    expect(tables.flatMap(({ collation }) => collation ?? [])).toEqual(Array(4).fill("default"));
  });

  it("is followed by later migrations, which distribute a table that they create", async () => {
    await fill(database);
    await distributeTables(opened.kysely);
    while ((await migrateDown(opened.kysely)) !== MIGRATION_NAMES[4]);
    await migrateToLatest(opened.kysely);
    const { tables } = await distributionStatus(opened.kysely);
    expect(new Set(tables.map(({ colocation }) => colocation)).size).toBe(2);
    await using saver = new PostgresSaver(database.source);
    expect((await saver.getTuple(threadConfig("a")))?.checkpoint.channel_values).toEqual({ list: ["a"] });
  });

  it("refuses a worker, another number of shards, tables elsewhere, and a schema on one node", async () => {
    const { kysely: db } = opened;
    await expect(distributeTables(db)).rejects.toThrow("lacks checkpoint_tombstones, checkpoints");
    await migrateToLatest(db);
    const worker = openDatabase(await workerUrl(database));
    await expect(distributeTables(worker.kysely)).rejects.toThrow("connect to the coordinator");
    await worker.close();
    await database.exec("select create_distributed_table('checkpoint_writes', 'task_id')");
    await expect(distributeTables(db)).rejects.toThrow(
      /distributes checkpoint_writes in another way.*--undistribute/,
    );
    await undistributeTables(db);
    await distributeTables(db, { shards: 2 });
    await expect(distributeTables(db, { shards: 4 })).rejects.toThrow(/2 shards.*alter_distributed_table/);
    await database.exec("set citus.enable_schema_based_sharding to on; create schema tenant");
    await migrateToLatest(db, { schema: "tenant" });
    await expect(distributeTables(db, { schema: "tenant" })).rejects.toThrow("on one node");
  });

  it("is what the command runs, checks, plans and shows", async () => {
    const run = cliOn(database);
    expect((await run("migrate", "--distribute", "--plan")).stdout).toContain("create_distributed_table");
    await run("migrate");
    expect(await run("migrate", "--check", "--distribute")).toMatchObject({ code: 1 });
    const { stdout } = await run("migrate", "--distribute", "--shards", "5");
    expect(stdout).toContain("distributed checkpoints\n");
    expect(await run("migrate", "--check", "--distribute")).toMatchObject({ code: 0 });
    expect((await run("migrate", "status")).stdout).toMatch(/checkpoint_blobs +distributed +5 +\d+\n/);
    expect(await run("migrate", "--check", "--undistribute")).toMatchObject({ code: 1 });
    expect((await run("migrate", "--plan", "--undistribute")).stdout).toMatch(
      /^select undistribute_table\(.*checkpoints/m,
    );
    expect((await run("migrate", "--undistribute")).stdout).toContain("undistributed checkpoints\n");
    expect(await run("migrate", "--check", "--undistribute")).toMatchObject({ code: 0 });
  });
});

describeCitus("conversations, which are added to distributed tables", (target) => {
  const OLD = "update checkpoint_conversations set updated_at = '2026-01-01'";

  it("are on the nodes of their threads for all of their life, and back on one server keep up with checkpoints again", async () => {
    const database = await target.createDatabase();
    await fill(database);
    const opened = openDatabase(database.source);
    const { kysely: db } = opened;
    await distributeTables(db, { shards: 4 });
    await using threads = new PostgresConversations(database.source);
    await using saver = new PostgresSaver(database.source);
    await threads.setup();
    expect(await migrateDown(db)).toBe("conversations-0001-create-conversations");
    await threads.setup();
    const { tables } = await distributionStatus(db);
    const ofThreads = tables.filter(({ placement }) => placement === "distributed");
    expect(ofThreads.map(({ table }) => table)).toEqual([...TABLES, CONVERSATIONS].sort());
    expect(new Set(ofThreads.map(({ colocation }) => colocation)).size).toBe(1);

    for (const id of [...THREADS, "empty"]) await threads.set(id, { kind: "put", metadata: { owner: id } });
    await threads.set("a", { kind: "patch", metadata: { title: "A trip to Rome" } });
    await database.exec(OLD);
    await threads.touch("b");
    const found = await collect(threads.search({ limit: 3, exactTotal: true }));
    expect(found.map(({ thread, total }) => [thread.thread_id, total])).toEqual([
      ["b", 9],
      ["h", 9],
      ["g", 9],
    ]);
    const ofAlice = await collect(threads.search({ title: "rome", metadata: { owner: "a" } }));
    expect(ofAlice).toMatchObject([{ thread: { thread_id: "a" } }]);

    await saver.copyThread("a", "copy");
    expect((await threads.get("copy")).metadata).toEqual({ owner: "a", title: "A trip to Rome" });
    const lines = await collect(saver.exportThreads());
    const archive = memoryArchive();
    await saver.archive({ to: archive, strategy: "delete", threads: ["a"] });
    await saver.prune(["b"], { strategy: "delete" });
    await threads.delete("empty");
    await saver.deleteThread("c");
    expect((await collect(threads.search())).length).toBe(6);
    await saver.restore({ from: archive });
    expect(await saver.importThreads(lines)).toMatchObject({ threads: 10, damaged: [] });
    expect((await collect(threads.search())).length).toBe(10);
    expect((await saver.verify()).problems).toEqual([]);

    await undistributeTables(db);
    await database.exec(OLD);
    const { updated_at: before } = await threads.get("a");
    await putValues(saver, threadConfig("a"), { list: ["local"] });
    expect((await threads.get("a")).updated_at.getTime()).toBeGreaterThan(before.getTime());
    expect(await distributeTables(db, { shards: 2 })).toContain(CONVERSATIONS);
    await putValues(saver, threadConfig("a"), { list: ["on nodes"] });
    await opened.close();
  });
});

describeCitus("on distributed tables", (target) => {
  it("getTuple, put, putWrites and deleteThread are sent to the one shard of the thread", async () => {
    const database = await target.createDatabase();
    await fill(database);
    const opened = openDatabase(database.source);
    await distributeTables(opened.kysely, { shards: 8 });
    await opened.close();
    await using threads = new PostgresConversations(database.source);
    await threads.setup();
    await threads.set("a", { kind: "put" });
    await using recording = recordStatements(database.source);
    const { kysely, sent } = recording;
    const saver = new PostgresSaver(kysely);
    const config = threadConfig("a");
    // What it asks once is not what is tested.
    await saver.getTuple(config);
    const explained: Record<string, string[]> = {};
    const record = async (name: string, call: () => Promise<unknown>): Promise<void> => {
      sent.length = 0;
      await call();
      const statements = sent.filter(({ text }) => !OF_TRANSACTIONS.test(text));
      explained[name] = await Promise.all(statements.map((statement) => explain(database, statement)));
    };
    const { config: stored } = await putValues(saver, config, { list: ["first"] });
    await record("put", () => putValues(saver, stored, { list: ["next"] }));
    await record("putWrites", () => saver.putWrites(stored, [["list", 1]], "other"));
    await record("getTuple", () => saver.getTuple(config));
    await record("deleteThread", () => saver.deleteThread("a"));
    for (const [name, tasks] of Object.entries(explained)) {
      expect({ name, tasks }).toEqual({ name, tasks: tasks.map(() => "1 task") });
      expect(tasks.length).toBeGreaterThan(0);
    }
  });
});

describePglite("without Citus", (target) => {
  it("tables can't be distributed, and a status says that there is none", async () => {
    const { source } = await target.sharedDatabase();
    const { kysely: db, close } = openDatabase(source);
    expect(await distributionStatus(db)).toEqual({
      schema: "public",
      citus: null,
      isCoordinator: false,
      tables: [],
    });
    await expect(distributeTables(db)).rejects.toThrow("does not have the extension `citus`");
    await expect(distributeTables(db, { shards: 0 })).rejects.toThrow("a whole number from 1 to 64000");
    await close();
  });
});

const OF_TRANSACTIONS = /^(?:begin|start|commit|rollback|set|savepoint|release)\b/i;

/** How many tasks on shards a statement has. Statements on no distributed table count as one. */
async function explain(database: TestDatabase, { text, parameters }: SentStatement): Promise<string> {
  const rows = await database.query<{ "QUERY PLAN": string }>(`explain ${text}`, [...parameters]);
  const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
  const counts = [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count));
  const total = counts.reduce((sum, count) => sum + count, 0);
  return total <= 1 && !plan.includes("Distributed Subplan") ? "1 task" : `${text}\n${plan}`;
}

async function workerUrl(database: TestDatabase<string>): Promise<string> {
  const [node] = await database.query<{ nodename: string; nodeport: number }>(
    "select nodename, nodeport from pg_dist_node where groupid <> 0 limit 1",
  );
  const url = new URL(database.source);
  url.hostname = node?.nodename ?? "";
  url.port = String(node?.nodeport);
  return url.href;
}
