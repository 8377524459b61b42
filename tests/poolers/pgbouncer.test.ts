import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { PostgresSaver } from "../../src/index.js";
import {
  allVersions,
  checkpointOf,
  collect,
  listIds,
  metadataOf,
  newThread,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import type { TestDatabase } from "../../test-support/targets.js";
import { describePgBouncer } from "./describe-pgbouncer.js";
import { PgBouncer } from "./pgbouncer.js";
import { until } from "../../test-support/until.js";

const POOL_SIZE = 3;
const THREADS = 50;
const STEPS = 4;

describePgBouncer("a saver", (target) => {
  let database: TestDatabase<string>;
  let pooler: PgBouncer;

  beforeEach(async () => {
    database = await target.sharedDatabase();
    pooler = await PgBouncer.open(database.source, { poolSize: POOL_SIZE });
  });
  afterEach(() => pooler.close());

  /**
   * A saver whose pool is larger than the pooler's, so that its connections share server connections all the
   * time.
   */
  function openSaver(options: { prepare?: boolean } = {}): PostgresSaver {
    return new PostgresSaver({ connectionString: pooler.url, max: 20 }, undefined, options);
  }

  /** Runs super-steps of one thread and reads each back. Returns the ids of its checkpoints, newest first. */
  async function runThread(saver: PostgresSaver, thread_id: string): Promise<string[]> {
    const ids: string[] = [];
    let config = threadConfig(thread_id);
    for (let step = 0; step < STEPS; step++) {
      const values = { thread_id, log: [thread_id, step] };
      const next = await putValues(saver, config, values);
      await saver.putWrites(next.config, [["log", step]], `task ${step}`);
      const tuple = await saver.getTuple(next.config);
      expect(tuple?.checkpoint.channel_values).toEqual(values);
      expect(tuple?.pendingWrites).toEqual([[`task ${step}`, "log", step]]);
      config = next.config;
      ids.unshift(next.checkpoint.id);
    }
    expect(await listIds(saver.list(threadConfig(thread_id)))).toEqual(ids);
    return ids;
  }

  describe.each([
    ["with the default options", {}],
    ["without prepared statements", { prepare: false }],
  ])("%s", (_which, options) => {
    it("migrates once when many savers do it concurrently", async () => {
      const savers = Array.from({ length: 8 }, () => openSaver(options));
      await Promise.all(savers.map((saver) => saver.setup()));
      await Promise.all(savers.map((saver) => saver.end()));
      const [{ steps } = {}] = await database.query(
        "select count(*)::int as steps from checkpoint_kysely_migration",
      );
      expect(steps).toBeGreaterThan(0);
    });

    it("stores, reads, lists, batches and deletes", async () => {
      await using saver = openSaver(options);
      await saver.setup();
      const [kept, deleted] = [newThread(), newThread()];
      const ids = await runThread(saver, kept);
      await runThread(saver, deleted);
      const batched = checkpointOf(saver, { title: "batched" });
      await saver.batch(async (batch) => {
        await batch.deleteThread(deleted);
        await batch.put(threadConfig(kept), batched, metadataOf(), allVersions(batched));
      });
      expect(await listIds(saver.list({}))).toEqual([batched.id, ...ids]);
      expect(await saver.getChannelValues({ threadIds: [kept], channel: "title" })).toEqual(
        new Map([[kept, "batched"]]),
      );
      const config = threadConfig(kept, { checkpoint_id: ids[0] });
      const { log } = await saver.getDeltaChannelHistory({ config, channels: ["log"] });
      expect(log?.seed).toEqual([kept, STEPS - 2]);
      await saver.deleteThread(kept);
      expect(await collect(saver.list({}))).toEqual([]);
    });

    it(`runs ${THREADS} threads at once over ${POOL_SIZE} connections to the server`, async () => {
      await using saver = openSaver(options);
      await saver.setup();
      const threads = Array.from({ length: THREADS }, newThread);
      await Promise.all(threads.map((thread) => runThread(saver, thread)));
      expect(await collect(saver.list({}))).toHaveLength(THREADS * STEPS);
      expect(await serverConnections()).toBeLessThanOrEqual(POOL_SIZE);
    });

    it("loses nothing when the pooler is killed and started again", async () => {
      await using saver = openSaver(options);
      await saver.setup();
      const threads = Array.from({ length: THREADS }, newThread);
      const runs = threads.map((thread) => runThread(saver, thread));
      await until(async () => (await stored()) > THREADS / 2);
      await pooler.stop();
      await pooler.start();
      await Promise.all(runs);
      expect(await stored()).toBe(THREADS * STEPS);
    });

    it("loses nothing when the connections behind the pooler are ended", async () => {
      await using saver = openSaver(options);
      await saver.setup();
      const threads = Array.from({ length: THREADS }, newThread);
      const runs = threads.map((thread) => runThread(saver, thread));
      for (const part of [0.25, 0.5]) {
        await until(async () => (await stored()) > THREADS * STEPS * part);
        await database.query(`select pg_terminate_backend(pid) from (${POOLED}) as pooled`);
      }
      await Promise.all(runs);
      expect(await stored()).toBe(THREADS * STEPS);
    });

    it("leaves no lock and no setting on a shared connection (C12)", async () => {
      await using saver = openSaver(options);
      await saver.setup();
      await runThread(saver, newThread());
      const clients = Array.from(
        { length: POOL_SIZE },
        () => new pg.Client({ connectionString: pooler.url }),
      );
      await Promise.all(clients.map((client) => client.connect()));
      // An open transaction on each client, so that the pooler gives each another connection.
      await Promise.all(clients.map((client) => client.query("begin")));
      const pids = new Set<number>();
      for (const client of clients) {
        const { rows } = await client.query<{ pid: number; lock_timeout: string }>(SESSION);
        expect(rows).toEqual([{ pid: expect.any(Number), lock_timeout: "0", locks: 0 }]);
        for (const { pid } of rows) pids.add(pid);
      }
      expect(pids.size).toBe(POOL_SIZE);
      await Promise.all(clients.map((client) => client.end()));
    });
  });

  const POOLED = `select pid from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`;

  const SESSION = `select pg_backend_pid() as pid, current_setting('lock_timeout') as lock_timeout,
    (select count(*)::int from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())) as locks`;

  async function serverConnections(): Promise<number> {
    return (await database.query(POOLED)).length;
  }

  async function stored(): Promise<number> {
    const [{ count } = { count: 0 }] = await database.query<{ count: number }>(
      "select count(*)::int as count from checkpoints",
    );
    return count;
  }
});
