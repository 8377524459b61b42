import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { Kysely, PGliteDialect, PostgresAdapter, PostgresDialect } from "kysely";
import pg from "pg";
import { connectLikePool } from "../../src/db/sessions/connect-like-pool.js";
import { connectThroughKysely } from "../../src/db/locks/connect-through-kysely.js";
import { LockSession } from "../../src/db/locks/lock-session.js";
import { SharedSession, takeOnSession } from "../../src/db/locks/session-locks.js";
import { Gate } from "../../test-support/gate.js";
import { endHolders, untilConnections } from "../../test-support/held-locks.js";
import { TcpProxy } from "../../test-support/tcp-proxy.js";
import { describePglite, describeServer, type TestDatabase } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";

const TIMING = { heartbeatMs: 10, answerMs: 200 };

describeServer("a session that holds locks", (target) => {
  let database: TestDatabase<string>;
  let proxy: TcpProxy;
  let pool: pg.Pool;

  beforeEach(async () => {
    database = await target.createDatabase();
    proxy = await TcpProxy.open(database.source);
    pool = new pg.Pool({ connectionString: proxy.url });
    pool.on("connect", (client) => client.on("error", () => undefined));
  });
  afterEach(async () => {
    await pool.end();
    await proxy.close();
  });

  function untilLost({ lost }: LockSession): Promise<unknown> {
    return new Promise((resolve) => {
      lost.addEventListener("abort", () => {
        resolve(lost.reason);
      });
    });
  }

  it("detects that the server no longer answers", async () => {
    const session = await LockSession.open((onLost) => connectLikePool(pool, onLost), TIMING);
    await session.tryLock(1n, false);
    const lost = untilLost(session);
    const end = proxy.blackHole();
    expect(await lost).toMatchObject({ code: "CONNECTION_FAILED", transient: true });
    await expect(session.unlock(1n)).rejects.toMatchObject({ code: "CONNECTION_FAILED" });
    await session.close();
    end();
    await untilConnections(database, 0);
  });

  it("detects that the connection of a Kysely is lost", async () => {
    const db = new Kysely<never>({ dialect: new PostgresDialect({ pool }) });
    const session = await LockSession.open(() => connectThroughKysely(db), TIMING);
    await session.tryLock(1n, false);
    const lost = untilLost(session);
    await endHolders(database);
    expect(await lost).toMatchObject({ code: "CONNECTION_FAILED" });
    await session.close();
  });

  it("takes no lock for a caller that aborted while the session was opening", async () => {
    const gate = new Gate();
    const shared = new SharedSession(async () => {
      await gate.opened;
      return LockSession.open((onLost) => connectLikePool(pool, onLost), TIMING);
    });
    const caller = new AbortController();
    const wait = { over: new AbortController().signal, signal: caller.signal, retry: false as const };
    const taking = takeOnSession(shared)(1n, wait);
    caller.abort("gone");
    gate.open();
    await expect(taking).rejects.toMatchObject({ code: "ABORTED", cause: "gone" });
    await untilConnections(database, 0);
  });

  it("survives a process that is too busy to read the answers", async () => {
    // The proxy runs in this process and would be too busy as well.
    const direct = new pg.Pool({ connectionString: database.source });
    const connection = await connectLikePool(direct, () => undefined);
    let busyMs = 0;
    const send = (sql: string): Promise<unknown[]> => {
      const rows = connection.send(sql);
      const end = performance.now() + busyMs;
      while (performance.now() < end);
      return rows;
    };
    const session = await LockSession.open(() => Promise.resolve({ ...connection, send }), TIMING);
    busyMs = 2 * TIMING.answerMs;
    expect(await session.tryLock(1n, true)).toMatchObject({ locked: true });
    await session.unlock(1n);
    expect(session.lost.aborted).toBe(false);
    await session.close();
    await direct.end();
    await untilConnections(database, 0);
  });

  it("turns on TCP keepalives, so that the server detects a lost client", async () => {
    const direct = new pg.Pool({ connectionString: database.source });
    const connection = await connectLikePool(direct, () => undefined);
    const session = await LockSession.open(() => Promise.resolve(connection));
    expect(await connection.send("show tcp_keepalives_idle")).toEqual([{ tcp_keepalives_idle: "10" }]);
    await session.close();
    await direct.end();
  });

  it("returns its connection to a Kysely without transaction and locks, even after a failed statement", async () => {
    const db = new Kysely<never>({ dialect: new PostgresDialect({ pool }) });
    const connection = await connectThroughKysely(db);
    let fails = false;
    const session = await LockSession.open(() =>
      Promise.resolve({ ...connection, send: (sql) => connection.send(fails ? "select 1 / 0" : sql) }),
    );
    await session.tryLock(1n, false);
    fails = true;
    await expect(session.unlock(1n)).rejects.toMatchObject({ sqlState: "22012" });
    expect(session.lost.aborted).toBe(true);
    await session.close();
    await until(() => pool.idleCount >= pool.totalCount);
    const { rows } = await pool.query(
      "select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()",
    );
    expect(rows).toHaveLength(0);
  });
});

describePglite("a session that holds locks", (target) => {
  it("is refused on a dialect that hides that it has only one connection", async () => {
    class HidingDialect extends PGliteDialect {
      override createAdapter(): PostgresAdapter {
        return new PostgresAdapter();
      }
    }
    const { source } = await target.createDatabase();
    const db = new Kysely<never>({ dialect: new HidingDialect({ pglite: source }) });
    await expect(connectThroughKysely(db)).rejects.toMatchObject({ code: "INVALID_CONFIG", field: "source" });
    expect((await source.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  });
});
