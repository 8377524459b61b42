import { expect, it } from "@jest/globals";
import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import { openDatabase } from "../../src/db/index.js";
import {
  type CheckpointDatabase,
  ConnectionError,
  type DatabaseSource,
  InvalidConfigError,
  PostgresSaver,
} from "../../src/index.js";
import {
  metadataOf,
  checkpointOf,
  newThread,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { observedPool } from "../../test-support/round-trips.js";
import { TcpProxy } from "../../test-support/tcp-proxy.js";
import { describeEachTarget, describePglite, describeServer } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";
import { waitingBackends, whileWritesWait } from "./late/waiting-backends.js";

describeEachTarget("a saver", (target) => {
  it("can be closed before its first use", async () => {
    const saver = PostgresSaver.fromConnString("postgres://127.0.0.1:1/none");
    await expect(saver.end()).resolves.toBeUndefined();
  });

  it("commits together with the application's rows, or not at all", async () => {
    interface App {
      orders: { id: number };
    }
    const database = await target.createDatabase();
    const db = database.kysely<App & CheckpointDatabase>();
    await new PostgresSaver(db).setup();
    await database.exec("create table orders (id integer)");
    const thread = newThread();

    const order = async (fail: boolean) =>
      db.transaction().execute(async (transaction) => {
        await transaction.insertInto("orders").values({ id: 1 }).execute();
        const saver = new PostgresSaver(transaction);
        await putValues(saver, threadConfig(thread), { a: 1 });
        await saver.end();
        if (fail) throw new Error("out of stock");
      });

    await expect(order(true)).rejects.toThrow("out of stock");
    expect(await new PostgresSaver(db).getTuple(threadConfig(thread))).toBeUndefined();
    await order(false);
    expect((await new PostgresSaver(db).getTuple(threadConfig(thread)))?.checkpoint.channel_values).toEqual({
      a: 1,
    });
    expect(await db.selectFrom("orders").selectAll().execute()).toEqual([{ id: 1 }]);
  });

  it("does not show its connections in JSON", async () => {
    const { source } = await target.createDatabase();
    expect(JSON.stringify({ saver: new PostgresSaver(source) })).toBe('{"saver":"[PostgresSaver]"}');
  });
});

describeServer("a saver on a pool", (target) => {
  it("never closes a passed-in pool, with the constructor arguments of the official saver", async () => {
    const pool = new pg.Pool({ connectionString: (await target.createDatabase()).source });
    const saver = new PostgresSaver(pool, undefined, { schema: "my-schema" });
    await saver.setup();
    await putValues(saver, threadConfig("t"), { a: 1 });
    await saver.end();
    const { rows } = await pool.query('select thread_id from "my-schema".checkpoints');
    expect(rows).toEqual([{ thread_id: "t" }]);
    await pool.end();
  });

  it.each([
    ["the saver", (saver: PostgresSaver) => saver.end()],
    ["the owner of the pool", (_saver: PostgresSaver, pool: pg.Pool | undefined) => pool?.end()],
  ])("rejects the calls that wait for a connection when %s ends the pool", async (who, end) => {
    const database = await target.createDatabase();
    const config = { connectionString: database.source, max: 2 };
    const pool = who === "the saver" ? undefined : new pg.Pool(config);
    const saver = new PostgresSaver(pool ?? config);
    await saver.setup();
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const timersBefore = timers();
    const thread = newThread();
    const { calls, ended } = await whileWritesWait(database, async () => {
      const calls = Array.from({ length: 20 }, (_, call) =>
        // Too large to share a statement.
        putValues(saver, threadConfig(`${thread}-${call}`), { a: "x".repeat(100_000) }),
      );
      const settled = Promise.allSettled(calls);
      await until(async () => (await waitingBackends(database)).length === 2);
      return { calls: settled, ended: Promise.resolve(end(saver, pool)) };
    });
    const refused = (await calls).filter((call) => call.status === "rejected");
    await ended;
    expect(refused.length).toBeGreaterThan(0);
    // A timer for each of them would keep the process alive for a minute.
    expect(timers() - timersBefore).toBeLessThan(refused.length / 2);
    for (const { reason } of refused) {
      expect(reason).toBeInstanceOf(ConnectionError);
      expect(reason).toMatchObject({ transient: false });
    }
  });

  it("never closes a passed-in Kysely", async () => {
    const pool = new pg.Pool({ connectionString: (await target.createDatabase()).source });
    const db = new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
    const saver = new PostgresSaver(db);
    await saver.setup();
    await saver.end();
    expect(await db.selectFrom("checkpoints").selectAll().execute()).toEqual([]);
    await db.destroy();
  });

  it("closes the pool that it opened at the end of an await using block", async () => {
    const { source } = await target.createDatabase();
    let used: PostgresSaver;
    {
      await using saver = new PostgresSaver({ connectionString: source, application_name: "mine" });
      await saver.setup();
      used = saver;
    }
    await expect(used.setup()).rejects.toThrow();
    await expect(used.deleteThread("t")).rejects.toMatchObject({ code: "CONNECTION_FAILED" });
  });

  it("can be closed while it waits for a silent server", async () => {
    const proxy = await TcpProxy.open((await target.createDatabase()).source);
    proxy.stall();
    const saver = new PostgresSaver(proxy.url);
    const waiting = expect(saver.setup()).rejects.toMatchObject({ code: "CONNECTION_FAILED" });
    await until(async () => (await saver.health({ signal: AbortSignal.timeout(1) })).pool?.total !== 0);
    await saver.end();
    await waiting;
    await proxy.close();
  });

  it("sets the application name of its connections, unless the caller has set one", async () => {
    const { source } = await target.createDatabase();
    const nameOf = async (of: DatabaseSource): Promise<unknown> => {
      const { kysely, close } = openDatabase(of);
      const { rows } = await sql<{ name: string }>`
        select application_name as name from pg_stat_activity where pid = pg_backend_pid()`.execute(kysely);
      await close();
      return rows[0]?.name;
    };
    const named = new URL(source);
    named.searchParams.set("application_name", "mine");
    expect(await nameOf(source)).toBe("langgraph-checkpoint-kysely");
    expect(await nameOf(named.href)).toBe("mine");
    expect(await nameOf({ connectionString: source, application_name: "mine" })).toBe("mine");
    process.env.PGAPPNAME = "service";
    expect(await nameOf(source)).toBe("service");
    delete process.env.PGAPPNAME;
    const pool = new pg.Pool({ connectionString: source });
    expect(await nameOf(pool)).toBe("");
    await pool.end();
  });

  it("closes all connections that it opened", async () => {
    const database = await target.createDatabase();
    const owner = new PostgresSaver(database.source);
    await owner.setup();
    await owner.end();
    const connections = () =>
      database.query(
        "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
      );
    // The server notices slightly after the client.
    const untilNobodyIsConnected = () => until(async () => (await connections()).length === 0);
    await untilNobodyIsConnected();
    const reader = new PostgresSaver({ connectionString: database.source, idleTimeoutMillis: 0 });
    await reader.getTuple(threadConfig("t"));
    expect(await connections()).toHaveLength(1);
    await reader.end();
    await untilNobodyIsConnected();
  });

  it("survives when the server ends its connections, idle and in use", async () => {
    const database = await target.createDatabase();
    const pool = new pg.Pool({ connectionString: database.source, max: 2 });
    const saver = new PostgresSaver(pool);
    await saver.setup();
    const { config } = await putValues(saver, threadConfig("t"), { a: 1 });
    for (let round = 0; round < 3; round++) {
      const lost = new Promise((resolve) => pool.once("remove", resolve));
      await database.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
      );
      // Running while the backends end. It is retried on new ones.
      expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({ a: 1 });
      await lost;
      await saver.putWrites(config, [["a", round]], `task-${round}`);
    }
    expect((await saver.getTuple(config))?.pendingWrites).toHaveLength(3);
    await saver.end();
    await pool.end();
  });

  it("gives up after its retries if no server answers, with the driver's error as the cause", async () => {
    const saver = new PostgresSaver("postgres://127.0.0.1:1/none", undefined, {
      retry: { maxElapsedMs: 50 },
    });
    const error = await saver.getTuple(threadConfig("t")).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ transient: true, cause: { code: "ECONNREFUSED" } });
    await saver.end();
  });

  it("does not retry in a passed-in transaction, which its first error has ended", async () => {
    const database = await target.createDatabase();
    const db = database.kysely<CheckpointDatabase>();
    await new PostgresSaver(db).setup();
    await database.exec(`
      create function fail() returns boolean language plpgsql as $$
        begin raise exception 'transient' using errcode = 'serialization_failure'; end $$;
      alter table checkpoints add check (fail())`);
    const putting = db
      .transaction()
      .execute((transaction) => putValues(new PostgresSaver(transaction), threadConfig("t"), { a: 1 }));
    // A second attempt would fail because the transaction is aborted, with another SQLSTATE.
    await expect(putting).rejects.toMatchObject({ sqlState: "40001" });
  });

  it("works after DISCARD ALL, and after a table of a prepared statement was changed", async () => {
    const pool = new pg.Pool({ connectionString: (await target.createDatabase()).source, max: 1 });
    const saver = new PostgresSaver(pool);
    await saver.setup();
    const { config } = await putValues(saver, threadConfig("t"), { a: [1] });
    for (const disturbance of [
      "discard all",
      "alter table checkpoint_blobs alter column type type varchar(20)",
    ]) {
      await saver.getTuple(config);
      await pool.query(disturbance);
      expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({ a: [1] });
    }
    await saver.end();
    await pool.end();
  });

  it("prepares its statements once per connection, and prepares none with prepare: false", async () => {
    const { source } = await target.createDatabase();
    for (const prepare of [true, false]) {
      const pool = new pg.Pool({ connectionString: source, max: 1 });
      const saver = new PostgresSaver(pool, undefined, { prepare });
      await saver.setup();
      for (let n = 0; n < 3; n++) {
        await saver.put(threadConfig("t"), checkpointOf(saver, {}), metadataOf(), {});
        await saver.getTuple(threadConfig("t"));
      }
      const { rows } = await pool.query(
        "select name from pg_prepared_statements where statement not like '%pg_dist_partition%'",
      );
      // That of a put, that of a read, and the limit of a put's waits for locks.
      expect(rows).toHaveLength(prepare ? 3 : 0);
      await saver.end();
      await pool.end();
    }
  });

  it("needs one round trip for put, putWrites, getTuple and deleteThread, with any number of channels", async () => {
    const { pool, sent } = observedPool((await target.createDatabase()).source);
    const saver = new PostgresSaver(pool);
    await saver.setup();
    const values = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`channel-${n}`, [n]]));
    const calls: (() => Promise<unknown>)[] = [
      () => putValues(saver, threadConfig("t", { checkpoint_id: "1" }), values),
      () => saver.putWrites(threadConfig("t", { checkpoint_id: "1" }), Object.entries(values), "task"),
      () => saver.getTuple(threadConfig("t")),
      () => saver.deleteThread("t"),
    ];
    for (const call of calls) {
      sent.length = 0;
      await call();
      expect(sent).toHaveLength(1);
    }
    const keeping = new PostgresSaver(pool, undefined, { keepTombstones: true });
    sent.length = 0;
    await keeping.putWrites(threadConfig("t", { checkpoint_id: "1" }), [["a", 1]], "task");
    await keeping.deleteThread("t");
    // The locks, and the reads of what they protect, take one round trip more.
    expect(sent).toHaveLength(4);
    await pool.end();
  });
});

describePglite("a saver on PGlite", (target) => {
  it("never closes a passed-in instance", async () => {
    const { source } = await target.createDatabase();
    const saver = new PostgresSaver(source);
    await saver.setup();
    await saver.end();
    expect(source.closed).toBe(false);
  });

  it("settles every call on an instance that its owner closes, including calls with a guard", async () => {
    const { source } = await target.createDatabase();
    const saver = new PostgresSaver(source, undefined, { keepTombstones: true, retry: false });
    await saver.setup();
    const put = (call: number) => putValues(saver, threadConfig(`t-${call}`), { a: call });
    const settled = Promise.allSettled(Array.from({ length: 20 }, (_, call) => put(call)));
    await source.close();
    const refused = (await settled).filter((call) => call.status === "rejected");
    for (const { reason } of refused) expect(reason).toBeInstanceOf(ConnectionError);
    await expect(put(20)).rejects.toBeInstanceOf(ConnectionError);
  });
});

describeEachTarget("a saver that opened its database", (target) => {
  it("closes it, and can be closed twice", async () => {
    const { source } = await target.createDatabase();
    const saver = PostgresSaver.fromConnString(typeof source === "string" ? source : "memory://");
    await saver.setup();
    const { config } = await putValues(saver, threadConfig("t"), { a: 1 });
    expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({ a: 1 });
    await saver.end();
    await expect(saver.end()).resolves.toBeUndefined();
    await expect(saver.getTuple(config)).rejects.toMatchObject({ code: "CONNECTION_FAILED" });
  });
});

it("refuses an invalid source", () => {
  for (const source of [undefined, null, 42]) {
    expect(() => {
      new PostgresSaver(source as never);
    }).toThrow(InvalidConfigError);
  }
});
