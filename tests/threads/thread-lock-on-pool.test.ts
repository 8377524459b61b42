import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { DatabaseSource } from "../../src/db/opened-database.js";
import { type CheckpointDatabase, PostgresSaver } from "../../src/index.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { Gate } from "../../test-support/gate.js";
import { OTHER_CLIENTS, untilConnections, untilLocks } from "../../test-support/held-locks.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { Opened } from "../saver/opened.js";
import { until } from "../../test-support/until.js";

describeServer("the lock of a thread, on a passed-in pool,", (target) => {
  let database: TestDatabase<string>;
  let thread: string;
  const opened = new Opened();

  beforeEach(async () => {
    database = await target.createDatabase();
    thread = newThread();
  });
  afterEach(() => opened.end());

  function openSaver(source: DatabaseSource = database.source): PostgresSaver {
    return opened.saver(source);
  }

  function openPool(options: pg.PoolConfig = {}): pg.Pool {
    return opened.pool({ connectionString: database.source, ...options });
  }

  it("serves 50 callers that query a pool of 2 while they hold it", async () => {
    const pool = openPool({ max: 2 });
    const saver = openSaver(pool);
    await saver.setup();
    const threads = Array.from({ length: 10 }, newThread);
    let steps = 0;
    await Promise.all(
      Array.from({ length: 50 }, (_, n) => {
        const thread_id = threads[n % threads.length] ?? "";
        return saver.withThreadLock(thread_id, async () => {
          const tuple = await saver.getTuple(threadConfig(thread_id));
          const count = Number(tuple?.checkpoint.channel_values.count ?? 0);
          await putValues(saver, threadConfig(thread_id), { count: count + 1 }, tuple?.checkpoint);
          steps++;
        });
      }),
    );
    expect(steps).toBe(50);
    // Each call has read what the previous one wrote.
    const counts = await saver.getChannelValues({ threadIds: threads, channel: "count" });
    expect([...counts.values()]).toEqual(threads.map(() => 5));
  });

  it("uses one connection for all held locks, and none without a held lock", async () => {
    const pool = openPool({ max: 1, application_name: "agents" });
    const [saver, other] = [openSaver(pool), openSaver(pool)];
    await pool.query("select 1");
    const left = new Gate();
    const held = Array.from({ length: 20 }, (_, n) =>
      (n % 2 === 0 ? saver : other).withThreadLock(newThread(), () => left.opened),
    );
    await untilLocks(database, 20);
    await untilConnections(database, 2);
    expect(
      await database.query(
        "select distinct application_name from pg_stat_activity where application_name = 'agents'",
      ),
    ).toHaveLength(1);
    left.open();
    await Promise.all(held);
    await untilConnections(database, 1);
  });

  it("passes to the next caller in the process without another connection", async () => {
    const pool = openPool();
    const saver = openSaver(pool);
    let connections = 0;
    class CountedClient extends pg.Client {
      constructor(config?: pg.ClientConfig) {
        super(config);
        connections++;
      }
    }
    Object.assign(pool, { Client: CountedClient });
    await Promise.all(Array.from({ length: 20 }, () => saver.withThreadLock(thread, () => "ran")));
    expect(connections).toBe(1);
    await untilConnections(database, 0);
  });

  it("is refused on an ended pool", async () => {
    const pool = new pg.Pool({ connectionString: database.source });
    await pool.end();
    await expect(openSaver(pool).withThreadLock(thread, () => 1)).rejects.toMatchObject({
      code: "CONNECTION_FAILED",
      transient: false,
    });
  });

  it("uses one connection of a passed-in Kysely, and returns it without a lock", async () => {
    const pool = openPool({ max: 2 });
    const db = new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
    const [saver, other] = [openSaver(db), openSaver()];
    await saver.setup();
    await saver.withThreadLock(thread, async () => {
      await putValues(saver, threadConfig(thread), { a: 1 });
      await expect(other.withThreadLock(thread, () => 1, { waitMs: 0 })).rejects.toThrow();
    });
    expect(await other.withThreadLock(thread, () => "ran", { waitMs: 0 })).toBe("ran");
    await until(() => pool.idleCount >= pool.totalCount);
    await untilLocks(database, 0);
    await until(
      async () => (await database.query(`select ${OTHER_CLIENTS} and state <> 'idle'`)).length === 0,
    );
    expect(await database.query(`select distinct state ${OTHER_CLIENTS}`)).toEqual([{ state: "idle" }]);
  });
});
