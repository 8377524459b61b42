import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { openDatabase, type OpenedDatabase } from "../../src/db/index.js";
import type { Finding } from "../../src/doctor/finding.js";
import { PostgresSaver } from "../../src/index.js";
import { distributeTables, migrateToLatest } from "../../src/migrations/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { TcpProxy } from "../../test-support/tcp-proxy.js";
import { describeCitus, describePglite, type TestDatabase } from "../../test-support/targets.js";
import { cliOn } from "../cli/cli.js";
import { examine } from "../cli/doctor/examine.js";

const SHARDS = 8;
/** It depends on the settings of the cluster. */
const OF_SETTINGS = "max_prepared_transactions ";

type NodeRow = Readonly<Record<"nodeid" | "nodeport", number> & Record<"nodename", string>>;

describeCitus("doctor on Citus", (target) => {
  let database: TestDatabase<string>;
  let opened: OpenedDatabase;

  beforeEach(async () => {
    database = await target.createDatabase();
    opened = openDatabase(database.source);
    await migrateToLatest(opened.kysely);
  });
  afterEach(() => opened.close());

  async function found(schema = "public"): Promise<Finding[]> {
    const findings = await examine(database, { schema });
    return findings.filter(({ check, message }) => check === "citus" && !message.startsWith(OF_SETTINGS));
  }

  /** The findings that are not `ok`. */
  async function complaints(): Promise<Finding[]> {
    return (await found()).filter(({ state }) => state !== "ok");
  }

  function workers(): Promise<NodeRow[]> {
    return database.query<NodeRow>(
      "select nodeid, nodename, nodeport from pg_dist_node where groupid <> 0 order by groupid",
    );
  }

  /** Runs what a remedy says: SQL, or commands of this library. */
  async function follow(remedy = ""): Promise<void> {
    const run = cliOn(database);
    for (const step of remedy.split(", then ")) {
      const [, ...words] = step.split(" ");
      if (step.startsWith("npx")) expect(await run(...words.slice(1))).toMatchObject({ code: 0 });
      else await database.exec(step);
    }
  }

  it("tells where the tables are: here, on the nodes by thread, or on one node with their schema", async () => {
    expect(await found()).toMatchObject([
      {
        state: "ok",
        message: expect.stringMatching(/^Citus \d+.*not distributed \(migrate --distribute\)$/),
      },
    ]);
    await distributeTables(opened.kysely, { shards: SHARDS });
    const addresses = (await workers()).map(({ nodename, nodeport }) => `${nodename}:${nodeport}`).join(", ");
    const message = expect.stringContaining(
      `tables in ${SHARDS} shards by thread_id, on the nodes ${addresses}`,
    );
    expect(await found()).toMatchObject([{ state: "ok", message }]);
    await database.exec("set citus.enable_schema_based_sharding to on; create schema tenant");
    await migrateToLatest(opened.kysely, { schema: "tenant" });
    expect(await found("tenant")).toMatchObject([
      { state: "ok", message: expect.stringContaining('schema "tenant" is on one of the nodes') },
    ]);
  });

  it.each([
    [
      "by another column",
      "select create_distributed_table('checkpoint_writes', 'task_id')",
      'table "checkpoint_writes" is distributed by task_id: its rows are not with those of their threads, so calls fail',
    ],
    [
      "to every node",
      "select create_reference_table('checkpoint_blobs')",
      'table "checkpoint_blobs" is a reference table: its rows are not with those of their threads, so calls fail',
    ],
    [
      "apart from the others",
      `select create_distributed_table('checkpoints', 'thread_id');
       select create_distributed_table('checkpoint_blobs', 'thread_id', colocate_with => 'none')`,
      /is not co-located with "checkpoint(s|_blobs)": a thread's rows are on several nodes, so calls fail$/,
    ],
    [
      "without the others",
      "select create_distributed_table('checkpoints', 'thread_id')",
      '"checkpoint_blobs", "checkpoint_tombstones", "checkpoint_writes" not distributed, although other tables are, so calls fail',
    ],
    [
      "without the record of the official savers",
      `select create_distributed_table('checkpoint_tombstones', 'thread_id');
       select create_distributed_table('checkpoints', 'thread_id');
       select create_distributed_table('checkpoint_writes', 'thread_id');
       select create_distributed_table('checkpoint_blobs', 'thread_id')`,
      '"checkpoint_migrations" exists on the coordinator only, so official savers can\'t use other nodes',
    ],
  ])(
    "reports tables that are distributed %s, with a remedy that puts all together",
    async (_, sql, message) => {
      await database.exec(sql);
      const findings = await complaints();
      expect(findings.map((finding) => finding.message)).toContainEqual(
        typeof message === "string" ? message : expect.stringMatching(message),
      );
      for (const { remedy } of findings) {
        if ((await complaints()).length > 0) await follow(remedy);
      }
      expect(await complaints()).toEqual([]);
    },
  );

  it("reports rows of before that Citus has left on this server, with a remedy that deletes them", async () => {
    await using saver = new PostgresSaver(database.source);
    await putValues(saver, threadConfig("a"), { list: [1] });
    await distributeTables(opened.kysely, { shards: SHARDS });
    await database.exec(`
      select undistribute_table('checkpoint_blobs');
      select create_distributed_table('checkpoint_blobs', 'thread_id', colocate_with => 'checkpoints')`);
    const [finding, ...others] = await complaints();
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      state: "warning",
      message: expect.stringMatching(/^table "checkpoint_blobs" has \d+ \w+ of rows on this server/),
    });
    await follow(finding?.remedy);
    expect(await complaints()).toEqual([]);
    expect(await database.query("select channel from checkpoint_blobs")).toEqual([{ channel: "list" }]);
  });

  it("reports a node that does not answer, with its address", async () => {
    await distributeTables(opened.kysely, { shards: SHARDS });
    const [, worker] = await workers();
    if (worker === undefined) throw new Error("needs two workers");
    const { nodeid, nodename, nodeport } = worker;
    const proxy = await TcpProxy.open(`postgres://${nodename}:${nodeport}`);
    const { hostname, port } = new URL(proxy.url);
    await database.query("select citus_update_node($1, $2, $3)", [nodeid, hostname, Number(port)]);
    try {
      expect(await complaints()).toEqual([]);
      await proxy.close();
      expect(await complaints()).toMatchObject([
        {
          state: "error",
          message: expect.stringContaining(
            `node ${hostname}:${port} does not answer, so the calls about its threads fail: `,
          ),
          remedy: expect.stringContaining("citus_update_node"),
        },
      ]);
    } finally {
      await database.query("select citus_update_node($1, $2, $3)", [nodeid, nodename, nodeport]);
    }
    expect(await complaints()).toEqual([]);
  });

  it("reports a node that is not active", async () => {
    const [, worker] = await workers();
    if (worker === undefined) throw new Error("needs two workers");
    const address = [worker.nodename, worker.nodeport];
    await database.query("select citus_remove_node($1, $2)", address);
    await database.query("select citus_add_inactive_node($1, $2)", address);
    await distributeTables(opened.kysely, { shards: SHARDS });
    const findings = await complaints();
    expect(findings).toMatchObject([
      { state: "warning", message: `node ${address.join(":")} is not active, so it gets no threads` },
    ]);
    const [{ remedy = "" } = {}] = findings;
    await follow(remedy.split(", then ")[0]);
    expect(await complaints()).toMatchObject([
      { message: expect.stringMatching(/^the nodes have unequal shares: Citus would move 4 of 8 shards$/) },
    ]);
  });

  it.each([
    [1, "1 shard on 2 nodes: 1 of them have no threads"],
    [4, "4 shards on 2 nodes: too few to share the threads equally, because shards move as a whole"],
  ])("reports %i shards as too few, with a remedy that makes more", async (shards, message) => {
    await distributeTables(opened.kysely, { shards });
    const [finding, ...others] = await complaints();
    expect({ finding, others }).toMatchObject({ finding: { state: "warning", message }, others: [] });
    await follow(finding?.remedy?.replace(/;.*/, ""));
    expect(await complaints()).toEqual([]);
  });

  it("reports shards that the nodes share unequally", async () => {
    await distributeTables(opened.kysely, { shards: SHARDS });
    await database.exec(MOVES_THREE_SHARDS);
    expect(await complaints()).toMatchObject([
      {
        state: "warning",
        message: `the nodes have unequal shares: Citus would move 3 of ${SHARDS} shards`,
        remedy: expect.stringContaining("select citus_rebalance_start()"),
      },
    ]);
    await database.exec("select rebalance_table_shards(shard_transfer_mode => 'block_writes')");
    expect(await complaints()).toEqual([]);
  });

  it("reports settings that cost a connection for each call, or allow more of them than a node accepts", async () => {
    await distributeTables(opened.kysely, { shards: SHARDS });
    const name = new URL(database.source).pathname.slice(1);
    await database.exec(`alter database ${name} set citus.max_cached_conns_per_worker = 0`);
    await database.exec("alter system set citus.max_shared_pool_size = 100000");
    await database.exec("select pg_reload_conf()");
    try {
      const messages = (await complaints()).map(({ message }) => message);
      expect(messages).toEqual([
        ...(await workers()).map(({ nodename, nodeport }) =>
          expect.stringMatching(
            `^node ${nodename}:${nodeport} accepts \\d+ connections, but this server may open 100000`,
          ),
        ),
        "citus.max_cached_conns_per_worker is 0, so every call opens a connection to the node of its thread",
      ]);
    } finally {
      await database.exec("alter system reset citus.max_shared_pool_size");
      await database.exec("select pg_reload_conf()");
      await database.exec(`alter database ${name} reset citus.max_cached_conns_per_worker`);
    }
  });

  it("health tells whether the tables are distributed", async () => {
    await using saver = new PostgresSaver(database.source);
    expect(await saver.health()).toMatchObject({ ok: true, isDistributed: false });
    await distributeTables(opened.kysely, { shards: SHARDS });
    expect(await saver.health()).toMatchObject({ ok: true, isDistributed: true });
  });
});

/** Moves three shards of the first node, with those of all tables that belong to the same threads, to the other one. */
const MOVES_THREE_SHARDS = `
  select citus_move_shard_placement(
    shardid, moved.nodename, moved.nodeport, target.nodename, target.nodeport, 'block_writes'
  )
  from (
    select shardid, nodename, nodeport from pg_dist_shard
    join pg_dist_placement using (shardid) join pg_dist_node using (groupid)
    where logicalrelid = 'checkpoints'::regclass
      and groupid = (select min(groupid) from pg_dist_node where groupid <> 0)
    order by shardid limit 3
  ) moved,
  (select nodename, nodeport from pg_dist_node order by groupid desc limit 1) target`;

describePglite("doctor and health without Citus", (target) => {
  it("tell nothing about it", async () => {
    const database = await target.sharedDatabase();
    expect((await examine(database)).filter(({ check }) => check === "citus")).toEqual([]);
    await using saver = new PostgresSaver(database.source);
    const { ok, isDistributed } = await saver.health();
    expect({ ok, isDistributed }).toEqual({ ok: true, isDistributed: undefined });
  });
});
