import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { sql } from "kysely";
import { openDatabase, type OpenedDatabase } from "../../src/db/index.js";
import {
  distributeTables,
  distributionStatus,
  migrateDown,
  migrateToLatest,
  partitionTables,
  planDistribution,
  planPartitions,
  planUndistribution,
  undistributeTables,
} from "../../src/migrations/index.js";
import { pretendCitus } from "../../test-support/pretended-citus.js";
import { describeServer, onOneServer, type TestDatabase } from "../../test-support/targets.js";

const TABLES_OF_THREADS = ["checkpoint_tombstones", "checkpoints", "checkpoint_writes", "checkpoint_blobs"];
const ALL = [...TABLES_OF_THREADS, "checkpoint_migrations"];

onOneServer("it has another catalog", describeServer)("tables of savers, where there is Citus", (target) => {
  let database: TestDatabase<string>;
  let opened: OpenedDatabase;
  beforeEach(async () => {
    database = await target.migratedDatabase();
    await pretendCitus(database);
    opened = openDatabase(database.source);
  });
  afterEach(() => opened.close());

  /** Each table with where it is, its shards, and whether its rows are with those of `checkpoints`. */
  async function places(): Promise<Record<string, unknown>> {
    const { tables } = await distributionStatus(opened.kysely);
    const of = tables.find(({ table }) => table === "checkpoints")?.colocation;
    return Object.fromEntries(
      tables.map(({ table, placement, column, shards, colocation }) => [
        table,
        [placement, column, shards, colocation === of],
      ]),
    );
  }

  const local = ["local", null, 0, true];
  const onNodes = (shards: number) => ["distributed", "thread_id", shards, true];
  const onEach = ["reference", null, 1, false];
  const placed = (where: unknown, migrations: unknown) => ({
    ...Object.fromEntries(TABLES_OF_THREADS.map((table) => [table, where])),
    checkpoint_migrations: migrations,
  });

  it("are distributed and brought back, which both do nothing again", async () => {
    const { kysely: db } = opened;
    expect(await distributionStatus(db)).toMatchObject({ citus: "13.0-1", isCoordinator: true });
    expect(await places()).toEqual(placed(local, local));
    expect(await undistributeTables(db)).toEqual([]);
    expect(await distributeTables(db, { shards: 6 })).toEqual(ALL);
    expect(await places()).toEqual(placed(onNodes(6), onEach));
    expect(await planDistribution(db)).toEqual([]);
    await database
      .kysely()
      .transaction()
      .execute(async (migration) => {
        await sql`select pg_advisory_xact_lock(hashtextextended('langgraph-checkpoint-kysely public', 0))`.execute(
          migration,
        );
        // Nothing is to do, so nothing waits.
        expect(await distributeTables(db, { lockTimeoutMs: 30 })).toEqual([]);
      });
    expect(await planUndistribution(db)).toHaveLength(6);
    expect(await undistributeTables(db)).toEqual(ALL);
    expect(await places()).toEqual(placed(local, local));
  });

  it.each([1, 64_000])("may have %d shards", async (shards) => {
    const plan = await planDistribution(opened.kysely, { shards });
    expect(plan[1]).toContain(`colocate_with => 'none', shard_count => ${shards})`);
  });

  it.each([0, 1.5, 64_001])("can't have %d shards", async (shards) => {
    for (const call of [distributeTables, planDistribution])
      await expect(call(opened.kysely, { shards })).rejects.toThrow("must be a whole number from 1 to 64000");
  });

  it("are not distributed before they exist, but planned", async () => {
    const options = { schema: "later" };
    await expect(distributeTables(opened.kysely, options)).rejects.toThrow(
      'schema "later" lacks checkpoint_tombstones, checkpoints, checkpoint_writes, checkpoint_blobs',
    );
    expect(await planDistribution(opened.kysely, options)).toHaveLength(11);
  });

  it("get the tables of later migrations beside them, whose changes of shards are made one by one", async () => {
    const { kysely: db } = opened;
    const migrate = () =>
      db.transaction().execute(async (transaction) => {
        await migrateToLatest(transaction);
        const { rows } = await sql<{ mode: string | null }>`
          select nullif(current_setting('citus.multi_shard_modify_mode', true), '') as mode`.execute(
          transaction,
        );
        return rows[0]?.mode;
      });
    const revert = async () => {
      while ((await migrateDown(db)) !== "0005-create-tombstones");
    };
    await revert();
    expect(await migrate()).toBeNull();
    expect(await places()).toEqual(placed(local, local));
    await distributeTables(db, { shards: 3 });
    await revert();
    expect(await migrate()).toBe("sequential");
    expect(await places()).toEqual(placed(onNodes(3), onEach));
  });

  it("are not partitioned as well", async () => {
    const { kysely: db } = opened;
    await distributeTables(db);
    // A part of them is enough.
    await database.exec("select undistribute_table('checkpoints')");
    const message = 'Citus keeps the tables of schema "public" in shards';
    await expect(planPartitions(db, { layout: "hash:2" })).rejects.toThrow(message);
    await expect(partitionTables(db, { layout: "hash:2" })).rejects.toThrow(message);
  });

  it("are left to the coordinator", async () => {
    await database.exec(
      "set allow_system_table_mods = on; update pg_dist_local_group set groupid = 1; reset allow_system_table_mods",
    );
    await expect(distributeTables(opened.kysely)).rejects.toThrow("this server is a worker");
  });
});
