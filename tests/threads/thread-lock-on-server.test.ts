import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { DatabaseSource } from "../../src/db/opened-database.js";
import {
  type CheckpointDatabase,
  ConnectionError,
  PostgresSaver,
  type PostgresSaverOptions,
} from "../../src/index.js";
import type { LockedRun, ThreadLock } from "../../src/threads/with-thread-lock.js";
import { newThread } from "../../test-support/checkpoints.js";
import { Gate } from "../../test-support/gate.js";
import { endHolders, untilConnections, untilLocks } from "../../test-support/held-locks.js";
import { TcpProxy } from "../../test-support/tcp-proxy.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { Opened } from "../saver/opened.js";
import { until } from "../../test-support/until.js";

describeServer("the lock of a thread", (target) => {
  let database: TestDatabase<string>;
  let thread: string;
  const opened = new Opened();

  beforeEach(async () => {
    database = await target.createDatabase();
    thread = newThread();
  });
  afterEach(() => opened.end());

  function openSaver(
    source: DatabaseSource = database.source,
    options?: PostgresSaverOptions,
  ): PostgresSaver {
    return opened.saver(source, options);
  }

  function openPool(options: pg.PoolConfig = {}): pg.Pool {
    return opened.pool({ connectionString: database.source, ...options });
  }

  /** Acquires the lock, and holds it until `leave` is called. */
  async function acquire<T>(
    saver: PostgresSaver,
    end: (lock: ThreadLock) => Promise<T> | T,
  ): Promise<{ leave: () => void; held: Promise<T> }> {
    const [inside, left] = [new Gate(), new Gate()];
    const run: LockedRun<T> = async (lock) => {
      inside.open();
      await left.opened;
      return end(lock);
    };
    const held = saver.withThreadLock(thread, run);
    // The test awaits it later.
    held.catch(() => undefined);
    await Promise.race([inside.opened, held]);
    return { leave: left.open, held };
  }

  /** Opens a transaction, and waits until a timeout of its connection has ended its statement or the connection. */
  async function untilEndedBy(option: string): Promise<void> {
    const client = new pg.Client({ connectionString: database.source, options: option });
    const lost = new Promise((resolve) => client.once("end", resolve));
    client.on("error", () => undefined);
    await client.connect();
    await client.query("begin");
    if (option.includes("idle")) await lost;
    else await expect(client.query("select pg_sleep('infinity')")).rejects.toThrow("timeout");
    await client.end();
  }

  const aborted = ({ signal }: ThreadLock): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => {
        resolve();
      });
    });

  it("passes to a waiting saver when its connection dies, and aborts the holder's signal", async () => {
    const [saver, other] = [openSaver(), openSaver()];
    let reason: unknown;
    const losing = saver.withThreadLock(thread, async (lock) => {
      const next = other.withThreadLock(thread, () => "ran");
      await untilLocks(database, 2);
      await endHolders(database);
      await aborted(lock);
      reason = lock.signal.reason;
      // The waiting caller lost its connection too, and has opened another.
      return next;
    });
    const error: unknown = await losing.catch((failure: unknown) => failure);
    expect(error).toMatchObject({ name: "ThreadLockLostError", code: "THREAD_LOCK_LOST", threadId: thread });
    expect(error).toMatchObject({ cause: expect.any(ConnectionError) });
    expect(reason).toBe(error);
  });

  it("fails with ThreadLockLostError after a loss, whatever the function returns", async () => {
    const saver = openSaver();
    const failure = new Error("the model hung up");
    const ends: [(lock: ThreadLock) => unknown, unknown][] = [
      [() => "ran", { code: "THREAD_LOCK_LOST", cause: { code: "CONNECTION_FAILED" } }],
      [() => Promise.reject(failure), { code: "THREAD_LOCK_LOST", cause: failure }],
      [
        ({ signal }) => {
          signal.throwIfAborted();
        },
        { code: "THREAD_LOCK_LOST", cause: { code: "CONNECTION_FAILED" } },
      ],
    ];
    for (const [end, expected] of ends) {
      const { leave, held } = await acquire(saver, async (lock) => {
        await aborted(lock);
        return end(lock);
      });
      leave();
      await endHolders(database);
      await expect(held).rejects.toMatchObject(expected as object);
      // The server notifies the client before it releases the lock.
      await untilLocks(database, 0);
      // The next call opens another connection.
      expect(await saver.withThreadLock(thread, () => "ran", { waitMs: 0 })).toBe("ran");
    }
  });

  it("does not pass to its own process before the function that lost it has ended", async () => {
    const saver = openSaver();
    let hasEnded = false;
    const { leave, held } = await acquire(saver, async (lock) => {
      await aborted(lock);
      await database.query("select 1");
      hasEnded = true;
    });
    const next = saver.withThreadLock(thread, () => hasEnded);
    await endHolders(database);
    leave();
    await expect(held).rejects.toMatchObject({ code: "THREAD_LOCK_LOST" });
    expect(await next).toBe(true);
  });

  it("passes to a waiting caller when its holder asks for it again at once", async () => {
    const [greedy, patient] = [openSaver(), openSaver()];
    const log: string[] = [];
    const { leave, held } = await acquire(greedy, () => log.push("greedy"));
    const again = greedy.withThreadLock(thread, () => log.push("greedy again"));
    const waiting = patient.withThreadLock(thread, () => log.push("patient"));
    await untilLocks(database, 2);
    leave();
    await Promise.all([held, waiting, again]);
    expect(log).toEqual(["greedy", "patient", "greedy again"]);
  });

  it("leaves no connection open after a wait without success", async () => {
    const [saver, other] = [openSaver(), openSaver()];
    const { leave, held } = await acquire(saver, () => undefined);
    await expect(other.withThreadLock(thread, () => 1, { waitMs: 0 })).rejects.toThrow();
    const caller = new AbortController();
    const waiting = other.withThreadLock(thread, () => 1, { signal: caller.signal });
    await untilLocks(database, 2);
    caller.abort();
    await expect(waiting).rejects.toMatchObject({ code: "ABORTED" });
    await untilConnections(database, 1);
    leave();
    await held;
    await untilConnections(database, 0);
  });

  it("is free after a wait has ended, though the connection stays open for other locks", async () => {
    const [saver, other] = [openSaver(), openSaver()];
    const { leave, held } = await acquire(saver, () => undefined);
    await other.withThreadLock(newThread(), async () => {
      await expect(other.withThreadLock(thread, () => 1, { waitMs: 0 })).rejects.toThrow();
      leave();
      await held;
      await untilLocks(database, 1);
      expect(await saver.withThreadLock(thread, () => "ran", { waitMs: 0 })).toBe("ran");
    });
  });

  it("is released when it arrives after its wait was aborted", async () => {
    const saver = openSaver();
    const caller = new AbortController();
    const waiting = saver.withThreadLock(thread, () => "ran", { signal: caller.signal });
    // While the connection is opening.
    caller.abort();
    await expect(waiting).rejects.toMatchObject({ code: "ABORTED" });
    expect(await openSaver().withThreadLock(thread, () => "ran")).toBe("ran");
    await untilConnections(database, 0);
  });

  it("is held beyond the timeouts of the connection", async () => {
    const TIMEOUTS = "('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')";
    const known = `select name from pg_settings where name in ${TIMEOUTS}`;
    const timeouts = (await database.query<{ name: string }>(known)).map(({ name }) => `-c ${name}=100`);
    const saver = openSaver({ connectionString: database.source, options: timeouts.join(" ") });
    await saver.withThreadLock(thread, async ({ signal }) => {
      // Transactions that begin later, and that each of the timeouts ends.
      await Promise.all(timeouts.map((option) => untilEndedBy(option)));
      const other = openSaver().withThreadLock(thread, () => 1, { waitMs: 0 });
      await expect(other).rejects.toMatchObject({ code: "THREAD_LOCKED" });
      expect(signal.aborted).toBe(false);
    });
  });

  it("holds no snapshot that would block VACUUM", async () => {
    const options = "-c default_transaction_isolation=serializable";
    const saver = openSaver({ connectionString: database.source, options });
    await saver.withThreadLock(thread, async () => {
      const idle = "state = 'idle in transaction'";
      const holders = `select backend_xmin, backend_xid from pg_stat_activity where datname = current_database() and ${idle}`;
      await until(async () => (await database.query(holders)).length > 0);
      expect(await database.query(holders)).toEqual([{ backend_xmin: null, backend_xid: null }]);
    });
  });

  it("survives connection resets during the wait", async () => {
    const proxy = await TcpProxy.open(database.source);
    try {
      const { leave, held } = await acquire(openSaver(), () => undefined);
      const waiting = openSaver(proxy.url).withThreadLock(thread, () => "ran");
      for (let round = 0; round < 3; round++) {
        await untilLocks(database, 2);
        proxy.resetAll();
        await untilLocks(database, 1);
      }
      leave();
      await held;
      expect(await waiting).toBe("ran");
    } finally {
      await proxy.close();
    }
  });

  it("fails at a connection fault when retries are off", async () => {
    const proxy = await TcpProxy.open(database.source);
    try {
      const { leave, held } = await acquire(openSaver(), () => undefined);
      const saver = openSaver(proxy.url, { retry: false });
      // An attempt may be under way at this time or not.
      for (let round = 0; round < 5; round++) {
        const waiting = saver.withThreadLock(thread, () => "ran");
        const refused = expect(waiting).rejects.toMatchObject({ code: "CONNECTION_FAILED" });
        await untilLocks(database, 2);
        proxy.resetAll();
        await refused;
        await untilLocks(database, 1);
      }
      leave();
      await held;
    } finally {
      await proxy.close();
    }
  });

  it("fails within the bound of retries when no server answers", async () => {
    const saver = openSaver("postgres://127.0.0.1:1/none", { retry: { maxElapsedMs: 50 } });
    await expect(saver.withThreadLock(thread, () => 1)).rejects.toMatchObject({
      code: "CONNECTION_FAILED",
      cause: { code: "ECONNREFUSED" },
    });
  });

  it("reports a loss on a passed-in Kysely at release, and the next call uses another connection", async () => {
    const db = new Kysely<CheckpointDatabase>({
      dialect: new PostgresDialect({ pool: openPool({ max: 2 }) }),
    });
    const saver = openSaver(db);
    const { leave, held } = await acquire(saver, () => "ran");
    await endHolders(database);
    leave();
    await expect(held).rejects.toMatchObject({ code: "THREAD_LOCK_LOST" });
    await untilLocks(database, 0);
    expect(await saver.withThreadLock(thread, () => "ran", { waitMs: 0 })).toBe("ran");
  });
});
